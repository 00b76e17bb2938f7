// SPDX-License-Identifier: MIT
// A fish: an ellipse swept along a line, with a tail and a fin. The same bits everywhere.
#ifndef SHL_SCENES_SHAPES_FISH_H
#define SHL_SCENES_SHAPES_FISH_H

#include "scenes/shapes/mesh.h"

enum { SHL_FISH_FIELDS = 3 };

// Closed surfaces of about 24,800 triangles in all, in metres: half a metre long along x, the
// nose in front, z upwards; the centre of mass of the skin is the origin. Errors:
// MEMORY.
SHOAL_CHECK shoal_status shl_mesh_fish(shl_surface *out);

// First bend, second bend, twist: sines along the body, orthogonal to each other and to rigid
// motion with `mass` of the vertices, whose centre is the origin.
// `*fields` is [SHL_FISH_FIELDS][vertex_count][3]; give it to free(). Errors: MEMORY.
SHOAL_CHECK shoal_status shl_fish_fields(const shl_surface *fish, const double *mass,
                                         float **fields);

// What they ring at, in hertz.
extern const double shl_fish_hertz[SHL_FISH_FIELDS];

#endif
