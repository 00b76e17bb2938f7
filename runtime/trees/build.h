// SPDX-License-Identifier: MIT
// Builds a tree over triangles: one builder of many, chosen by the input.
#ifndef SHL_RUNTIME_TREES_BUILD_H
#define SHL_RUNTIME_TREES_BUILD_H

#include "layouts/tree.h"

#include <shoal/model.h>

typedef struct shl_build_input {
    const uint32_t *triangles; // [3 * triangle_count], each below vertex_count
    const double *xyz;         // [3 * vertex_count] finite
    uint32_t triangle_count;   // at least 1
    uint32_t vertex_count;
    shoal_builder builder;
    uint32_t arity;      // most children of a node: 2, 4 or 8; 0 means 8
    const double *poses; // [pose_count][3 * vertex_count] finite, for SHOAL_BUILDER_POSES
    uint32_t pose_count;
    const float
        *fields; // [field_count][3 * vertex_count] finite, if SHOAL_BUILDER_SURFACE_AREA
    uint32_t field_count; // is to mind them
} shl_build_input;

// A pure function of the input. On failure *out is empty. Errors: MEMORY, LIMIT (vertex lists
// beyond 32 bits).
SHOAL_CHECK shoal_status shl_tree_build(const shl_build_input *input,
                                        const shoal_allocator *allocator, shl_tree *out);

// Second half of every builder: given the rows and the triangles in tree order (corners still
// the user's), numbers the vertices in tree order and makes ranges and lists.
SHOAL_CHECK shoal_status shl_tree_number_vertices(shl_tree *tree,
                                                  const shoal_allocator *allocator);

#endif
