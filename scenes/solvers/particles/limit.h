// SPDX-License-Identifier: MIT
// The strain limit of a body, as stops for the edges that are about to pass it: no force while
// there is room, and no faster than it lasts for a step.
#ifndef SHL_SCENES_SOLVERS_PARTICLES_LIMIT_H
#define SHL_SCENES_SOLVERS_PARTICLES_LIMIT_H

#include "scenes/solvers/modal/dynamics.h"

typedef struct shl_limit {
    uint32_t body, edge; // a row of the kind's strains
    double sign;         // of the strain
    double most;         // how fast the edge may stretch
    double share;        // impulse for a unit of speed
    double impulse;      // so far
} shl_limit;

// Adds stops for a body to the step. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_limits_find(shl_dynamics *d, uint32_t body);

// Brings the impulse of a stop nearer to what it takes.
void shl_limit_solve(shl_dynamics *d, shl_limit *limit);

#endif
