// SPDX-License-Identifier: MIT
// Closed shapes for bodies that bend and stretch: a figure to hang up, a fish, a brain. The
// same bits everywhere.
#ifndef SHL_SCENES_SHAPES_SCULPTURES_H
#define SHL_SCENES_SHAPES_SCULPTURES_H

#include "scenes/shapes/mesh.h"

// Father Christmas with sack and pointed hat, 1.45 high, z upwards, the bobble of the hat on
// top. Ellipsoids and cones that melt into each other. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_mesh_figure(uint32_t vertices, shl_surface *out);

// A fish 1.2 long that looks along x, z upwards, with fins. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_mesh_soft_fish(uint32_t vertices, shl_surface *out);

// An ellipsoid of 1.3, 1 and 0.9 with folds of three sizes and a cleft along x. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_mesh_brain(uint32_t vertices, shl_surface *out);

#endif
