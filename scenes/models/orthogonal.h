// SPDX-License-Identifier: MIT
// Fields made from shapes: without rigid motion, and independent of each other.
#ifndef SHL_SCENES_MODELS_ORTHOGONAL_H
#define SHL_SCENES_MODELS_ORTHOGONAL_H

#include "scenes/shapes/mesh.h"

// How a point of the rest shape moves; `u` is 0 before.
typedef void shl_shape_fn(const void *ctx, uint32_t field, const double p[3], double u[3]);

// Orthogonal to each other and to rigid motion, with `mass` of the vertices, whose centre is
// the origin; the vertex that moves most moves by 1.
// `*fields` is [count][vertex_count][3]; give it to free(). Errors: MEMORY.
SHOAL_CHECK shoal_status shl_orthogonal_fields(const shl_surface *surface, const double *mass,
                                               shl_shape_fn *shape, const void *ctx,
                                               uint32_t count, float **fields);

#endif
