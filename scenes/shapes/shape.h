// SPDX-License-Identifier: MIT
// A shape that deforms: per-vertex constants, worked out once, and the positions they give at
// a time. Sines of sums are expanded, so a step costs no trigonometry per vertex.
#ifndef SHL_SCENES_SHAPES_SHAPE_H
#define SHL_SCENES_SHAPES_SHAPE_H

#include "scenes/shapes/mesh.h"

#include <shoal/positions.h>

// Where a body is and how far it has got.
typedef struct shl_pose {
    double centre[3];
    double rotation[9]; // row by row, orthonormal to rounding
    double time;        // of the deformation; bodies differ by a phase
} shl_pose;

// A surface and how it deforms, for bodies that share it.
typedef struct shl_deformation {
    // At rest, in the user's vertex order; give it to shl_surface_finish().  Errors: MEMORY,
    // ARGUMENT (k).
    shoal_status (*mesh)(uint32_t k, uint64_t seed, shl_surface *out);
    // Per-vertex constants. `order` NULL keeps the surface's vertex order; otherwise row i is
    // vertex order[i].  Errors: MEMORY.
    shoal_status (*create)(uint64_t seed, const shl_surface *rest, const uint32_t *order,
                           uint32_t bodies, void **shape);
    void (*destroy)(void *shape);
    // Packed positions of all vertices, computed in float64 and rounded once.
    void (*write)(const void *shape, uint32_t body, const shl_pose *pose, shoal_scalar scalar,
                  void *xyz);
    // NULL: it is a function of time. Moves a body's shape on by one step; steps count from 1.
    void (*stir)(void *shape, uint32_t body, uint32_t step);
    // What stirring changes, and how many bytes that is.
    size_t (*stirred)(void *shape, void **data);
} shl_deformation;

// Spheres with bumps that travel, and with seven long arms that wave besides.
extern const shl_deformation shl_bumpy, shl_arms;

static inline void shl_coordinate_write(shoal_scalar scalar, void *xyz, size_t index, double at)
{
    if (scalar == SHOAL_F64)
        ((double *)xyz)[index] = at;
    else
        ((float *)xyz)[index] = (float)at;
}

// Vertex i, given in the body's own frame.
static inline void shl_pose_write(const shl_pose *pose, const double p[3], size_t i,
                                  shoal_scalar scalar, void *xyz)
{
    const double *m = pose->rotation;
    for (size_t k = 0; k < 3; k++)
        shl_coordinate_write(scalar, xyz, 3 * i + k,
                             pose->centre[k] +
                                 (m[3 * k] * p[0] + m[3 * k + 1] * p[1] + m[3 * k + 2] * p[2]));
}

#endif
