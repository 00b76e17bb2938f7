// SPDX-License-Identifier: MIT
// A built-in scene at work: what moves its bodies, and what its steps found.
#ifndef BENCH_HARNESS_RUNNER_H
#define BENCH_HARNESS_RUNNER_H

#include "scenes/scene.h"

#include <shoal/shoal.h>

typedef struct bench_runner {
    shoal_scene *scene;
    shl_motion *motion;
    uint64_t hash, pairs; // of all steps since it was opened
    double step_s;        // of the last step, as its caller sees it
} bench_runner;

// Errors: those of the library. Give it to bench_runner_close() either way.
SHOAL_CHECK shoal_status bench_runner_open(bench_runner *runner, shoal_context *ctx,
                                           const shoal_scene_def *def, shl_scene_id id,
                                           const shl_scene_params *params);
// What was found may be read afterwards.
void bench_runner_close(bench_runner *runner);

// Moves the bodies and runs a step. Steps count from 1.
SHOAL_CHECK shoal_status bench_runner_step(bench_runner *runner, uint32_t step,
                                           uint32_t queries);

// Adds a free body whose positions stay the caller's, in the order of the tree.
SHOAL_CHECK shoal_status bench_add_borrowed(shoal_scene *scene, shoal_model *model,
                                            shoal_positions positions, shoal_body *out);

#endif
