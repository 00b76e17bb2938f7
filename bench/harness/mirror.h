// SPDX-License-Identifier: MIT
// A scene that is simulated once, by a leader, and shown to other scenes, so that contenders
// see the same bodies in the same places however they search.
#ifndef BENCH_HARNESS_MIRROR_H
#define BENCH_HARNESS_MIRROR_H

#include "scenes/scene.h"

typedef struct bench_leader {
    shoal_context *context;
    shoal_scene *scene;
    shl_motion *motion;
    uint32_t queries; // of the motion
    uint32_t step;
    double *xyz; // scratch, grows
    size_t room;
} bench_leader;

// Errors: those of the library, MEMORY. Give it to bench_leader_finish() either way.
SHOAL_CHECK shoal_status bench_leader_start(shl_scene_id id, uint32_t threads,
                                            bench_leader *out);
SHOAL_CHECK shoal_status bench_leader_step(bench_leader *leader);
void bench_leader_finish(bench_leader *leader);

// Another scene with the leader's bodies.
typedef struct bench_mirror {
    shoal_scene *scene;
    shoal_body *bodies; // [count] by the leader's number
    const uint32_t **triangles;
    uint32_t *triangle_counts; // what each body was made of
    uint32_t count;
} bench_mirror;

SHOAL_CHECK shoal_status bench_mirror_start(bench_leader *leader, const shoal_scene_def *def,
                                            bench_mirror *out);
// Brings bodies to where the leader's are: they come, go and break with them.
SHOAL_CHECK shoal_status bench_mirror_follow(bench_mirror *mirror, bench_leader *leader);
void bench_mirror_finish(bench_mirror *mirror);

#endif
