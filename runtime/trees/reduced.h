// SPDX-License-Identifier: MIT
// Builds what a model keeps for reduced bodies: rest data in tree order and bounds of nodes.
#ifndef SHL_RUNTIME_TREES_REDUCED_H
#define SHL_RUNTIME_TREES_REDUCED_H

#include "layouts/reduced.h"

typedef struct shl_reduced_input {
    const double *xyz;    // [3 * vertex_count] rest positions in user order, finite
    const float *fields;  // [field_count][vertex_count][3] in user order, finite
    uint32_t field_count; // at most SHL_FIELDS_MAX
    shl_bounds bounds;
} shl_reduced_input;

// A pure function of the input. On failure *out is empty. Errors: MEMORY, LIMIT (a coordinate
// beyond SHL_REDUCED_MAX).
SHOAL_CHECK shoal_status shl_reduced_build(const shl_tree *tree, const shl_reduced_input *input,
                                           const shoal_allocator *allocator, shl_reduced *out);

#endif
