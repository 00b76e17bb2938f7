// SPDX-License-Identifier: MIT
// A shape that deforms: per-vertex constants, worked out once, and the positions they give at
// a time. Sines of sums are expanded, so a step costs no trigonometry per vertex.
#ifndef SHL_SCENES_SHAPES_SHAPE_H
#define SHL_SCENES_SHAPES_SHAPE_H

#include "scenes/shapes/mesh.h"

#include <shoal/positions.h>

enum { SHL_ARMS = 7 };

// Columns in the order in which positions are written.
typedef struct shl_shape {
    uint32_t count;
    double *memory;            // holds all columns
    double *x, *y, *z;         // [count] direction from the centre, unit length
    double *sin_phi, *cos_phi; // [count] of 7 phi, phi the longitude
    double *sin_z, *cos_z;     // [count] of 9 z
    double *base;              // [count] radius that stays: 1 + 0.03 noise + height of the arm
    double *bend;              // [count] share of an arm's swing, 0 at its foot, 1 at its tip
    uint8_t *arm;              // [count] the nearest arm; NULL: a shape without arms
} shl_shape;

// Where a body is and how far it has got.
typedef struct shl_pose {
    double centre[3];
    double rotation[9]; // row by row, orthonormal to rounding
    double time;        // of the deformation; bodies differ by a phase
} shl_pose;

// `order` NULL keeps the surface's vertex order; otherwise row i is vertex order[i].
// Errors: MEMORY.
SHOAL_CHECK shoal_status shl_shape_create(const shl_surface *sphere, const uint32_t *order,
                                          bool arms, uint64_t seed, shl_shape *out);

void shl_shape_finish(shl_shape *shape);

// Writes count packed positions, computed in float64 and rounded once.
void shl_shape_write(const shl_shape *shape, const shl_pose *pose, shoal_scalar scalar,
                     void *xyz);

#endif
