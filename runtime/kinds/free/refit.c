// SPDX-License-Identifier: MIT
// Positions to tree order, then boxes of the upper nodes from their vertices or children.
#include "runtime/kinds/free/free.h"

#include <string.h>

// Packed xyz: a vertex moves as a whole.
static void gather_packed_f32(const float *from, const uint32_t *order, uint32_t begin,
                              uint32_t end, float *out)
{
    for (uint32_t i = begin; i < end; i++)
        memcpy(out + 3 * (size_t)i, from + 3 * (size_t)order[i], 3 * sizeof *out);
}

static void gather_packed_f64(const double *from, const uint32_t *order, uint32_t begin,
                              uint32_t end, double *out)
{
    for (uint32_t i = begin; i < end; i++)
        memcpy(out + 3 * (size_t)i, from + 3 * (size_t)order[i], 3 * sizeof *out);
}

static void gather_rows(const shoal_positions *from, const uint32_t *order, uint32_t begin,
                        uint32_t end, void *out)
{
    const size_t stride = from->stride;
    for (uint32_t i = begin; i < end; i++) {
        const size_t at = stride * (order ? order[i] : i);
        if (from->scalar == SHOAL_F32) {
            float *to = (float *)out + 3 * (size_t)i;
            to[0] = ((const float *)from->x)[at];
            to[1] = ((const float *)from->y)[at];
            to[2] = ((const float *)from->z)[at];
        } else {
            double *to = (double *)out + 3 * (size_t)i;
            to[0] = ((const double *)from->x)[at];
            to[1] = ((const double *)from->y)[at];
            to[2] = ((const double *)from->z)[at];
        }
    }
}

void shl_free_gather(const shl_free_body *b, const shoal_positions *from, uint32_t begin,
                     uint32_t end, void *out)
{
    const uint32_t *order = shl_free_order(b, from);
    if (order && shl_positions_packed(from)) {
        if (from->scalar == SHOAL_F32)
            gather_packed_f32(from->x, order, begin, end, out);
        else
            gather_packed_f64(from->x, order, begin, end, out);
        return;
    }
    gather_rows(from, order, begin, end, out);
}

shoal_status shl_free_run_gather(void *ctx, shl_chunk rows)
{
    const shl_free_bodies *self = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_vertex_range *range = (const shl_vertex_range *)self->gather.data + i;
        const shl_free_body *b = shl_free_row(self, range->row);
        shl_free_gather(b, &b->user, range->begin, range->end, b->own.data);
    }
    return SHOAL_OK;
}

static void put_lane(shl_block *block, uint32_t lane, const shl_box *box)
{
    for (int k = 0; k < 3; k++) {
        block->lo[k][lane] = box->lo[k];
        block->hi[k][lane] = box->hi[k];
    }
}

// Makes a node's block: some lanes by merging the children's blocks, the others from vertices.
// Lanes in `done` are there already.
static bool make_block(const shl_kernels *kernels, const shl_free_body *b,
                       shl_front_entry entry, uint32_t done)
{
    const shl_tree *t = b->tree;
    shl_block *block = &b->blocks[entry.node];
    const uint32_t count = t->count[entry.node], all = (1u << count) - 1;
    atomic_store_explicit(&b->stamps[entry.node], b->epoch, memory_order_relaxed);
    if (entry.merged == all && !done) {
        kernels->block_join(&b->blocks[t->first[entry.node]], count, block);
        return true;
    }
    bool finite = true;
    if ((entry.merged | done) != all)
        finite =
            kernels->node_open[b->scalar](t, b->xyz, entry.node, entry.merged | done, block);
    for (uint32_t lanes = entry.merged & ~done; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        shl_box box;
        kernels->block_merge(&b->blocks[t->first[entry.node] + lane], &box);
        put_lane(block, lane, &box);
    }
    return finite;
}

// All blocks of a subtree and the box of its root; false if a vertex of it is not finite.
static bool refit_subtree(const shl_kernels *kernels, const shl_free_body *b,
                          const shl_subtree *subtree, shl_box *box)
{
    const shl_tree *t = b->tree;
    const shl_front_entry *entries = b->front.data;
    const uint32_t root = subtree->root, first = t->vertex_begin[root],
                   last = t->vertex_end[root];
    if (subtree->begin == subtree->end) {
        const uint32_t list = t->list_begin[root];
        return kernels->vertex_box[b->scalar](b->xyz, first, last, t->list + list,
                                              t->list_begin[root + 1] - list, box);
    }
    bool finite = true;
    for (uint32_t i = subtree->begin; i < subtree->end; i++)
        finite &= make_block(kernels, b, entries[i], 0);
    // nodes list what a subtree shares with later ones, and lists are not searched for NaN
    const uint32_t seen =
        subtree->scan ? first : t->vertex_end[t->first[root] + t->count[root] - 1];
    if (finite && seen < last)
        finite = kernels->vertex_box[b->scalar](b->xyz, seen, last, NULL, 0, box);
    kernels->block_merge(&b->blocks[root], box);
    return finite;
}

shoal_status shl_free_run_refit(void *ctx, shl_chunk rows)
{
    const shl_free_bodies *self = ctx;
    const shl_kernels *kernels = &self->ports->ctx->kernels;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_subtree *subtree = (const shl_subtree *)self->refit.data + i;
        const shl_free_body *b = shl_free_row(self, subtree->row);
        if (!shl_free_is(self, b, SHL_BODY_FRESH))
            continue;
        shl_box box;
        ((uint8_t *)self->refit_finite.data)[i] = refit_subtree(kernels, b, subtree, &box);
        if (shl_free_cull_wanted(self, b))
            shl_free_cull_refresh(kernels, b, subtree->root);
        // each subtree has its own lane of the block above it, or is the whole body
        if (subtree->root == 0)
            self->bodies->box[b->body] = box;
        else
            put_lane(&b->blocks[b->tree->parent[subtree->root]],
                     subtree->root - b->tree->first[b->tree->parent[subtree->root]], &box);
    }
    return SHOAL_OK;
}

// Joins the subtrees of a body: blocks above them, the root box, and whether all was finite.
static bool update_body(const shl_free_bodies *self, uint32_t row, const shl_free_body *b)
{
    const shl_kernels *kernels = &self->ports->ctx->kernels;
    const shl_tree *t = b->tree;
    const shl_front_entry *entries = b->front.data;
    const uint32_t *begin = (const uint32_t *)self->refit_begin.data + row;
    const uint8_t *subtree_finite = self->refit_finite.data;
    shl_box *box = &self->bodies->box[b->body];
    bool finite = true, seen = true; // seen: no leaf stands above the subtrees
    for (uint32_t i = begin[0]; i < begin[1]; i++)
        finite &= subtree_finite[i] != 0;
    for (uint32_t i = b->front_counts.top; i < b->front_counts.all; i++) {
        const shl_front_entry entry = entries[i];
        // the lowest of them have roots of subtrees as children, whose boxes are in place
        const bool above_subtrees = t->first[entry.node] >= t->level[t->subtree_level];
        finite &= make_block(kernels, b, entry, above_subtrees ? entry.merged : 0);
        seen &= entry.merged == (1u << t->count[entry.node]) - 1;
    }
    if (t->leaf[0])
        finite &= kernels->vertex_box[b->scalar](b->xyz, 0, 0, t->list, t->list_begin[1], box);
    else if (b->front_counts.top < b->front_counts.all)
        kernels->block_merge(&b->blocks[0], box);
    shl_box unused;
    const uint32_t unseen =
        seen ? t->used_vertices : 0; // vertices of no triangle are state too
    if (unseen < t->vertex_count)
        finite &=
            kernels->vertex_box[b->scalar](b->xyz, unseen, t->vertex_count, NULL, 0, &unused);
    return finite;
}

shoal_status shl_free_run_update(void *ctx, shl_chunk rows)
{
    const shl_free_bodies *self = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_free_body *b = shl_free_row(self, i);
        if (!b->model || !shl_free_is(self, b, SHL_BODY_FRESH))
            continue;
        const bool finite = update_body(self, i, b);
        shl_body_put(self->bodies, b->body, SHL_BODY_BAD, !finite);
        shl_body_put(self->bodies, b->body, SHL_BODY_ACTIVE, finite);
        if (shl_free_cull_wanted(self, b))
            shl_free_cull_refresh_top(&self->ports->ctx->kernels, b);
    }
    return SHOAL_OK;
}
