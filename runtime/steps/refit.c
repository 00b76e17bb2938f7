// SPDX-License-Identifier: MIT
// Positions to tree order, then boxes of the upper nodes from their vertices or children.
#include "runtime/steps/steps.h"

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

void shl_gather(const shl_tree *tree, const shoal_positions *from, uint32_t begin, uint32_t end,
                void *out)
{
    gather_rows(from, from->order == SHOAL_ORDER_USER ? tree->order : NULL, begin, end, out);
}

shoal_status shl_run_gather(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_body_part *part = (const shl_body_part *)s->gather.data + i;
        shl_free_body *b = &shl_bodies(s)[part->body];
        shl_gather(b->tree, &b->user, part->begin, part->end, b->own.data);
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

// A node's block: children above the cut by merging their blocks, others from their vertices.
// Leaves own no vertices, so what opens them does not look for NaN; *owned then becomes false.
static bool refit_node(const shl_kernels *kernels, shl_free_body *b, uint32_t node, bool merge,
                       bool *owned)
{
    const shl_tree *t = b->tree;
    const uint32_t first = t->first[node], count = t->count[node];
    const uint32_t all = (1u << count) - 1, merged = merge ? t->inner[node] : 0;
    *owned &= t->inner[node] == all;
    bool finite = true;
    if (merged != all)
        finite = kernels->node_open[b->scalar](t, b->xyz, node, merged, &b->blocks[node]);
    for (uint32_t lanes = merged; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        shl_box box;
        kernels->block_merge(&b->blocks[first + lane], &box);
        put_lane(&b->blocks[node], lane, &box);
    }
    atomic_store_explicit(&b->stamps[node], b->epoch, memory_order_relaxed);
    return finite;
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

// All blocks above the cut in the subtree of `node`, deepest level first.
static bool refit_part(const shl_kernels *kernels, shl_free_body *b, uint32_t node,
                       uint32_t level, uint32_t cut)
{
    uint32_t begin[SHL_LEVELS_MAX + 1] = {node}, end[SHL_LEVELS_MAX + 1] = {node + 1};
    uint32_t levels = 1;
    while (level + levels < cut) {
        begin[levels] = begin[levels - 1];
        end[levels] = end[levels - 1];
        if (!next_level(b->tree, &begin[levels], &end[levels]))
            break;
        levels++;
    }
    bool finite = true, owned = true; // owned: every vertex lies in a range that is opened here
    for (uint32_t l = levels; l-- > 0;) {
        for (uint32_t n = begin[l]; n < end[l]; n++) {
            owned &= !b->tree->leaf[n];
            if (!b->tree->leaf[n])
                finite &= refit_node(kernels, b, n, level + l + 1 < cut, &owned);
        }
    }
    const shl_tree *t = b->tree;
    shl_box unused;
    return finite &&
           (owned || kernels->vertex_box[b->scalar](b->xyz, t->vertex_begin[node],
                                                    t->vertex_end[node], NULL, 0, &unused));
}

shoal_status shl_run_refit(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_body_part *part = (const shl_body_part *)s->refit.data + i;
        shl_free_body *b = &shl_bodies(s)[part->body];
        if (!b->fresh)
            continue;
        const uint32_t cut = shl_cut_level(b->tree, s->def.strategy);
        ((uint8_t *)s->refit_finite.data)[i] =
            refit_part(&s->ctx->kernels, b, part->begin, part->end, cut);
    }
    return SHOAL_OK;
}

// Joins the parts of a body: blocks above them, the root box, and whether all was finite.
static void refit_root(const shoal_scene *s, uint32_t index, shl_free_body *b)
{
    const shl_kernels *kernels = &s->ctx->kernels;
    const shl_tree *t = b->tree;
    const uint32_t *row = (const uint32_t *)s->refit_begin.data + index;
    const uint8_t *part_finite = s->refit_finite.data;
    bool finite = true;
    uint32_t level = 0;
    for (uint32_t i = row[0]; i < row[1]; i++) {
        finite &= part_finite[i] != 0;
        level = ((const shl_body_part *)s->refit.data)[i].end;
    }
    bool owned = true;
    for (uint32_t l = level; l-- > 0;) {
        for (uint32_t n = t->level[l]; n < t->level[l + 1]; n++) {
            if (!t->leaf[n])
                finite &= refit_node(kernels, b, n, true, &owned);
        }
    }
    if (t->leaf[0])
        finite &=
            kernels->vertex_box[b->scalar](b->xyz, 0, 0, t->list, t->list_begin[1], &b->box);
    else
        kernels->block_merge(&b->blocks[0], &b->box);
    shl_box unused;
    const uint32_t unseen =
        owned ? t->used_vertices : 0; // vertices of no triangle are state too
    if (unseen < t->vertex_count)
        finite &=
            kernels->vertex_box[b->scalar](b->xyz, unseen, t->vertex_count, NULL, 0, &unused);
    b->bad = !finite;
}

shoal_status shl_run_roots(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        if (b->fresh)
            refit_root(s, i, b);
        b->joined = b->model && b->source != SHL_SOURCE_NONE && !b->bad;
    }
    return SHOAL_OK;
}
