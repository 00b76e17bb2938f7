// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_BROAD_TREE_PAIRS_H
#define SHL_KERNELS_BROAD_TREE_PAIRS_H

#include "layouts/box_tree.h"

// Two rows of a tree of boxes, i < j.
typedef struct shl_row_pair {
    uint32_t i, j;
} shl_row_pair;

enum { SHL_TREE_PAIRS_MAX = 1024 };

// Pairs of rows i < j whose boxes overlap, i in leaf `leaf`, j in it or in a later one. Half of
// the tree is enough, since the other half finds this leaf. A call may end early for want of
// room; it goes on where `*next` says.
//
//   reads    *tree; *next: `leaf` in the first call, then what the last call left there
//   writes   *next, tree->blocks[0] when all is found
//            out[0, returned), at most SHL_TREE_PAIRS_MAX rows
//   equal    exact; by leaf of j, then i, then j
typedef uint32_t shl_tree_pairs_fn(const shl_box_tree *tree, uint32_t leaf, uint32_t *next,
                                   shl_row_pair *out);
shl_tree_pairs_fn shl_tree_pairs_ref, shl_tree_pairs_avx2;

#endif
