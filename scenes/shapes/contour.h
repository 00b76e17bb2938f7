// SPDX-License-Identifier: MIT
// The surface of a shape that is given by a field, negative inside: marching tetrahedra over a
// lattice of cubes, six to each, then smoothing on the surface itself. Always closed.
#ifndef SHL_SCENES_SHAPES_CONTOUR_H
#define SHL_SCENES_SHAPES_CONTOUR_H

#include "scenes/shapes/mesh.h"

typedef double shl_field_fn(const void *shape, const double at[3]);

typedef struct shl_contour_def {
    shl_field_fn *field;
    const void *shape;
    double lo[3], hi[3]; // a box around the shape
    uint32_t vertices;   // wanted; the lattice is chosen for it
} shl_contour_def;

// Within 2 % of the wanted number for shapes that a lattice of that size can show. Numbered in
// order of first use, so equal definitions give equal bytes everywhere.
// Errors: ARGUMENT (nothing is inside), MEMORY.
SHOAL_CHECK shoal_status shl_contour_create(const shl_contour_def *def, shl_surface *out);

#endif
