// SPDX-License-Identifier: MIT
// What is refreshed before the search: which nodes of which bodies, in which order.
#include "runtime/scene/steps.h"

#include <string.h>

static shoal_status push(shl_array *list, uint32_t *count, const void *row, size_t size,
                         const shoal_allocator *allocator)
{
    shoal_status st =
        shl_array_reserve(list, (*count + (size_t)1) * size, *count * size, allocator);
    if (st == SHOAL_OK)
        memcpy((char *)list->data + (*count)++ * size, row, size);
    return st;
}

// Lists the nodes of a part that are refreshed, the deepest level first.
static void list_part(shoal_scene *s, shl_free_body *b, shl_cut_row *rows, shl_tree_part *part,
                      uint32_t *listed)
{
    const shl_tree *t = b->tree;
    shl_eager *out = b->eager.data;
    uint32_t end = shl_cut_part(s, b, part->root, rows);
    part->begin = *listed;
    part->scan = false;
    while (end > 0) {
        // a level: nodes are in order, and those of a deeper level have larger numbers
        uint32_t level = t->depth, begin = end;
        while (rows[end - 1].node < t->level[level])
            level--;
        while (begin > 0 && rows[begin - 1].node >= t->level[level])
            begin--;
        for (uint32_t i = begin; i < end; i++) {
            const uint32_t n = rows[i].node;
            if (!rows[i].eager)
                continue;
            part->scan |= t->inner[n] != (1u << t->count[n]) - 1;
            out[(*listed)++] = (shl_eager){n, rows[i].merged};
        }
        end = begin;
    }
    part->end = *listed;
}

// Above the parts all is refreshed: inner children have boxes by then.
shl_eager_counts shl_plan_eager(shoal_scene *s, uint32_t index, uint32_t worker)
{
    shl_free_body *b = &shl_bodies(s)[index];
    const shl_tree *t = b->tree;
    shl_cut_row *rows = s->workers[worker].cut.data;
    const uint32_t *row = (const uint32_t *)s->refit_begin.data + index;
    shl_eager_counts out = {0, 0};
    for (uint32_t i = row[0]; i < row[1]; i++)
        list_part(s, b, rows, (shl_tree_part *)s->refit.data + i, &out.top);
    out.all = out.top;
    for (uint32_t n = t->level[t->part_level]; n-- > 0;) {
        if (!t->leaf[n])
            ((shl_eager *)b->eager.data)[out.all++] = (shl_eager){n, t->inner[n]};
    }
    return out;
}

// Room for all that can ever be listed or learned, so that changing plans allocate nothing.
static shoal_status reserve(shoal_scene *s, shl_free_body *b)
{
    const shoal_allocator *allocator = &s->allocator;
    const size_t nodes = b->tree->node_count, inner = nodes - b->tree->leaf_count;
    shoal_status st =
        shl_array_reserve(&b->eager, (inner + 1) * sizeof(shl_eager), 0, allocator);
    // who learns plans too, on any worker
    const uint32_t workers = shl_learns(s) ? s->workers_count : 1;
    for (uint32_t i = 0; i < workers && !st; i++)
        st = shl_array_reserve(&s->workers[i].cut, (inner + 1) * sizeof(shl_cut_row), 0,
                               allocator);
    return st || !shl_learns(s) ? st : shl_learn_reserve(s, b);
}

static shoal_status plan_refit(shoal_scene *s, uint32_t index)
{
    shl_free_body *b = &shl_bodies(s)[index];
    const shl_tree *t = b->tree;
    shoal_status st = reserve(s, b);
    for (uint32_t n = t->level[t->part_level]; n < t->level[t->part_level + 1] && !st; n++) {
        const shl_tree_part part = {.body = index, .root = n};
        if (!t->leaf[n])
            st = push(&s->refit, &s->refit_count, &part, sizeof part, &s->allocator);
    }
    if (st)
        return st;
    ((uint32_t *)s->refit_begin.data)[index + 1] = s->refit_count;
    const shl_eager_counts listed = shl_plan_eager(s, index, 0);
    b->eager_top = listed.top;
    b->eager_count = listed.all;
    return SHOAL_OK;
}

static shoal_status plan_body(shoal_scene *s, uint32_t index)
{
    const shl_free_body *b = &shl_bodies(s)[index];
    shoal_status st = SHOAL_OK;
    if (!b->model || shl_is_lazy(b) || b->source == SHL_SOURCE_NONE)
        return st;
    for (uint32_t v = 0; b->source == SHL_SOURCE_GATHER && v < b->tree->vertex_count && !st;) {
        const uint32_t left = b->tree->vertex_count - v;
        const uint32_t end = v + (left < SHL_GATHER_ROWS ? left : SHL_GATHER_ROWS);
        const shl_vertex_part part = {index, v, end};
        st = push(&s->gather, &s->gather_count, &part, sizeof part, &s->allocator);
        v = end;
    }
    return st ? st : plan_refit(s, index);
}

// Blocks that are made ahead wait in the cache for the search, if there is room for them and
// for the positions, half of it being left to all else.
static float reload_ns(const shoal_scene *s)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->body_count; i++) {
        const shl_free_body *b = &shl_bodies(s)[i];
        if (b->model && !shl_is_lazy(b))
            bytes += (b->tree->node_count - b->tree->leaf_count) * sizeof(shl_block) +
                     b->tree->vertex_count * 3 * (b->scalar == SHOAL_F32 ? 4 : 8);
    }
    return 2 * bytes / s->workers_count < s->ctx->place.machine.cache_bytes[1] ? 5 : 30;
}

shoal_status shl_plan_parts(shoal_scene *s)
{
    const shoal_allocator *allocator = &s->allocator;
    if (s->planned)
        return SHOAL_OK;
    s->gather_count = s->refit_count = 0;
    s->reload_ns = reload_ns(s);
    shoal_status st = shl_array_reserve(
        &s->refit_begin, (s->body_count + (size_t)1) * sizeof(uint32_t), 0, allocator);
    for (uint32_t i = 0; i < s->body_count && st == SHOAL_OK; i++) {
        ((uint32_t *)s->refit_begin.data)[i] = s->refit_count;
        st = plan_body(s, i);
    }
    if (st == SHOAL_OK)
        st = shl_array_reserve(&s->refit_finite, s->refit_count + (size_t)1, 0, allocator);
    if (st != SHOAL_OK)
        return st;
    ((uint32_t *)s->refit_begin.data)[s->body_count] = s->refit_count;
    s->planned = true;
    return SHOAL_OK;
}
