// SPDX-License-Identifier: MIT
// A sheet folded like an accordion: as a mesh, and as a shape that deforms.
#ifndef SHL_SCENES_SHAPES_PLATE_H
#define SHL_SCENES_SHAPES_PLATE_H

#include "scenes/shapes/shape.h"

enum { SHL_PLATE_MAX = 9 };

// 3 * 2^k by about 2.9 * 2^k quads of two triangles: 17,856 at k = 5. About two units wide.
// Errors: ARGUMENT (k above SHL_PLATE_MAX), MEMORY.
SHOAL_CHECK shoal_status shl_mesh_plate(uint32_t k, shl_surface *out);

// As a shape that breathes and ripples.
extern const shl_deformation shl_folded;

#endif
