// SPDX-License-Identifier: MIT
// How scenes make their actors: kind by kind, then places, then the first step.
#ifndef SHL_SCENES_PLAYS_CAST_H
#define SHL_SCENES_PLAYS_CAST_H

#include "scenes/plays/actors.h"

enum { SHL_CROWDS_MAX = 2 };

// Tells where the modes of the fixed body rest at a time.
typedef void shl_drive_fn(const shl_actors *actors, double time, double *target);

struct shl_actors {
    shoal_scene *scene;
    shoal_context *ctx;
    shoal_model *models[SHL_CROWDS_MAX];
    shl_flex flex[SHL_CROWDS_MAX];
    shl_crowd crowds[SHL_CROWDS_MAX];
    shl_dynamics dynamics;
    uint32_t steps;  // of time, so far
    shoal_body *ids; // [count]
    double *state;   // of each kind [12 + modes][count] rotation, translation, q
    size_t state_count;
    shl_drive_fn *drive; // NULL: nothing is driven
    double *motion;      // [frames][fields] recorded, for `drive`
    uint32_t frames;
};

// A kind of bodies.
typedef struct shl_part {
    uint32_t count;
    double mass;
    const float *fields; // [field_count][vertices][3]
    const double *hertz; // [field_count]
    uint32_t field_count;
    int32_t sphere_level; // negative: no contact spheres
    bool fixed;
} shl_part;

// NULL: no memory.
shl_actors *shl_actors_new(shoal_context *ctx, shoal_scene *scene);

// Adds a kind, those that fall first. Takes `surface`, also on failure; `shares` are those of
// its vertices in the mass (shl_vertex_shares). Errors: those of the library.
SHOAL_CHECK shoal_status shl_actors_add(shl_actors *actors, shl_surface *surface,
                                        const double *shares, const shl_part *part);

// The same for a fixed one from a file, which is emptied.
SHOAL_CHECK shoal_status shl_actors_add_file(shl_actors *actors, shoal_model_file *file,
                                             double mass, const double *hertz);

// Once all kinds are there: bodies without places.
SHOAL_CHECK shoal_status shl_actors_begin(shl_actors *actors, const shl_dynamics_def *def);

#endif
