// SPDX-License-Identifier: MIT
#include "runtime/steps/steps.h"

uint32_t shl_cut_level(const shl_tree *tree, shoal_strategy strategy)
{
    return strategy == SHOAL_STRATEGY_BOTTOM_UP ? tree->depth : (tree->depth + 1) / 2;
}

// The level whose nodes are refitted as one row each: depends on the model only, so that chunks
// are the same for any number of workers.
static uint32_t part_level(const shl_tree *tree, uint32_t cut)
{
    uint32_t level = 0;
    for (; level + 1 < cut; level++) {
        uint32_t most = 0;
        for (uint32_t n = tree->level[level]; n < tree->level[level + 1]; n++) {
            const uint32_t vertices = tree->vertex_end[n] - tree->vertex_begin[n];
            most = vertices > most ? vertices : most;
        }
        if (most <= SHL_REFIT_VERTICES)
            break;
    }
    return level;
}

static shoal_status push(shl_array *list, uint32_t *count, shl_body_part part,
                         const shoal_allocator *allocator)
{
    const size_t size = sizeof part;
    shoal_status st =
        shl_array_reserve(list, (*count + (size_t)1) * size, *count * size, allocator);
    if (st == SHOAL_OK)
        ((shl_body_part *)list->data)[(*count)++] = part;
    return st;
}

static shoal_status plan_body(shoal_scene *s, uint32_t index)
{
    const shl_free_body *b = &shl_bodies(s)[index];
    const shoal_allocator *allocator = &s->allocator;
    shoal_status st = SHOAL_OK;
    if (!b->model || b->source == SHL_SOURCE_NONE)
        return st;
    const shl_tree *t = b->tree;
    for (uint32_t v = 0; b->source == SHL_SOURCE_GATHER && v < t->vertex_count && !st;) {
        const uint32_t left = t->vertex_count - v;
        const uint32_t end = v + (left < SHL_GATHER_ROWS ? left : SHL_GATHER_ROWS);
        st = push(&s->gather, &s->gather_count, (shl_body_part){index, v, end}, allocator);
        v = end;
    }
    const uint32_t cut = shl_cut_level(t, s->def.strategy);
    const uint32_t level = part_level(t, cut);
    for (uint32_t n = t->level[level]; cut > 0 && n < t->level[level + 1] && !st; n++) {
        if (!t->leaf[n])
            st = push(&s->refit, &s->refit_count, (shl_body_part){index, n, level}, allocator);
    }
    return st;
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
