// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_BOXES_BLOCK_GAP_H
#define SHL_KERNELS_BOXES_BLOCK_GAP_H

#include "layouts/tree.h"

// Squares of the distances between a box and the eight of a block; 0 if they overlap.
//
//   writes   gap[0, 8), never NaN for boxes that are not empty: with g the true square,
//            gap <= g (1 + 2^-21) + 2^-140, infinite beyond the floats. Of empty lanes:
//            anything
//   equal    exact
//
// A difference of floats is rounded once, its square thrice in all with it, a sum of three
// squares twice: below (1 + 2^-24)^5. Underflow adds at most 2^-150 to each of them.
typedef void shl_block_gap_fn(const shl_box *box, const shl_block *block, float gap[SHL_LANES]);
shl_block_gap_fn shl_block_gap_ref, shl_block_gap_avx2;

#endif
