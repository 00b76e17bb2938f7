// SPDX-License-Identifier: MIT
// How good a tree is for the positions its body has now.
#ifndef SHL_RUNTIME_TREES_COST_H
#define SHL_RUNTIME_TREES_COST_H

#include "kernels/kernels.h"

// Surface of all nodes over that of the root: how many nodes a random search meets.
// 0 if the root has no surface or a position is not finite.
double shl_tree_cost(const shl_kernels *kernels, const shl_tree *tree, const void *xyz,
                     shoal_scalar scalar);

#endif
