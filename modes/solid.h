// SPDX-License-Identifier: MIT
// Finite elements over cubes: who is who, stiffness and mass, and the lowest free modes.
#ifndef SHL_MODES_SOLID_H
#define SHL_MODES_SOLID_H

#include "volume/voxels.h"

#include <suitesparse/cholmod.h>

typedef struct shl_material {
    double young, poisson, density; // pascal, none, kilograms a cubic metre
} shl_material;

// Elastic cubes with a share of something in them are softer and lighter by that share.
typedef struct shl_solid {
    const shl_voxels *voxels;
    uint32_t *node;      // [(count[2] + 1)][(count[1] + 1)][(count[0] + 1)] 1 + it; 0: unused
    uint32_t node_count; //
    cholmod_sparse *stiffness; // of 3 node_count rows, upper half
    cholmod_sparse *mass;      // the same
    cholmod_common common;
} shl_solid;

// Errors: MEMORY.
SHOAL_CHECK shoal_status shl_solid_create(const shl_voxels *voxels,
                                          const shl_material *material, shl_solid *out);
void shl_solid_finish(shl_solid *solid);

// The number of a corner of the lattice of cubes.
static inline size_t shl_corner_at(const shl_voxels *v, uint32_t x, uint32_t y, uint32_t z)
{
    return ((size_t)z * (v->count[1] + 1) + y) * (v->count[0] + 1) + x;
}

// Modes without the six of rigid motion, lowest first.
typedef struct shl_modes {
    uint32_t count;
    double *shape;    // [count][node_count][3] with a mass of 1
    double *hertz;    // [count]
    double *residual; // [count] |K x - l M x| / |l M x|
    double rigid;     // the highest of the six frequencies that should be 0
    double cross;     // the largest |x M y| of two modes, rigid ones among them
    uint32_t solves;  // that it took
    double factor_s, solve_s;
} shl_modes;

// The `count` lowest modes. Errors: FORMAT (more than six rigid modes: parts hang by edges;
// `error` says so), LIMIT (not so many modes), MEMORY.
SHOAL_CHECK shoal_status shl_modes_find(shl_solid *solid, const shl_material *material,
                                        uint32_t count, shl_modes *out,
                                        shl_volume_error *error);
void shl_modes_finish(shl_modes *modes);

#endif
