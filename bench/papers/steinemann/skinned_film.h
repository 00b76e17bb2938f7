// SPDX-License-Identifier: MIT
// A scene of skinned bodies, run once: the maps of the control points in some steps, for all
// contenders the same.
//
// Contenders are shoal, at equal care the usual way (every vertex evaluated by the same kernel,
// every box refreshed bottom-up, the same trees and tests), and the usual way literally: scalar
// code, binary trees, one triangle a leaf.
#ifndef BENCH_PAPERS_STEINEMANN_SKINNED_FILM_H
#define BENCH_PAPERS_STEINEMANN_SKINNED_FILM_H

#include "bench/harness/compute_loop.h"
#include "bench/papers/larsson/literal/literal.h"
#include "scenes/plays/elastic_scene.h"

enum { SKINNED_THREADS = 2 }; // shoal also runs on as many

typedef struct bench_skinned {
    shl_elastic_scene *soft;
    shoal_context *ctx;
    shoal_scene *stage; // where the film was made
    uint32_t frame_count;
    size_t state_count; // doubles of a frame
    double *states;     // [frame_count][state_count]
    double touching;    // triangles in a pair, over all triangles, in the mean of the frames
    // contenders
    shoal_scene *skinned[SKINNED_THREADS]; // on 1 and on 2 threads
    shoal_body *skinned_ids[SKINNED_THREADS];
    bench_compute_loop loops[SKINNED_THREADS];
    shoal_scene *usual;
    shoal_body *usual_ids;
    double *maps;   // [nodes][12] of one body
    double *xyz;    // [bodies][vertices][3] tree order, with a spare
    uint32_t *rows; // [vertices] 0, 1, 2 ..
    literal_tree tree;
    literal_world literal;
    float *plain; // [bodies][vertices][3] the user's order
} bench_skinned;

// Runs the scene to step `from` and keeps `frames` steps from there on.
// Errors: those of the library, MEMORY.
SHOAL_CHECK shoal_status bench_skinned_create(const shl_play *play,
                                              const shl_scene_params *params, uint32_t from,
                                              uint32_t frames, bench_skinned *out);
void bench_skinned_finish(bench_skinned *c);

// What a step takes: making boxes ahead of the search, with all vertices where those are
// evaluated, and the rest.
typedef struct skinned_time {
    double refit_s, query_s;
} skinned_time;

// All contenders on one frame, in turns.
typedef struct skinned_times {
    skinned_time shoal, usual, literal;
    double both_s[SKINNED_THREADS]; // whole steps of shoal on 1 and 2 threads
    double loop_s[SKINNED_THREADS];
    bool same; // hashes of shoal on 1 and 2 threads, and of the usual way
    double opened, vertices, pairs, nodes_tested[2];
} skinned_times;

SHOAL_CHECK shoal_status bench_skinned_frame(bench_skinned *c, uint32_t frame, bool literally,
                                             skinned_times *out);

#endif
