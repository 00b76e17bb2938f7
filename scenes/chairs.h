// SPDX-License-Identifier: MIT
// Chairs that fall on a floor and on each other: reduced bodies whose contact spheres drive the
// dynamics.
#ifndef SHL_SCENES_CHAIRS_H
#define SHL_SCENES_CHAIRS_H

#include "scenes/dynamics.h"
#include "scenes/scene.h"

typedef struct shl_chairs shl_chairs;

typedef struct shl_chairs_def {
    uint32_t count;
    uint64_t seed;       // of places, turns and spins
    int32_t proxy_level; // of the contact spheres; negative: none, chairs only meet the floor
} shl_chairs_def;

// Adds chairs to `scene`, which must be empty and outlive them. Errors: those of the library.
SHOAL_CHECK shoal_status shl_chairs_create(const shl_chairs_def *def, shoal_context *ctx,
                                           shoal_scene *scene, shl_chairs **out);
void shl_chairs_destroy(shl_chairs *chairs);

// Step 1 puts the chairs where they begin. Each later one moves them on by one step of time,
// with the contacts that the scene found in the step before.
SHOAL_CHECK shoal_status shl_chairs_step(shl_chairs *chairs, uint32_t step);

// As shl_motion_save() and shl_motion_restore().
size_t shl_chairs_save(const shl_chairs *chairs, void *to);
SHOAL_CHECK shoal_status shl_chairs_restore(shl_chairs *chairs, uint32_t step,
                                            const void *state, size_t size);

// Since the beginning, in seconds.
double shl_chairs_time(const shl_chairs *chairs);

shoal_model *shl_chairs_model(const shl_chairs *chairs);
const shl_dynamics *shl_chairs_dynamics(const shl_chairs *chairs);

// What the last step handed over: a column of the bodies for each number of a state.
const double *shl_chairs_state(const shl_chairs *chairs, size_t *bytes);
shl_frame shl_chairs_frame(const shl_chairs *chairs, uint32_t body);

#endif
