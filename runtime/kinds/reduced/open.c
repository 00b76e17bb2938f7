// SPDX-License-Identifier: MIT
// Nodes and leaves of reduced bodies, made when touched.
#include "runtime/kinds/reduced/coherence.h"
#include "runtime/traverse/eval_cache.h"

uint32_t shl_reduced_evaluate(const shl_view *v, uint32_t node, shl_scratch *scratch)
{
    const shl_reduced_body *b = shl_reduced_of(v);
    const shl_tree *t = v->tree;
    shl_eval_cache *cache = scratch->eval;
    uint32_t slot;
    const uint32_t found = shl_eval_find(cache, v->body, node, &slot);
    if (found != SHL_NONE)
        return found;
    const uint32_t at = shl_eval_take(cache, v->body, node, 1, slot);
    const uint32_t list = t->list_begin[node], count = t->list_begin[node + 1] - list;
    const shl_tri *local = v->local + t->first[node];
    __builtin_prefetch(local); // needed when the vertices are there
    __builtin_prefetch(local + SHL_LANES / 2);
    const uint32_t base = cache->vertex_count;
    v->kernels->reduced_eval(b->model, b->ready.data, t->list + list, count,
                             cache->xyz + 3 * (size_t)base);
    cache->vertex_count += SHL_LEAF_VERTICES;
    scratch->count.evaluated_vertices += count;
    scratch->count.opened_nodes++;
    shl_eval_tris(cache, v, node, at, base);
    return at;
}

// How a node is opened. Boxes that are kept from step to step have no slants.
typedef enum opening { UNBOUNDED, SLANTED, PLAIN, COHERENT } opening;

static opening opening_of(const shl_view *v, const shl_reduced_body *b, uint32_t node)
{
    return shl_view_is(v, SHL_VIEW_UNBOUNDED)      ? UNBOUNDED
           : shl_coherence_has(b, node)            ? COHERENT
           : b->model->bounds == SHL_BOUNDS_AFFINE ? SLANTED
                                                   : PLAIN;
}

shl_opened shl_reduced_open(const shl_view *v, uint32_t node, int side, shl_block *slot,
                            shl_scratch *scratch)
{
    (void)slot;
    const shl_reduced_body *b = shl_reduced_of(v);
    const shl_reduced *m = b->model;
    const opening how = opening_of(v, b, node);
    bool found;
    shl_eval_node *opened = shl_eval_open(scratch->eval, v->body, node, side, &found);
    const shl_opened out = {&opened->block, how == SLANTED ? &opened->slants : NULL};
    if (found)
        return out;
    scratch->count.opened_nodes++;
    scratch->count.evaluated_nodes++;
    const uint32_t count = v->tree->count[node];
    if (how == UNBOUNDED)
        shl_eval_fill(v->box, count, &opened->block);
    else if (how == SLANTED)
        v->kernels->reduced_slant(shl_reduced_block(m, node), m->field_count, b->ready.data,
                                  count, &opened->block, &opened->slants);
    else if (how == PLAIN || !shl_coherence_open(v->kernels, b, node, &opened->block))
        v->kernels->reduced_open[m->bounds](shl_reduced_block(m, node), m->field_count,
                                            b->ready.data, count, &opened->block);
    return out;
}
