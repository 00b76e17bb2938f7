// SPDX-License-Identifier: MIT
// Builds what a model keeps for bodies of kind skinned: rest data and weights in tree order,
// and for each node which control points act on its children, how much, and their extents.
#ifndef SHL_RUNTIME_TREES_SKINNED_H
#define SHL_RUNTIME_TREES_SKINNED_H

#include "layouts/models/skinned.h"

typedef struct shl_skinned_input {
    const double *xyz;            // [3 * vertex_count] rest positions in user order, finite
    const double *at;             // [3 * point_count] finite
    const uint32_t *weight_begin; // [vertex_count + 1] in user order
    const uint32_t *weight_point; // [weight_begin[vertex_count]]
    const float *weight;
    uint32_t point_count;
    shl_blend blend;
    shl_region region;
} shl_skinned_input;

// A pure function of the input, which must be sound. On failure *out is empty. Errors: MEMORY,
// LIMIT (a coordinate beyond SHL_SKINNED_MAX).
SHOAL_CHECK shoal_status shl_skinned_build(const shl_tree *tree, const shl_skinned_input *input,
                                           const shoal_allocator *allocator, shl_skinned *out);

#endif
