// SPDX-License-Identifier: MIT
// A truss bridge of box beams with a deck of planks, and how it sways. The same bits
// everywhere.
#ifndef SHL_SCENES_SHAPES_BRIDGE_H
#define SHL_SCENES_SHAPES_BRIDGE_H

#include "scenes/shapes/mesh.h"

#include "scenes/models/cache.h"

enum { SHL_BRIDGE_FIELDS = 10, SHL_BRIDGE_BAYS_MAX = 1000 };

// Metres: a bay along x, the width along y, the height of the deck over the floor.
extern const double shl_bridge_bay, shl_bridge_width, shl_bridge_deck;

// About 6,000 triangles a bay, beams that touch each other and share no vertices; its middle is
// over the origin. Errors: ARGUMENT (no bays, or more than SHL_BRIDGE_BAYS_MAX), MEMORY.
SHOAL_CHECK shoal_status shl_mesh_bridge(uint32_t bays, shl_surface *out);

// The bridge at the mean of 200 snapshots of a sway, in which its centre line is bent and
// twisted while sections stay rigid and the line as long as it was, and their first principal
// components as fields, with coordinates of mean square 1. Give it to
// shoal_model_file_finish(). Errors: ARGUMENT, MEMORY.
SHOAL_CHECK shoal_status shl_bridge_make(uint32_t bays, shoal_model_file *out);

// The same, from the cache if it is there.
SHOAL_CHECK shoal_status shl_bridge_model(uint32_t bays, shl_say_fn *say,
                                          shoal_model_file *out);

#endif
