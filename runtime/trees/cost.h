// SPDX-License-Identifier: MIT
// How good a tree is for given positions.
#ifndef SHL_RUNTIME_TREES_COST_H
#define SHL_RUNTIME_TREES_COST_H

#include "kernels/kernels.h"

// Nodes that a small thing at a random place in the root's box is expected to visit: half the
// surface of all nodes' boxes, by that of the root's. At least 1, at most the number of nodes,
// which is also the answer where surfaces vanish or overflow. One pass, children first.
//
// `xyz` are finite positions in tree order, packed. A pure function; thread: any.
double shl_tree_cost(const shl_kernels *kernels, const shl_tree *tree, const void *xyz,
                     shoal_scalar scalar);

#endif
