// SPDX-License-Identifier: MIT
// Plays of free bodies that share a surface which deforms by formula: each turns about an axis
// of its own, and its centre goes where the play says.
#ifndef SHL_SCENES_PLAYS_DEFORMING_H
#define SHL_SCENES_PLAYS_DEFORMING_H

#include "scenes/plays/plays.h"
#include "scenes/shapes/shape.h"

// How one body moves; lengths in radii, times in steps.
typedef struct shl_course {
    double centre[3], velocity[3];
    double rotation[9];   // at step 0
    double axis[3], spin; // radians a step about a unit axis
    double phase;         // added to the time of the deformation
} shl_course;

struct shl_deforming_kind;

typedef struct shl_deforming {
    const struct shl_deforming_kind *kind;
    shl_scene_params params;
    shoal_scene *scene;
    shoal_model *model;
    void *shape; // of kind->deformation
    shl_surface rest;
    double time;         // of turns and deformation at the last step
    shl_course *courses; // [bodies]
    shoal_body *ids;     // [bodies]
    uint32_t *met;    // [2][bodies] scratch: bodies that one body met; whether it is in there
    void *xyz;        // [bodies][vertices][3] what shoal reads
    bool handed_over; // shoal knows of it
} shl_deforming;

// What a play sets.
typedef struct shl_deforming_kind {
    const shl_deformation *deformation;
    void (*place)(shl_deforming *d);               // courses at step 0, which are all zero
    void (*move)(shl_deforming *d, uint32_t step); // NULL: centres stay
    double (*time)(uint32_t step);                 // NULL: its number
} shl_deforming_kind;

extern const shl_simulator shl_deforming_simulator;

// The surface of a play's bodies, in the user's vertex order. Give it to shl_surface_finish().
// Errors: MEMORY, ARGUMENT (k).
SHOAL_CHECK shoal_status shl_deforming_surface(const shl_play *play,
                                               const shl_scene_params *params,
                                               shl_surface *out);

// Their model: that surface, and the tree that the parameters ask for.  Errors: those of the
// library, MEMORY.
SHOAL_CHECK shoal_status shl_deforming_model(const shl_play *play,
                                             const shl_scene_params *params,
                                             const shl_surface *rest, shoal_context *ctx,
                                             shoal_model **out);

#endif
