// SPDX-License-Identifier: MIT
// The one way to open a node, to open a leaf, and to get a triangle's corners.
#ifndef SHL_RUNTIME_TRAVERSE_OPEN_H
#define SHL_RUNTIME_TRAVERSE_OPEN_H

#include "runtime/kinds/kind.h"

enum {
    SHL_DESCEND_MAX = SHL_BLOCK_PAIRS_MAX + SHL_LANES, // pairs one step down can make
    // A pair is replaced by pairs one level deeper, so a stack holds at most that many a level.
    SHL_STACK_ROWS = (2 * SHL_LEVELS_MAX + 2) * SHL_DESCEND_MAX,
};

// Boxes of an inner node's children, valid for this step. Kept ones are returned without a
// call, others are made by the kind. `slot` serves when another thread is just making them.
static inline shl_opened shl_open(const shl_view *v, uint32_t node, int side, shl_block *slot,
                                  shl_scratch *scratch)
{
    if (v->visited && !atomic_load_explicit(&v->visited[node], memory_order_relaxed))
        atomic_store_explicit(&v->visited[node], 1, memory_order_relaxed);
    if (v->stamps && atomic_load_explicit(&v->stamps[node], memory_order_acquire) == v->epoch)
        return (shl_opened){&v->blocks[node], NULL};
    return v->kind->open(v, node, side, slot, scratch);
}

// For kinds that keep boxes: the winner of an exchange of stamps makes the block for all, who
// loses makes its own copy in `slot`. Both get the same bits, since boxes are a pure function
// of the state.
shl_opened shl_open_kept(const shl_view *view, uint32_t node, shl_block *slot,
                         shl_scratch *scratch);

// Boxes of a leaf's triangles and the row of the first of them on the view's side. Where leaves
// are evaluated, the eval cache must have room.
shl_lanes shl_open_leaf(const shl_view *view, uint32_t node, int side, shl_block *slot,
                        shl_scratch *scratch);

// Where rows of triangles lead.
shl_tri_side shl_view_side(const shl_view *view, const shl_scratch *scratch);

// Corners of a triangle; opens at most one leaf, for which there may have to be made room.
void shl_view_corners(const shl_view *view, const shl_tri_ref *ref, shl_scratch *scratch,
                      double out[9]);

// The boxes grown by a length, in `out`, or as they are.
static inline const shl_block *shl_grown(const shl_kernels *kernels, const shl_block *block,
                                         float grow, shl_block *out)
{
    if (__builtin_expect(grow == 0, 1))
        return block;
    kernels->block_grow(block, grow, out);
    return out;
}

// One level down: all pairs below `pair` that overlap, at most SHL_DESCEND_MAX of them.
// Not for two leaves. A node paired with itself stands for all pairs within it. Boxes of `a`
// are grown by `grow`.
uint32_t shl_descend(const shl_view *a, const shl_view *b, float grow,
                     const shl_node_pair *pair, shl_node_pair *out, shl_scratch *scratch);

#endif
