// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_BOXES_BLOCK_JOIN_H
#define SHL_KERNELS_BOXES_BLOCK_JOIN_H

#include "layouts/tree.h"

// The block above up to eight blocks: each of its lanes is the box around all lanes of one of
// them, the others are empty.
//
//   reads    children[0 .. count), 1 <= count <= SHL_LANES
//   writes   *out
//   equal    exact for blocks without NaN and -0, which is what the other kernels write
typedef void shl_block_join_fn(const shl_block *children, uint32_t count, shl_block *out);
shl_block_join_fn shl_block_join_ref, shl_block_join_avx2;

#endif
