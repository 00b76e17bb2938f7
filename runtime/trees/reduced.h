// SPDX-License-Identifier: MIT
// Builds what a model keeps for reduced bodies: rest data in tree order and bounds of nodes.
#ifndef SHL_RUNTIME_TREES_REDUCED_H
#define SHL_RUNTIME_TREES_REDUCED_H

#include "layouts/models/reduced.h"

typedef struct shl_reduced_input {
    const double *xyz;    // [3 * vertex_count] rest positions in user order, finite
    const float *fields;  // [field_count][vertex_count][3] in user order, finite
    uint32_t field_count; // at most SHL_FIELDS_MAX
    shl_bounds bounds;
    int32_t sphere_level; // binary; negative: no spheres
} shl_reduced_input;

// A pure function of the input. On failure *out is empty. Errors: MEMORY, LIMIT (a coordinate
// beyond SHL_REDUCED_MAX).
SHOAL_CHECK shoal_status shl_reduced_build(const shl_tree *tree, const shl_reduced_input *input,
                                           const shoal_allocator *allocator, shl_reduced *out);

// --- Shared by the parts of the builder. ---

// The vertices below some nodes, some of them more than once.
typedef struct shl_below {
    const shl_reduced *model;
    uint32_t *rows; // [count]
    uint32_t count;
} shl_below;

// The rest position of vertex i (field -1) or its displacement.
static inline void shl_below_value(const shl_below *below, int field, uint32_t i, double out[3])
{
    const shl_reduced *m = below->model;
    const size_t row = below->rows[i];
    for (size_t k = 0; k < 3; k++)
        out[k] = field < 0 ? m->rest[3 * row + k]
                           : (double)m->fields[3 * (row * m->field_count + (size_t)field) + k];
}

// Centre, as floats, and half sizes of the box of these.
void shl_below_box(const shl_below *below, int field, double centre[3], double half[3]);

// Adds the vertices below a node, or one triangle's of a leaf.
void shl_below_add(shl_below *below, const shl_tree *tree, uint32_t node);

// Centre, as floats, and radius of a small ball around rest positions (field -1) or around the
// displacements of a field.
double shl_below_ball(const shl_below *below, int field, double centre[3]);

// What a block holds of one child with affine bounds: all its rows, in one lane.
void shl_below_affine(const shl_below *below, uint32_t lane, float *block);

// The same with any bounds.
void shl_below_bounds(const shl_below *below, shl_bounds bounds, uint32_t lane, float *block);

// A bound that took a handful of roundings, as a float.
float shl_upwards(double bound);

#endif
