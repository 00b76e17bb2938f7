// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_BOXES_BLOCK_MERGE_H
#define SHL_KERNELS_BOXES_BLOCK_MERGE_H

#include "layouts/tree.h"

// Box around all lanes of a block. Empty lanes add nothing.
//
//   reads    *block
//   writes   *out
//   equal    exact for blocks without NaN and -0, which is what the other kernels write
typedef void shl_block_merge_fn(const shl_block *block, shl_box *out);
shl_block_merge_fn shl_block_merge_ref, shl_block_merge_avx2;

#endif
