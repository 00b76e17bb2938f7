// SPDX-License-Identifier: MIT
// Bodies that fall and flex, as a scene: reduced bodies whose contact spheres drive the
// dynamics. One kind falls; there may be a second one, of one body, that is fixed and sways.
#ifndef SHL_SCENES_PLAYS_ACTORS_H
#define SHL_SCENES_PLAYS_ACTORS_H

#include "scenes/models/cache.h"
#include "scenes/scene.h"
#include "scenes/solvers/modal/dynamics.h"

typedef struct shl_actors shl_actors;

// Flexible chairs that fall on a floor and on each other.
typedef struct shl_chairs_def {
    uint32_t count;
    uint64_t seed;        // of places, turns and spins
    int32_t sphere_level; // of the contact spheres; negative: none, chairs only meet the floor
    double spacing;       // of the lattice in which they begin; 0: they do not touch at first
} shl_chairs_def;

// Adds chairs to `scene`, which must be empty and outlive them. Errors: those of the library.
SHOAL_CHECK shoal_status shl_chairs_create(const shl_chairs_def *def, shoal_context *ctx,
                                           shoal_scene *scene, shl_actors **out);

// Fish that fall on a bridge that sways; those that miss it or slide off lie on the floor.
typedef struct shl_fish_bridge_def {
    uint32_t fish, bays; // bays: 1 to SHL_BRIDGE_BAYS_MAX
    uint64_t seed;
    int32_t sphere_level; // of the fish; the bridge is met by its triangles
    shl_say_fn *say;
} shl_fish_bridge_def;

SHOAL_CHECK shoal_status shl_fish_bridge_create(const shl_fish_bridge_def *def,
                                                shoal_context *ctx, shoal_scene *scene,
                                                shl_actors **out);

// Balls that are thrown, one after the other, at a curtain in the wind.
typedef struct shl_curtain_def {
    uint32_t balls;
    uint64_t seed;
    int32_t sphere_level; // of the balls; the curtain is met by its triangles
    shl_say_fn *say;
} shl_curtain_def;

SHOAL_CHECK shoal_status shl_curtain_create(const shl_curtain_def *def, shoal_context *ctx,
                                            shoal_scene *scene, shl_actors **out);

extern const shl_play shl_fish_bridge_play, shl_curtain_play;

void shl_actors_destroy(shl_actors *actors);

// Step 1 puts the bodies where they begin. Each later one moves them on by one step of time,
// with the contacts that the scene found in the step before.
SHOAL_CHECK shoal_status shl_actors_step(shl_actors *actors, uint32_t step);

// As shl_motion_save(), shl_motion_restore() and shl_motion_look().
size_t shl_actors_save(const shl_actors *actors, void *to);
SHOAL_CHECK shoal_status shl_actors_restore(shl_actors *actors, uint32_t step,
                                            const void *state, size_t size);
void shl_actors_look(const shl_actors *actors, shl_motion_report *out);

// Since the beginning, in seconds.
double shl_actors_time(const shl_actors *actors);

// Of those that fall, or of the fixed one; NULL: there is none.
shoal_model *shl_actors_model(const shl_actors *actors, bool fixed);

const shl_dynamics *shl_actors_dynamics(const shl_actors *actors);
const shl_surface *shl_actors_surface(const shl_actors *actors, uint32_t body);

// What the last step handed over: kind by kind, a column of the bodies for each number of a
// state.
const double *shl_actors_state(const shl_actors *actors, size_t *bytes);
shl_frame shl_actors_frame(const shl_actors *actors, uint32_t body);

#endif
