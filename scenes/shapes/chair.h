// SPDX-License-Identifier: MIT
// A stackable plastic chair moulded in one piece: a sheet of even thickness, bent into a seat,
// a back, four legs of angle section and two arms. The same bits everywhere.
#ifndef SHL_SCENES_SHAPES_CHAIR_H
#define SHL_SCENES_SHAPES_CHAIR_H

#include "scenes/shapes/mesh.h"

enum { SHL_CHAIR_FIELDS = 10 };

// One closed surface of about 17,900 triangles, in metres, z upwards, the floor somewhere
// below: the centre of mass of the sheet is the origin. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_mesh_chair(shl_surface *out);

// Ways in which that chair bends, as analytic fields: back and legs bend, splay and sway, the
// whole twists, the seat warps. Orthogonal to each other and to rigid motion, with `mass` of
// the vertices; the vertex that moves most moves by 1.
// `*fields` is [SHL_CHAIR_FIELDS][vertex_count][3]; give it to free(). Errors: MEMORY.
SHOAL_CHECK shoal_status shl_chair_fields(const shl_surface *chair, const double *mass,
                                          float **fields);

// What they ring at, in hertz.
extern const double shl_chair_hertz[SHL_CHAIR_FIELDS];

#endif
