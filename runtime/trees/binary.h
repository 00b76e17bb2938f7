// SPDX-License-Identifier: MIT
// A binary tree on its way to a wide one.
#ifndef SHL_RUNTIME_TREES_BINARY_H
#define SHL_RUNTIME_TREES_BINARY_H

#include "runtime/trees/ranges.h"

typedef struct shl_binary_node {
    uint32_t begin, end; // triangles, in the build's order
    uint32_t left;       // the right child follows it; 0 for a leaf
    float area;          // half the surface of its box, in units of the whole
    float visits;        // how often it is expected to be visited, up to a factor
    float size[3];       // the box's
} shl_binary_node;

// Makes the build's rows from a binary tree: each wide node takes the descendants as children
// that make the sum of visits least. Row 0 is the root, children come after their parents.
SHOAL_CHECK shoal_status shl_collapse(shl_build *build, const shl_binary_node *nodes,
                                      uint32_t count);

#endif
