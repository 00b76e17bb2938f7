// SPDX-License-Identifier: MIT
// How well a tree still fits, at a glance.
#ifndef SHL_RUNTIME_TREES_SAMPLE_H
#define SHL_RUNTIME_TREES_SAMPLE_H

#include "kernels/kernels.h"

// Surface of a few nodes of the lowest levels, where decay shows first, over that of the root:
// only to be compared with itself at another time. `root` is the box of all triangles. A tree
// of one leaf is 1; 0 where nothing can be said.
double shl_tree_sample(const shl_kernels *kernels, const shl_tree *tree, const void *xyz,
                       shoal_scalar scalar, const shl_box *root);

#endif
