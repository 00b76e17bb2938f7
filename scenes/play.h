// SPDX-License-Identifier: MIT
// A scene is a `shl_play`: what it is called and takes, and the table of functions that runs it
// over a state of its own. Bodies may be of several shapes and kinds, and may come and go. A
// new scene is a file in scenes/plays that fills a play, and a line in scenes/list.c.
#ifndef SHL_SCENES_PLAY_H
#define SHL_SCENES_PLAY_H

#include "scenes/scene.h"

// What `-s` can set, in the order of lists.
enum {
    SHL_TAKES_K = 1 << 0,
    SHL_TAKES_STEPS = 1 << 1,
    SHL_TAKES_SEED = 1 << 2,
    SHL_TAKES_PRECISION = 1 << 3,
    SHL_TAKES_ORDER = 1 << 4,
    SHL_TAKES_HOLD = 1 << 5,
    SHL_TAKES_BUILDER = 1 << 6,
    SHL_TAKES_ARITY = 1 << 7,
    SHL_TAKES_BODIES = 1 << 8,
    SHL_TAKES_COUNT = 1 << 9, // of bodies, where they are called so
    SHL_TAKES_BAYS = 1 << 10,
    SHL_TAKES_SPHERES = 1 << 11,
    SHL_TAKES_VERTICES = 1 << 12,
    SHL_TAKES_CONTROLS = 1 << 13,
    SHL_TAKES_CONTACT = 1 << 14,
    SHL_TAKES_BENDING = 1 << 15,
    // how positions of free bodies are handed over, and the trees over them
    SHL_TAKES_POSITIONS = SHL_TAKES_PRECISION | SHL_TAKES_ORDER | SHL_TAKES_HOLD |
                          SHL_TAKES_BUILDER | SHL_TAKES_ARITY,
};

// Runs a kind of scene.
typedef struct shl_simulator {
    // Adds the bodies of a play to `scene`, which is empty and outlives the state.  Errors:
    // those of the library, MEMORY; `*out` is NULL then.
    shoal_status (*create)(const shl_play *play, const shl_scene_params *params,
                           shoal_context *ctx, shoal_scene *scene, void **out);
    void (*destroy)(void *state); // removes the bodies; NULL is fine
    // As shl_motion_step().
    shoal_status (*step)(void *state, uint32_t step);

    // Bodies by the numbers that results use, as they are now.
    uint32_t (*body_count)(const void *state);
    // At rest, in the user's vertex order; held until the next step. NULL: no such body now.
    const shl_surface *(*surface)(const void *state, uint32_t body);
    // [vertices][3] in the world at the last step, in the user's order.
    void (*vertices)(const void *state, uint32_t body, double *xyz);

    // All that follow may be NULL.
    bool (*measure)(const void *state, shl_motion_report *out);
    // NULL: places are functions of the step's number, so restoring is one step.
    size_t (*save)(const void *state, void *to);
    shoal_status (*restore)(void *state, uint32_t step, const void *from, size_t size);
    // As shl_motion_model(), shl_motion_positions() and shl_motion_frame().
    shoal_model *(*model)(const void *state);
    const void *(*positions)(const void *state, size_t *bytes);
    shl_frame (*frame)(const void *state, uint32_t body);
    // Both or none, as shl_motion_shoot() and shl_motion_develop(): where a state is smaller
    // than the vertices that it stands for.
    shoal_status (*shoot)(void *state, shl_shot *shot);
    void (*develop)(const void *state, const shl_shot *shot, float *xyz);
} shl_simulator;

struct shl_play {
    const char *name, *summary;
    const shl_simulator *simulator;
    const void *kind; // the simulator's own, of this play
    shl_scene_params defaults;
    uint32_t takes;   // SHL_TAKES_ of the parameters that it has
    uint32_t queries; // 0: pairs
    bool reduced;     // no positions are handed over, and the tree is the default one
    bool floor;       // at height 0
};

// A motion over a state, which it takes, also on failure.  Errors: MEMORY.
SHOAL_CHECK shoal_status shl_motion_of(const shl_simulator *simulator, void *state,
                                       shl_motion **out);

#endif
