// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_BOXES_NODE_OPEN_H
#define SHL_KERNELS_BOXES_NODE_OPEN_H

#include "layouts/tree.h"

// Boxes of a node's children, each straight from its vertices: what `open` does for a free
// body. The children of a leaf are its triangles.
//
//   reads    tree columns of the node and its children, xyz of their vertices
//   writes   *out, all lanes; unused ones empty
//   returns  false if a coordinate in a range that a child owns is NaN or infinite; listed
//            vertices are owned by others, and leaves own none: those are looked at elsewhere
//   equal    exact for finite input
//   cost     vertices of the node, plus what its children share
//
// `skip` has a bit for each lane that is left alone, because merging will fill it.
typedef bool shl_node_open_fn(const shl_tree *tree, const void *xyz, uint32_t node,
                              uint32_t skip, shl_block *out);
shl_node_open_fn shl_node_open_f32_ref, shl_node_open_f32_avx2;
shl_node_open_fn shl_node_open_f64_ref, shl_node_open_f64_avx2;

#endif
