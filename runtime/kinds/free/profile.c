// SPDX-License-Identifier: MIT
// What earlier searches tell: which nodes they open, so that the cut can follow, and how well a
// tree still fits its body. Bodies take turns, so that no step pays for all.
#include "runtime/scene/steps.h"

#include "runtime/trees/sample.h"

#include <string.h>

enum {
    PROBE_EVERY = 16, // steps from one lesson of a body to the next
    LOOK_EVERY = 32,  // steps from one look at its tree to the next, a multiple of the above
    FADED = 16,       // heat below it is none
    CHANGED = 16,     // a change of heat that counts
    CHANGES = 32,     // as many changes as warm nodes over this are worth a new plan
};

bool shl_learns(const shoal_scene *s)
{
    return s->def.strategy == SHOAL_STRATEGY_OPTIMAL || s->def.strategy == SHOAL_STRATEGY_AUTO;
}

shoal_status shl_learn_reserve(shoal_scene *s, shl_free_body *b)
{
    const size_t nodes = b->tree->node_count;
    shoal_status st = shl_array_reserve(&b->heat, nodes, 0, &s->allocator);
    if (!st)
        st = shl_array_reserve(&b->opened_memory, nodes, 0, &s->allocator);
    if (!st)
        st = shl_array_reserve(&s->lessons, s->body_count * sizeof(shl_lesson), 0,
                               &s->allocator);
    if (!st && b->age == 0)
        memset(b->heat.data, 0, nodes);
    return st;
}

// Often at first, when nothing is known, then now and then.
static bool due(const shl_free_body *b, uint32_t index)
{
    return b->age < PROBE_EVERY ? (b->age & (b->age - 1)) == 0
                                : (b->age + index) % PROBE_EVERY == 0;
}

void shl_learn_begin(shoal_scene *s)
{
    s->lesson_count = 0;
    for (uint32_t i = 0; shl_learns(s) && i < s->body_count; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        b->opened = NULL;
        if (!b->model || shl_is_lazy(b) || !b->fresh)
            continue;
        b->age++;
        if (!due(b, i))
            continue;
        b->opened = b->opened_memory.data;
        memset(b->opened_memory.data, 0, b->tree->node_count);
        const bool look = b->age == 1 || (b->age + i) % LOOK_EVERY == 0;
        ((shl_lesson *)s->lessons.data)[s->lesson_count++] =
            (shl_lesson){.body = i, .look = look};
    }
}

// Old news fades. True if the node is warm, now or still.
static bool warm(shl_free_body *b, uint32_t node, bool forget, uint32_t *opened,
                 uint32_t *changes)
{
    uint8_t *heat = &((uint8_t *)b->heat.data)[node];
    const uint32_t before = *heat;
    const uint32_t now = atomic_load_explicit(&b->opened[node], memory_order_relaxed);
    uint32_t after = forget ? 255 * now : (before + 255 * now + now) / 2;
    after = after < FADED ? 0 : after;
    const uint32_t change = after > before ? after - before : before - after;
    *changes += change > CHANGED;
    *opened += now;
    *heat = (uint8_t)after;
    return before || after;
}

// From each warm node to its children: who is opened was reached through its parent. True if so
// much has changed that a new plan is worth its cost; near the best plan others are as good.
static bool take_heat(shl_free_body *b, shl_cut_row *rows, shl_lesson *lesson)
{
    const shl_tree *t = b->tree;
    const bool forget = b->age < PROBE_EVERY;
    uint32_t count = 0, *opened = &lesson->opened, *changes = &lesson->changes;
    if (!t->leaf[0] && warm(b, 0, forget, opened, changes))
        rows[count++].node = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t n = rows[i].node;
        for (uint32_t lanes = t->inner[n]; lanes; lanes &= lanes - 1) {
            const uint32_t child = t->first[n] + (uint32_t)__builtin_ctz(lanes);
            if (warm(b, child, forget, opened, changes))
                rows[count++].node = child;
        }
    }
    return (b->unplanned + *changes) * CHANGES > count;
}

shoal_status shl_run_learn(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    if (s->skin.reused) // it opened no node, which says nothing about the next step
        return SHOAL_OK;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        shl_lesson *lesson = (shl_lesson *)s->lessons.data + i;
        shl_free_body *b = &shl_bodies(s)[lesson->body];
        lesson->replanned = take_heat(b, s->workers[worker].cut.data, lesson);
        if (lesson->replanned)
            lesson->eager = shl_plan_eager(s, lesson->body, worker);
        if (lesson->look && b->joined && b->sample > 0)
            lesson->quality =
                shl_tree_sample(&s->ctx->kernels, b->tree, b->xyz, b->scalar, &b->box) /
                b->sample;
        lesson->done = true;
    }
    return SHOAL_OK;
}

void shl_learn_end(shoal_scene *s)
{
    // steps without a search do not count, or all lessons might fall on such
    for (uint32_t i = 0; s->skin.reused && shl_learns(s) && i < s->body_count; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        b->age -= b->model && b->fresh;
    }
    for (uint32_t i = 0; i < s->lesson_count; i++) {
        const shl_lesson *lesson = (const shl_lesson *)s->lessons.data + i;
        shl_free_body *b = &shl_bodies(s)[lesson->body];
        b->opened = NULL;
        if (!lesson->done) // the step failed before, or had nothing to teach
            continue;
        b->opened_last = lesson->opened;
        b->unplanned = lesson->replanned ? 0 : b->unplanned + lesson->changes;
        if (lesson->replanned) {
            b->eager_top = lesson->eager.top;
            b->eager_count = lesson->eager.all;
        }
        if (lesson->quality > 0)
            b->quality = lesson->quality;
    }
}
