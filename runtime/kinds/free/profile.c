// SPDX-License-Identifier: MIT
// What earlier searches tell: which nodes they visit, so that the front can follow, and how
// well a tree still fits its body. Bodies take turns, so that no step pays for all.
#include "runtime/kinds/free/free.h"

#include "runtime/trees/sample.h"

#include <string.h>

enum {
    PROBE_EVERY = 16, // steps from one profile of a body to the next
    LOOK_EVERY = 32,  // steps from one look at its tree to the next, a multiple of the above
    FADED = 16,       // rates below it are none
    CHANGED = 16,     // a change of a rate that counts
    CHANGES = 32,     // as many changes as visited nodes over this are worth a new plan
};

bool shl_free_profiles(const shl_free_bodies *self)
{
    const shoal_strategy strategy = self->ports->def->strategy;
    return strategy == SHOAL_STRATEGY_OPTIMAL || strategy == SHOAL_STRATEGY_AUTO;
}

shoal_status shl_free_profile_reserve(shl_free_bodies *self, shl_free_body *b)
{
    const shoal_allocator *allocator = self->ports->allocator;
    const size_t nodes = b->tree->node_count;
    shoal_status st = SHL_RESERVE(allocator, {&b->rate, nodes}, {&b->visited_memory, nodes},
                                  {&self->profiles, self->rows.count * sizeof(shl_profile)});
    if (!st && b->age == 0)
        memset(b->rate.data, 0, nodes);
    return st;
}

// Often at first, when nothing is known, then now and then.
static bool due(const shl_free_body *b, uint32_t index)
{
    return b->age < PROBE_EVERY ? (b->age & (b->age - 1)) == 0
                                : (b->age + index) % PROBE_EVERY == 0;
}

void shl_free_profile_begin(shl_free_bodies *self)
{
    self->profile_count = 0;
    for (uint32_t i = 0; shl_free_profiles(self) && i < self->rows.count; i++) {
        shl_free_body *b = shl_free_row(self, i);
        b->visited = NULL;
        if (!b->model || !shl_free_is(self, b, SHL_BODY_FRESH))
            continue;
        b->age++;
        if (!due(b, i))
            continue;
        b->visited = b->visited_memory.data;
        memset(b->visited_memory.data, 0, b->tree->node_count);
        const bool look = b->age == 1 || (b->age + i) % LOOK_EVERY == 0;
        ((shl_profile *)self->profiles.data)[self->profile_count++] =
            (shl_profile){.row = i, .look = look};
    }
}

// Exponential decay of the visit rate. True if the node was visited now or recently.
static bool decay(const shl_free_body *b, uint32_t node, bool forget, shl_profile *profile)
{
    uint8_t *rate = &((uint8_t *)b->rate.data)[node];
    const uint32_t before = *rate;
    const uint32_t now = atomic_load_explicit(&b->visited[node], memory_order_relaxed);
    uint32_t after = forget ? 255 * now : (before + 255 * now + now) / 2;
    after = after < FADED ? 0 : after;
    const uint32_t change = after > before ? after - before : before - after;
    profile->changes += change > CHANGED;
    profile->visited += now;
    *rate = (uint8_t)after;
    return before || after;
}

// From each visited node to its children: who is opened was reached through its parent. True if
// so much has changed that a new plan is worth its cost; near the best plan others are as good.
static bool take_rates(const shl_free_body *b, shl_front_candidate *rows, shl_profile *profile)
{
    const shl_tree *t = b->tree;
    const bool forget = b->age < PROBE_EVERY;
    uint32_t count = 0;
    if (!t->leaf[0] && decay(b, 0, forget, profile))
        rows[count++].node = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t n = rows[i].node;
        for (uint32_t lanes = t->inner[n]; lanes; lanes &= lanes - 1) {
            const uint32_t child = t->first[n] + (uint32_t)__builtin_ctz(lanes);
            if (decay(b, child, forget, profile))
                rows[count++].node = child;
        }
    }
    return (b->unplanned + profile->changes) * CHANGES > count;
}

shoal_status shl_free_run_profile(void *ctx, shl_chunk rows)
{
    shl_free_bodies *self = ctx;
    if (!self->update_rows) // no tree was searched, which says nothing about the next step
        return SHOAL_OK;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        shl_profile *profile = (shl_profile *)self->profiles.data + i;
        const shl_free_body *b = shl_free_row(self, profile->row);
        profile->replanned = take_rates(b, self->candidates[rows.worker].data, profile);
        if (profile->replanned)
            profile->front = shl_free_plan_front(self, profile->row, rows.worker);
        if (profile->look && shl_free_is(self, b, SHL_BODY_ACTIVE) && b->sample > 0)
            profile->quality = shl_tree_sample(&self->ports->ctx->kernels, b->tree, b->xyz,
                                               b->scalar, &self->bodies->box[b->body]) /
                               b->sample;
        profile->done = true;
    }
    return SHOAL_OK;
}

void shl_free_profile_end(shl_free_bodies *self, const shl_step_end *end)
{
    // steps without a search do not count, or all profiles might fall on such
    for (uint32_t i = 0; !end->boxes && shl_free_profiles(self) && i < self->rows.count; i++) {
        shl_free_body *b = shl_free_row(self, i);
        b->age -= b->model && shl_free_is(self, b, SHL_BODY_FRESH) && b->age > 0;
    }
    for (uint32_t i = 0; i < self->profile_count; i++) {
        const shl_profile *profile = (const shl_profile *)self->profiles.data + i;
        shl_free_body *b = shl_free_row(self, profile->row);
        b->visited = NULL;
        if (!profile->done) // the step failed before, or had nothing to teach
            continue;
        b->visited_last = profile->visited;
        b->unplanned = profile->replanned ? 0 : b->unplanned + profile->changes;
        if (profile->replanned)
            b->front_counts = profile->front;
        if (profile->quality > 0)
            b->quality = profile->quality;
    }
    self->profile_count = 0;
}
