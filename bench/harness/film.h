// SPDX-License-Identifier: MIT
// A scene that was run once: the positions of every step, for all contenders the same, and what
// they must find.
#ifndef BENCH_HARNESS_FILM_H
#define BENCH_HARNESS_FILM_H

#include "bench/papers/larsson/literal/literal.h"

#include <shoal/shoal.h>

// What a step found, whatever the order.
typedef struct bench_tally {
    uint64_t count, sum; // sum: of a hash of each pair
} bench_tally;

bench_tally bench_tally_pairs(const shoal_pair *pairs, size_t count);
// Of first contacts only the bodies count; any witness will do.
bench_tally bench_tally_hits(const shoal_pair *hits, size_t count);

typedef struct bench_film {
    shl_scene_id id;
    shl_surface rest;
    shoal_context *context;
    shoal_model *model;
    literal_tree binary, eight; // initial-shape trees
    uint32_t bodies, frame_count;
    uint32_t *steps;           // [frame_count] of the scene
    float *xyz;                // [frame_count][bodies][vertices][3] in the user's order
    shl_frame *frames;         // [frame_count][bodies]
    bench_tally *pairs, *hits; // [frame_count] found by shoal
} bench_film;

// Runs `steps` steps and keeps every `stride`-th, beginning with the first.
// Errors: those of the library, MEMORY.
SHOAL_CHECK shoal_status bench_film_create(shl_scene_id id, const shl_scene_params *params,
                                           uint32_t stride, bench_film *out);
void bench_film_finish(bench_film *film);

static inline size_t bench_film_floats(const bench_film *film)
{
    return 3 * (size_t)film->bodies * film->rest.vertex_count;
}

#endif
