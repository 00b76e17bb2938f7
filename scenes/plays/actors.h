// SPDX-License-Identifier: MIT
// Plays of reduced bodies that fall and flex: their contact spheres drive the dynamics. One
// kind falls; there may be a second one, of one body, that is fixed and sways.
#ifndef SHL_SCENES_PLAYS_ACTORS_H
#define SHL_SCENES_PLAYS_ACTORS_H

#include "scenes/plays/plays.h"
#include "scenes/solvers/modal/dynamics.h"

enum { SHL_CROWDS_MAX = 2 };

struct shl_actors_kind;

typedef struct shl_actors {
    const struct shl_actors_kind *kind;
    shoal_scene *scene;
    shoal_context *ctx;
    shoal_model *models[SHL_CROWDS_MAX]; // of those that fall, and of the fixed one
    shl_flex flex[SHL_CROWDS_MAX];
    shl_crowd crowds[SHL_CROWDS_MAX];
    shl_dynamics dynamics;
    uint32_t steps;  // of time, so far
    shoal_body *ids; // [count]
    double *state;   // of each kind [12 + modes][count] rotation, translation, q
    size_t state_count;
    double *motion; // [frames][fields] recorded, for `drive`
    uint32_t frames;
    // for viewers, of each kind [1 + modes][3][vertices]: the rest shape, then the modes
    float *columns[SHL_CROWDS_MAX];
} shl_actors;

// What a play sets.
typedef struct shl_actors_kind {
    // Adds the kinds of bodies, those that fall first.
    shoal_status (*add)(shl_actors *a, const shl_scene_params *params);
    void (*place)(shl_dynamics *d, const shl_scene_params *params);
    void (*rule)(shl_dynamics_def *def); // NULL: the default
    // Where the modes of the fixed body rest at a time; NULL: there is none.
    void (*drive)(const shl_actors *a, double time, double *target);
} shl_actors_kind;

// Bodies that fall, of one mesh.
typedef struct shl_modal_body_def {
    shoal_status (*mesh)(shl_surface *out);
    bool centred; // the mesh is; else its centre of mass is moved to the origin
    double mass;
    // [field_count][vertices][3]; NULL: rigid
    shoal_status (*fields)(const shl_surface *surface, const double *shares, float **out);
    uint32_t field_count;
    const double *hertz; // [field_count]
} shl_modal_body_def;

// Errors: those of the library, MEMORY.
SHOAL_CHECK shoal_status shl_actors_add(shl_actors *actors, const shl_modal_body_def *body,
                                        const shl_scene_params *params);

// Adds a fixed body from a file, which is emptied.
SHOAL_CHECK shoal_status shl_actors_add_file(shl_actors *actors, shoal_model_file *file,
                                             double mass, const double *hertz);

extern const shl_simulator shl_actors_simulator;

// Adds the bodies of a play of that simulator; as shl_simulator has it, as all that follow.
SHOAL_CHECK shoal_status shl_actors_create(const shl_play *play, const shl_scene_params *params,
                                           shoal_context *ctx, shoal_scene *scene, void **out);
void shl_actors_destroy(void *actors);

// Step 1 puts the bodies where they begin. Each later one moves them on by one step of time,
// with the contacts that the scene found in the step before.
SHOAL_CHECK shoal_status shl_actors_step(void *actors, uint32_t step);
size_t shl_actors_save(const void *actors, void *to);
SHOAL_CHECK shoal_status shl_actors_restore(void *actors, uint32_t step, const void *state,
                                            size_t size);

// What the last step handed over: kind by kind, a column of the bodies for each number of a
// state.
const void *shl_actors_state(const void *actors, size_t *bytes);

// States as shots, and what viewers make of them.
SHOAL_CHECK shoal_status shl_actors_shoot(void *actors, shl_shot *shot);
void shl_actors_develop(const void *actors, const shl_shot *shot, float *xyz);

#endif
