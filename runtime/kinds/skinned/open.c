// SPDX-License-Identifier: MIT
// Nodes and leaves of skinned bodies, made when touched.
#include "runtime/kinds/skinned/front.h"
#include "runtime/traverse/eval_cache.h"

// Evaluates a node's vertices, its range and then its list; returns how many.
static uint32_t evaluate_group(const shl_view *v, uint32_t node, double *xyz)
{
    const shl_skinned_body *b = shl_skinned_of(v);
    const shl_tree *t = v->tree;
    uint32_t rows[SHL_EVAL_GROUP_VERTICES], count = 0;
    for (uint32_t r = t->vertex_begin[node]; r < t->vertex_end[node]; r++)
        rows[count++] = r;
    for (uint32_t i = t->list_begin[node]; i < t->list_begin[node + 1]; i++)
        rows[count++] = t->list[i];
    v->kernels->skinned_eval(b->model, b->maps.data, rows, count, xyz);
    return count;
}

// Evaluates all vertices of a node of leaves, once each, and returns where its block is; those
// of its leaves follow.
static uint32_t open_group(const shl_view *v, uint32_t node, shl_scratch *scratch)
{
    shl_eval_cache *cache = scratch->eval;
    const uint32_t leaves = v->tree->count[node], first = v->tree->first[node];
    uint32_t slot;
    const uint32_t found = shl_eval_find(cache, v->body, node, &slot);
    if (found != SHL_NONE)
        return found;
    const uint32_t at = shl_eval_take(cache, v->body, node, 1 + leaves, slot),
                   base = cache->vertex_count;
    const uint32_t count = evaluate_group(v, node, cache->xyz + 3 * (size_t)base);
    cache->vertex_count += count;
    scratch->count.evaluated_vertices += count;
    scratch->count.opened_nodes += 1 + leaves;
    shl_block *block = &cache->leaf_block[at];
    shl_eval_fill(v->box, 0, block);
    for (uint32_t lane = 0; lane < leaves; lane++) {
        shl_box box;
        const uint32_t leaf = at + 1 + lane;
        shl_eval_tris(cache, v, first + lane, leaf, base);
        v->kernels->block_merge(
            shl_eval_boxes(cache, v->kernels, leaf, v->tree->count[first + lane]), &box);
        for (int k = 0; k < 3; k++) {
            block->lo[k][lane] = box.lo[k];
            block->hi[k][lane] = box.hi[k];
        }
    }
    return at;
}

uint32_t shl_skinned_evaluate(const shl_view *v, uint32_t node, shl_scratch *scratch)
{
    const shl_tree *t = v->tree;
    const uint32_t above = t->parent[node];
    if (shl_skinned_grouped(t, above))
        return open_group(v, above, scratch) + 1 + node - t->first[above];
    shl_eval_cache *cache = scratch->eval;
    uint32_t slot;
    const uint32_t found = shl_eval_find(cache, v->body, node, &slot);
    if (found != SHL_NONE)
        return found;
    const shl_skinned_body *b = shl_skinned_of(v);
    const uint32_t at = shl_eval_take(cache, v->body, node, 1, slot);
    const uint32_t list = t->list_begin[node], count = t->list_begin[node + 1] - list,
                   base = cache->vertex_count;
    v->kernels->skinned_eval(b->model, b->maps.data, t->list + list, count,
                             cache->xyz + 3 * (size_t)base);
    cache->vertex_count += SHL_LEAF_VERTICES;
    scratch->count.evaluated_vertices += count;
    scratch->count.opened_nodes++;
    shl_eval_tris(cache, v, node, at, base);
    return at;
}

shl_opened shl_skinned_open(const shl_view *v, uint32_t node, int side, shl_block *slot,
                            shl_scratch *scratch)
{
    (void)slot;
    const shl_skinned_body *b = shl_skinned_of(v);
    const uint64_t before = scratch->count.opened_nodes;
    if (shl_skinned_grouped(v->tree, node) && !shl_eval_full(scratch->eval, 1)) {
        const uint32_t at = open_group(v, node, scratch);
        scratch->count.evaluated_nodes += scratch->count.opened_nodes - before;
        return (shl_opened){&scratch->eval->leaf_block[at], NULL};
    }
    const shl_block *kept = shl_skinned_front_block(b, node);
    if (kept)
        return (shl_opened){kept, NULL};
    bool found;
    shl_block *block = &shl_eval_open(scratch->eval, v->body, node, side, &found)->block;
    if (!found) {
        scratch->count.opened_nodes++;
        scratch->count.evaluated_nodes++;
        if (shl_view_is(v, SHL_VIEW_UNBOUNDED))
            shl_eval_fill(v->box, v->tree->count[node], block);
        else
            shl_skinned_bound(v->kernels, b, node, scratch, block);
    }
    return (shl_opened){block, NULL};
}
