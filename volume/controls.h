// SPDX-License-Identifier: MIT
// Control points in the volume of a closed mesh, and the weights that skin its surface to them.
//
// The points are a body-centred cubic lattice, shaken a little. A vertex sees its twelve
// nearest points, with weights (1 - r^2 / R^2)^3 over their sum, R the distance of the
// thirteenth: this is continuous over the surface, never negative, and every vertex sees as
// many. Points deep inside, which no vertex sees, are the core; a simulation wants them, the
// surface does not.
#ifndef SHL_VOLUME_CONTROLS_H
#define SHL_VOLUME_CONTROLS_H

#include "volume/voxels.h"

enum { SHL_CONTROLS_SEEN = 12 };

typedef struct shl_controls {
    uint32_t count;         // control points
    uint32_t core;          // more points, after those
    double *xyz;            // [count + core][3]
    double *volume;         // [count + core] of what is nearest to each
    double spacing;         // of the points, about
    uint32_t vertex_count;  //
    uint32_t *weight_begin; // [vertex_count + 1]
    uint32_t
        *weight_control; // [weight_begin[vertex_count]] below count, ascending for a vertex
    float *weight;       // [weight_begin[vertex_count]] above 0, in sum 1 up to rounding
} shl_controls;

// `wanted` control points, up to 3 in 100 more or fewer. Every bit follows from the
// arguments. Errors: as shl_voxels_create(), and FORMAT (no such number fits).
SHOAL_CHECK shoal_status shl_controls_create(const shoal_mesh *mesh, uint32_t wanted,
                                             uint64_t seed, shl_controls *out,
                                             shl_volume_error *error);
void shl_controls_finish(shl_controls *controls);

// The `most` of `count` points that are nearest to `at`, nearest first, of equals the lower
// number. Returns how many these are; `near` holds the last answer, which makes one for a
// point close by faster, or 0 and 1 and so on at first.
uint32_t shl_nearest_points(const double *xyz, uint32_t count, const double at[3],
                            uint32_t most, uint32_t *near, double *square);

#endif
