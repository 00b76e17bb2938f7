// SPDX-License-Identifier: MIT
// A sheet folded like an accordion: as a mesh, and as a shape that breathes and ripples.
#ifndef SHL_SCENES_SHAPES_PLATE_H
#define SHL_SCENES_SHAPES_PLATE_H

#include "scenes/shapes/shape.h"

enum { SHL_PLATE_MAX = 9 };

// 3 * 2^k by about 2.9 * 2^k quads of two triangles: 17,856 at k = 5. About two units wide.
// Errors: ARGUMENT (k above SHL_PLATE_MAX), MEMORY.
SHOAL_CHECK shoal_status shl_mesh_plate(uint32_t k, shl_surface *out);

// Columns in the order in which positions are written.
typedef struct shl_plate {
    uint32_t count;
    double *memory;        // holds all columns
    double *x, *y, *fold;  // [count] at rest
    double *sin_x, *cos_x; // [count] of 3 x
    double *sin_y, *cos_y; // [count] of 4 y
} shl_plate;

// `order` as for shl_shape_create().  Errors: MEMORY.
SHOAL_CHECK shoal_status shl_plate_create(const shl_surface *rest, const uint32_t *order,
                                          shl_plate *out);

void shl_plate_finish(shl_plate *plate);

// Writes count packed positions, computed in float64 and rounded once.
void shl_plate_write(const shl_plate *plate, const shl_pose *pose, shoal_scalar scalar,
                     void *xyz);

#endif
