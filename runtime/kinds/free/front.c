// SPDX-License-Identifier: MIT
// What is refreshed before the search: which nodes of which bodies, in which order.
#include "runtime/kinds/free/free.h"

#include <string.h>

// Lists the nodes of a subtree that are refreshed, the deepest level first.
static void list_subtree(const shl_free_bodies *self, const shl_free_body *b,
                         shl_front_candidate *rows, shl_subtree *subtree, uint32_t *listed)
{
    const shl_tree *t = b->tree;
    shl_front_entry *out = b->front.data;
    uint32_t end = shl_free_strategy(self, b, subtree->root, rows);
    subtree->begin = *listed;
    subtree->scan = false;
    while (end > 0) {
        // a level: nodes are in order, and those of a deeper level have larger numbers
        uint32_t level = t->depth, begin = end;
        while (rows[end - 1].node < t->level[level])
            level--;
        while (begin > 0 && rows[begin - 1].node >= t->level[level])
            begin--;
        for (uint32_t i = begin; i < end; i++) {
            const uint32_t n = rows[i].node;
            if (!rows[i].refit)
                continue;
            subtree->scan |= t->inner[n] != (1u << t->count[n]) - 1;
            out[(*listed)++] = (shl_front_entry){n, rows[i].merged};
        }
        end = begin;
    }
    subtree->end = *listed;
}

// Above the subtrees all is refreshed: inner children have boxes by then.
shl_front_counts shl_free_plan_front(shl_free_bodies *self, uint32_t row, uint32_t worker)
{
    const shl_free_body *b = shl_free_row(self, row);
    const shl_tree *t = b->tree;
    shl_front_candidate *rows = self->candidates[worker].data;
    const uint32_t *begin = (const uint32_t *)self->refit_begin.data + row;
    shl_front_counts out = {0, 0};
    for (uint32_t i = begin[0]; i < begin[1]; i++)
        list_subtree(self, b, rows, (shl_subtree *)self->refit.data + i, &out.top);
    out.all = out.top;
    for (uint32_t n = t->level[t->subtree_level]; n-- > 0;) {
        if (!t->leaf[n])
            ((shl_front_entry *)b->front.data)[out.all++] = (shl_front_entry){n, t->inner[n]};
    }
    return out;
}

// Room for all that can ever be listed or learned, so that changing plans allocate nothing.
static shoal_status reserve(shl_free_bodies *self, shl_free_body *b)
{
    const shoal_allocator *allocator = self->ports->allocator;
    const size_t nodes = b->tree->node_count, inner = nodes - b->tree->leaf_count;
    const bool profiles = shl_free_profiles(self);
    shoal_status st =
        shl_array_reserve(&b->front, (inner + 1) * sizeof(shl_front_entry), 0, allocator);
    // who learns plans too, on any worker
    for (uint32_t i = 0; i < (profiles ? self->ports->workers : 1) && !st; i++)
        st = shl_array_reserve(&self->candidates[i], (inner + 1) * sizeof(shl_front_candidate),
                               0, allocator);
    return st || !profiles ? st : shl_free_profile_reserve(self, b);
}

static shoal_status plan_refit(shl_free_bodies *self, uint32_t row)
{
    shl_free_body *b = shl_free_row(self, row);
    const shl_tree *t = b->tree;
    shoal_status st = reserve(self, b);
    for (uint32_t n = t->level[t->subtree_level]; n < t->level[t->subtree_level + 1] && !st;
         n++) {
        const shl_subtree subtree = {.row = row, .root = n};
        if (!t->leaf[n])
            st = shl_array_append(&self->refit, self->refit_count++, &subtree, sizeof subtree,
                                  self->ports->allocator);
    }
    if (st)
        return st;
    ((uint32_t *)self->refit_begin.data)[row + 1] = self->refit_count;
    b->front_counts = shl_free_plan_front(self, row, 0);
    return SHOAL_OK;
}

static shoal_status plan_body(shl_free_bodies *self, uint32_t row)
{
    const shl_free_body *b = shl_free_row(self, row);
    shoal_status st = SHOAL_OK;
    if (!b->model || b->source == SHL_SOURCE_NONE)
        return st;
    for (uint32_t v = 0; b->source == SHL_SOURCE_GATHER && v < b->tree->vertex_count && !st;) {
        const uint32_t left = b->tree->vertex_count - v;
        const uint32_t end = v + (left < SHL_GATHER_ROWS ? left : SHL_GATHER_ROWS);
        const shl_vertex_range range = {row, v, end};
        st = shl_array_append(&self->gather, self->gather_count++, &range, sizeof range,
                              self->ports->allocator);
        v = end;
    }
    return st ? st : plan_refit(self, row);
}

// Blocks that are made ahead wait in the cache for the search, if there is room for them and
// for the positions, half of it being left to all else.
static float reload_ns(const shl_free_bodies *self)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < self->rows.count; i++) {
        const shl_free_body *b = shl_free_row(self, i);
        if (b->model)
            bytes += (b->tree->node_count - b->tree->leaf_count) * sizeof(shl_block) +
                     b->tree->vertex_count * 3 * (b->scalar == SHOAL_F32 ? 4 : 8);
    }
    const uint64_t cache = self->ports->ctx->place.machine.cache_bytes[1];
    return 2 * bytes / self->ports->workers < cache ? 5 : 30;
}

shoal_status shl_free_plan(shl_free_bodies *self)
{
    const shoal_allocator *allocator = self->ports->allocator;
    if (self->planned)
        return SHOAL_OK;
    self->gather_count = self->refit_count = 0;
    self->reload_ns = reload_ns(self);
    shoal_status st = shl_array_reserve(
        &self->refit_begin, (self->rows.count + (size_t)1) * sizeof(uint32_t), 0, allocator);
    for (uint32_t i = 0; i < self->rows.count && st == SHOAL_OK; i++) {
        ((uint32_t *)self->refit_begin.data)[i] = self->refit_count;
        st = plan_body(self, i);
    }
    if (st == SHOAL_OK)
        st =
            shl_array_reserve(&self->refit_finite, self->refit_count + (size_t)1, 0, allocator);
    if (st != SHOAL_OK)
        return st;
    ((uint32_t *)self->refit_begin.data)[self->rows.count] = self->refit_count;
    self->planned = true;
    return SHOAL_OK;
}
