// SPDX-License-Identifier: MIT
// Links: pairs of particles that want to stay as far apart as at rest, more or less stiffly
// (Macklin, Mueller & Chentanez 2016, extended position based dynamics).
#ifndef SHL_SCENES_SOLVERS_PARTICLES_LINKS_H
#define SHL_SCENES_SOLVERS_PARTICLES_LINKS_H

#include "scenes/solvers/particles/particles.h"

typedef struct shl_link {
    uint32_t a, b;
    double rest;       // metres
    double compliance; // metres a newton; 0: rigid
    double force;      // multiplier of the step so far, newton seconds squared
} shl_link;

typedef struct shl_links {
    uint32_t count, capacity;
    shl_link *list;
} shl_links;

// A link between particles as they stand now. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_links_add(shl_links *links, const shl_particles *particles,
                                       uint32_t a, uint32_t b, double compliance);

// Links along all edges of triangles over particles, and between the corners that face each
// other across an edge, which resist bending. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_links_cloth(shl_links *links, const shl_particles *particles,
                                         const uint32_t *triangles, uint32_t triangle_count,
                                         double stretch, double bend);

void shl_links_finish(shl_links *links);

// Forgets forces: a step begins.
void shl_links_begin(shl_links *links);

// One pass over all links in their order, in a step of `step` seconds.
void shl_links_solve(shl_links *links, shl_particles *particles, double step);

#endif
