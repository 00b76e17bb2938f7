// SPDX-License-Identifier: MIT
// Folded plates as reduced bodies, in a box: each swings about its place in a lattice, spins,
// and bends in all its modes.
#ifndef SHL_SCENES_PLAYS_BEAMS_H
#define SHL_SCENES_PLAYS_BEAMS_H

#include "scenes/scene.h"

#include <shoal/reduced.h>

typedef struct shl_beams shl_beams;

typedef struct shl_beams_def {
    uint32_t along, across; // squares of a plate
    uint32_t fields;        //
    uint32_t bodies;        //
    double spacing;         // of the lattice; a plate is about 0.6 long
    double amplitude;       // of each q, falling with its order
    uint64_t seed;
    shoal_bounds bounds;
    uint32_t spheres; // 1 + level of the contact spheres; 0: none
} shl_beams_def;

// Adds the bodies to `scene`, which must outlive the beams.  Errors: those of the library.
SHOAL_CHECK shoal_status shl_beams_create(const shl_beams_def *def, shoal_context *ctx,
                                          shoal_scene *scene, shl_beams **out);

// Moves all bodies to their places at `step`; steps may come in any order.
SHOAL_CHECK shoal_status shl_beams_step(shl_beams *beams, uint32_t step);
void shl_beams_destroy(shl_beams *beams);

shoal_model *shl_beams_model(const shl_beams *beams);

// What the last step handed over: a column of the bodies for each number of a state.
const double *shl_beams_state(const shl_beams *beams, size_t *bytes);

// A vertex in the world at the last step.
void shl_beams_vertex(const shl_beams *beams, uint32_t body, uint32_t vertex, double out[3]);

#endif
