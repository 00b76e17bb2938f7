// SPDX-License-Identifier: MIT
// The inner step of every traversal: boxes of children against boxes of children. Comparisons
// only, so the tests themselves are exact; touching boxes overlap.
#ifndef SHL_KERNELS_BOXES_BLOCK_PAIRS_H
#define SHL_KERNELS_BOXES_BLOCK_PAIRS_H

#include "kernels/tri/tri_overlap.h"
#include "layouts/tree.h"

// Two nodes whose boxes overlap, and the overlap: children outside it cannot meet.
typedef struct shl_node_pair {
    uint32_t a, b;
    shl_box clip;
} shl_node_pair;

// How lanes of a block are named: lane k is row first + k.
typedef struct shl_lanes {
    const shl_block *block;
    uint32_t first;
} shl_lanes;

enum { SHL_BLOCK_PAIRS_MAX = SHL_LANES * SHL_LANES };

// All (lane of a, lane of b) whose boxes overlap inside `clip`, with their overlap.
//
//   reads    *a.block, *b.block, *clip
//   writes   out[0, returned); up to SHL_BLOCK_PAIRS_MAX + 8 rows may be touched
//   equal    exact, order by lane of a, then lane of b
//
// With `self` the two are the same block and only pairs with lane a < lane b are made.
typedef uint32_t shl_block_pairs_fn(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                                    shl_node_pair *out);
shl_block_pairs_fn shl_block_pairs_ref, shl_block_pairs_avx2, shl_block_pairs_avx512;

// Which lanes overlap: bit 8 i + j is about lane i of a and lane j of b.
typedef uint64_t shl_block_mask_fn(const shl_block *a, const shl_block *b);
shl_block_mask_fn shl_block_mask_ref, shl_block_mask_avx2, shl_block_mask_avx512;

// As block_pairs for leaves, whose lanes are triangles: only the rows are written.
// SHL_BLOCK_PAIRS_MAX + 8 rows may be touched here too.
typedef uint32_t shl_block_tris_fn(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                                   shl_tri_pair *out);
shl_block_tris_fn shl_block_tris_ref, shl_block_tris_avx2;

// The same for two leaves of one body, but pairs that share a vertex are left out: they always
// touch there, and in a mesh they are most of the pairs whose boxes overlap.
//
//   reads    also tri[first, first + 8) of both, cut off at `rows`
typedef uint32_t shl_block_nonadjacent_fn(shl_lanes a, shl_lanes b, const shl_box *clip,
                                          bool self, const shl_tri *tri, uint32_t rows,
                                          shl_tri_pair *out);
shl_block_nonadjacent_fn shl_block_nonadjacent_ref, shl_block_nonadjacent_avx2;

// Lanes of `a` that overlap `clip`; row `b` of the other side stays whole.
//
//   writes   out[0, returned) with out[i].a a lane of a and out[i].b = b
typedef uint32_t shl_block_clip_fn(shl_lanes a, uint32_t b, const shl_box *clip,
                                   shl_node_pair *out);
shl_block_clip_fn shl_block_clip_ref, shl_block_clip_avx2;

#endif
