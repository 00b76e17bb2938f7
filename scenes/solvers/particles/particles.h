// SPDX-License-Identifier: MIT
// Point masses: a table of all particles of a scene. What holds them together (clusters.h,
// links.h) or apart (repel.h) corrects where they go; how far they went gives their velocities
// (Mueller et al. 2007, position based dynamics).
#ifndef SHL_SCENES_SOLVERS_PARTICLES_PARTICLES_H
#define SHL_SCENES_SOLVERS_PARTICLES_PARTICLES_H

#include <shoal/base.h>

typedef struct shl_particles {
    uint32_t count, capacity;
    double *x;       // [3 * count] metres, when the step began
    double *p;       // [3 * count] where they are, or go to in the step
    double *v;       // [3 * count] metres a second
    double *mass;    // [count] kilograms
    double *inverse; // [count] 1 / mass; 0: the scene moves it and nothing else
} shl_particles;

// Adds `count` particles at rest with the given places, [count][3], all of the same `mass` if
// `masses` is NULL; mass 0: the scene moves them. `*first` is the first one's number.
// Errors: MEMORY; then the table is as before.
SHOAL_CHECK shoal_status shl_particles_add(shl_particles *particles, uint32_t count,
                                           const double *xyz, const double *masses, double mass,
                                           uint32_t *first);

void shl_particles_finish(shl_particles *particles);

// Begins a step: p is where particles fly to in `step` seconds, none faster than `fastest`.
void shl_particles_predict(shl_particles *particles, const double gravity[3], double step,
                           double fastest);

// Ends it: velocities from x to p, times `keep`.
void shl_particles_settle(shl_particles *particles, double step, double keep);

#endif
