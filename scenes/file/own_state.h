// SPDX-License-Identifier: MIT
// A running scene of the user's own: its bodies, and what moves them.
#ifndef SHL_SCENES_FILE_OWN_STATE_H
#define SHL_SCENES_FILE_OWN_STATE_H

#include "scenes/file/own.h"

typedef struct shl_own_body {
    uint32_t group, instance;
    shoal_body id;
    double at[3], rotation[9];
    double *numbers; // free: [vertices][3]; reduced: [fields]; skinned: [12][controls] A and t
} shl_own_body;

typedef struct shl_own {
    const shl_own_def *def;
    shoal_scene *scene;
    shoal_model **models; // [group_count]
    shl_own_body *bodies;
    uint32_t count;
    double *memory; // of all numbers
    bool handed_over;
    double time; // of the last step, seconds
    // of those that fall; all bodies have rows
    bool falls;
    shl_flex *flex; // [group_count]
    shl_dynamics dynamics;
} shl_own;

// A body as its group moves it, at a time in seconds.
void shl_own_move(const shl_own *own, shl_own_body *body, double time);

// Maps of a body's control points, and one of its vertices as the library has it.
void shl_own_skinned_write(const shl_own_group *group, shl_own_body *body, double wave_phase);
void shl_own_skinned_vertex(const shl_own_group *group, const shl_own_body *body,
                            uint32_t vertex, double out[3]);

// Dynamics for all bodies, once they have ids. Errors: MEMORY, ARGUMENT.
SHOAL_CHECK shoal_status shl_own_fall_begin(shl_own *own);
void shl_own_fall_finish(shl_own *own);

// Moves on those that fall by one step, with the contacts of the last one. The others are still
// where that found them, and will be where the number of the step says.
SHOAL_CHECK shoal_status shl_own_fall_step(shl_own *own, uint32_t number);

// Where they are now, into the bodies.
void shl_own_fall_show(shl_own *own);

#endif
