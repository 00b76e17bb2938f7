// SPDX-License-Identifier: MIT
// What things fall into: closed meshes of walls, turned about an axis or drawn along a path.
#ifndef SHL_SCENES_SHAPES_VESSEL_H
#define SHL_SCENES_SHAPES_VESSEL_H

#include "scenes/shapes/mesh.h"

// The outline turns about the z axis. A ring has an outline that is closed and keeps away from
// the axis; else it begins and ends on the axis, with radius 0.
typedef struct shl_turned {
    const double (*outline)[2]; // [count] radius and z
    uint32_t count;
    bool ring;
    uint32_t segments; // around
} shl_turned;

// Errors: ARGUMENT (fewer than 3 points or segments), MEMORY.
SHOAL_CHECK shoal_status shl_mesh_turned(const shl_turned *def, shl_surface *out);

// A wall of even thickness drawn along a path in the plane y = 0. The section has y to the side
// and z upwards from the path; the wall lies below it and outside of it.
typedef struct shl_drawn {
    const double (*path)[2];    // [stations] x and z
    uint32_t stations;          //
    const double (*section)[2]; // [points] y and height above the path, y ascending
    uint32_t points;
    double thickness;
} shl_drawn;

// Errors: ARGUMENT (fewer than 2 stations or points), MEMORY.
SHOAL_CHECK shoal_status shl_mesh_drawn(const shl_drawn *def, shl_surface *out);

// Six times the volume that triangles enclose; negative if they are seen from inside.
double shl_surface_volume6(const shl_surface *surface);

#endif
