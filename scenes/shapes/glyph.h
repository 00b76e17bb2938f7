// SPDX-License-Identifier: MIT
// Letters as closed meshes: flat glyphs made of four-sided patches, cut evenly and given a
// depth.
#ifndef SHL_SCENES_SHAPES_GLYPH_H
#define SHL_SCENES_SHAPES_GLYPH_H

#include "scenes/shapes/mesh.h"

enum { SHL_GLYPHS = 5 };
extern const char shl_glyph_names[SHL_GLYPHS + 1];

// Letter `glyph`, below SHL_GLYPHS, about 1 high, 0.7 wide and 0.22 deep, upright (x to the
// right, z up) around the origin. Each patch is cut into cuts * cuts squares and the depth into
// `layers`. With 2 and 1 it has 176 to 192 triangles, with 3 and 2 it has 444 to 480.
// Errors: ARGUMENT, MEMORY.
SHOAL_CHECK shoal_status shl_mesh_glyph(uint32_t glyph, uint32_t cuts, uint32_t layers,
                                        shl_surface *out);

#endif
