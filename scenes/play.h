// SPDX-License-Identifier: MIT
// A scene as a table of functions over a state of its own: its bodies may be of several shapes
// and kinds, and may come and go. Row `play` in scenes/list.c names the table; scenes/motion.c
// asks it. A new scene is a file that fills one, and a row.
#ifndef SHL_SCENES_PLAY_H
#define SHL_SCENES_PLAY_H

#include "scenes/scene.h"

struct shl_play {
    // Adds bodies to `scene`, which is empty and outlives the state.  Errors: those of the
    // library, MEMORY; `*out` is NULL then.
    shoal_status (*create)(const shl_scene_params *params, shoal_context *ctx,
                           shoal_scene *scene, void **out);
    void (*destroy)(void *state); // removes the bodies; NULL is fine
    // As shl_motion_step().
    shoal_status (*step)(void *state, uint32_t step);

    // Bodies by the numbers that results use, as they are now.
    uint32_t (*body_count)(const void *state);
    // At rest, in the user's vertex order; held until the next step. NULL: no such body now.
    const shl_surface *(*surface)(const void *state, uint32_t body);
    // [vertices][3] in the world at the last step, in the user's order.
    void (*vertices)(const void *state, uint32_t body, double *xyz);
    // NULL: nothing to tell.
    bool (*look)(const void *state, shl_motion_report *out);
    // As shl_motion_save() and shl_motion_restore(). NULL: places are functions of the step's
    // number, so restoring is one step.
    size_t (*save)(const void *state, void *to);
    shoal_status (*restore)(void *state, uint32_t step, const void *from, size_t size);
};

#endif
