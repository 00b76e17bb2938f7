// SPDX-License-Identifier: MIT
// What keeps bodies apart: for each triangle that a step of shoal found near another one, the
// two nearest points are kept at a distance, with friction.
#ifndef SHL_SCENES_SOLVERS_PARTICLES_REPEL_H
#define SHL_SCENES_SOLVERS_PARTICLES_REPEL_H

#include "scenes/solvers/particles/stage.h"

typedef struct shl_repel_def {
    double gap;      // metres that bodies keep from each other
    double self_gap; // and that a body keeps from itself
    double reach;    // pairs farther apart are left out
    double friction; // Coulomb's
    double creep;    // metres a step by which bodies that are too near part
} shl_repel_def;

// Point a, on a triangle of particles, and point b keep `gap` along `normal`, which goes from b
// to a.
typedef struct shl_repulsion {
    uint32_t a[3], b[3];
    double share_a[3], share_b[3]; // of the corners in the points
    double normal[3];
    double gap;
} shl_repulsion;

typedef struct shl_repels {
    uint32_t count, capacity;
    shl_repulsion *list;
} shl_repels;

void shl_repels_finish(shl_repels *repels);

// Adds those of the rows that are near enough and can move. Rows are nearest_triangles or
// nearest_self of the step for which particles are where they are now. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_repels_read(shl_repels *repels, const shl_repel_def *def,
                                         const shl_stage *stage, const shl_particles *particles,
                                         const shoal_nearest *rows, size_t count);

// One pass over all in their order.
void shl_repels_solve(const shl_repels *repels, shl_particles *particles, double friction);

#endif
