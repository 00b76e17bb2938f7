// SPDX-License-Identifier: MIT
// What is refreshed before the search: which nodes of which bodies, in which order.
#include "runtime/steps/steps.h"

#include <string.h>

// The level whose nodes are refreshed as one row each: depends on the model only, so that
// chunks are the same for any number of workers.
static uint32_t part_level(const shl_tree *tree)
{
    for (uint32_t level = 0;; level++) {
        uint32_t most = 0;
        for (uint32_t n = tree->level[level]; n < tree->level[level + 1]; n++) {
            const uint32_t vertices = tree->vertex_end[n] - tree->vertex_begin[n];
            most = vertices > most ? vertices : most;
        }
        if (most <= SHL_REFIT_VERTICES || level + 1 >= tree->depth)
            return level;
    }
}

static shoal_status push(shl_array *list, uint32_t *count, const void *row, size_t size,
                         const shoal_allocator *allocator)
{
    shoal_status st =
        shl_array_reserve(list, (*count + (size_t)1) * size, *count * size, allocator);
    if (st == SHOAL_OK)
        memcpy((char *)list->data + (*count)++ * size, row, size);
    return st;
}

// Rows of the next level below [*begin, *end); false if there are none.
static bool next_level(const shl_tree *t, uint32_t *begin, uint32_t *end)
{
    uint32_t low = *begin, high = *end;
    while (low < high && t->leaf[low])
        low++;
    while (low < high && t->leaf[high - 1])
        high--;
    if (low == high)
        return false;
    *begin = t->first[low];
    *end = t->first[high - 1] + t->count[high - 1];
    return true;
}

// Lists the subtree of a part's root as far as `cut` refreshes it, deepest level first.
static shoal_status list_part(shoal_scene *s, shl_free_body *b, const shl_cut *cut,
                              shl_tree_part *part)
{
    const shl_tree *t = b->tree;
    uint32_t begin[SHL_LEVELS_MAX + 2] = {part->root},
                                    end[SHL_LEVELS_MAX + 2] = {part->root + 1};
    uint32_t levels = 0;
    do {
        levels++;
        begin[levels] = begin[levels - 1];
        end[levels] = end[levels - 1];
    } while (next_level(t, &begin[levels], &end[levels]));
    part->begin = b->eager_count;
    for (uint32_t l = levels; l-- > 0;) {
        for (uint32_t n = begin[l]; n < end[l]; n++) {
            const shl_eager entry = {n, cut->merged[n]};
            if (!cut->eager[n])
                continue;
            part->scan |= t->inner[n] != (1u << t->count[n]) - 1;
            shoal_status st =
                push(&b->eager, &b->eager_count, &entry, sizeof entry, &s->allocator);
            if (st != SHOAL_OK)
                return st;
        }
    }
    part->end = b->eager_count;
    return SHOAL_OK;
}

// Parts of a body, then the nodes above them, whose inner children all have boxes by then.
static shoal_status plan_refit(shoal_scene *s, uint32_t index)
{
    shl_free_body *b = &shl_bodies(s)[index];
    const shl_tree *t = b->tree;
    b->eager_count = 0;
    b->part_level = part_level(t);
    shl_cut cut;
    shoal_status st = shl_cut_choose(s, b, &cut);
    const uint32_t parts_begin = t->level[b->part_level];
    for (uint32_t n = parts_begin; n < t->level[b->part_level + 1] && !st; n++) {
        shl_tree_part part = {.body = index, .root = n};
        if (t->leaf[n])
            continue;
        st = list_part(s, b, &cut, &part);
        if (!st)
            st = push(&s->refit, &s->refit_count, &part, sizeof part, &s->allocator);
    }
    b->eager_top = b->eager_count;
    for (uint32_t n = parts_begin; n-- > 0 && !st;) {
        const shl_eager entry = {n, t->inner[n]};
        if (!t->leaf[n])
            st = push(&b->eager, &b->eager_count, &entry, sizeof entry, &s->allocator);
    }
    return st;
}

static shoal_status plan_body(shoal_scene *s, uint32_t index)
{
    const shl_free_body *b = &shl_bodies(s)[index];
    shoal_status st = SHOAL_OK;
    if (!b->model || b->reduced || b->source == SHL_SOURCE_NONE)
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

shoal_status shl_plan_parts(shoal_scene *s)
{
    const shoal_allocator *allocator = &s->allocator;
    if (s->planned)
        return SHOAL_OK;
    s->gather_count = s->refit_count = 0;
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
