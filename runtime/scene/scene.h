// SPDX-License-Identifier: MIT
// A scene is its bodies, its modules, and what runs their jobs.
#ifndef SHL_RUNTIME_SCENE_SCENE_H
#define SHL_RUNTIME_SCENE_SCENE_H

#include "runtime/jobs/pace.h"
#include "runtime/kinds/kind.h"
#include "runtime/queries/query.h"
#include "runtime/scene/pairs.h"

// What runs the jobs of a step.
typedef struct shl_runner {
    shl_graph graph;
    shl_pace pace;
    shl_binder binder;
    bool refusal_told; // that fewer threads than asked for could be started
    bool stepping;     // on threads of the host: begun, not ended
    const char *table_names[64];
} shl_runner;

// One step: what was asked for, and what came of it beside the queries' lists. It has two jobs:
// "demand", which asks all modules, and "hash".
typedef struct shl_step {
    const shl_ports *ports;
    void *const *query_selves;
    struct shl_pairs *pairs;
    uint32_t queries;
    bool counted;                                // all rows of all lists were
    bool boxes;                                  // were needed
    uint64_t begin_ns, jobs_ns, end_ns, over_ns; // when it began, its jobs did, ended, it ended
    uint64_t allocations;                        // the context's when the step began
    shl_array bad;                               // uint32_t
    size_t bad_count;
    uint64_t hash;
} shl_step;

// Of the last step, for users.
typedef struct shl_stats {
    shoal_stats counts;
    shoal_phase_time phases[SHOAL_PHASE_REBUILD + 1];
} shl_stats;

struct shoal_scene {
    shoal_context *ctx;
    shoal_allocator allocator; // of all its tables: the context's, in whole pages for the guard
    shoal_scene_def def;
    shl_ports ports;
    shl_bodies bodies;
    shl_pairs pairs;
    void **kinds;   // [shl_kind_count] their selves
    void **queries; // [shl_query_count]
    shl_runner runner;
    shl_step step;
    shl_stats stats;
    uint64_t max_rows[32]; // by a query's bit
};

// Builds the graph once; every step runs it.
SHOAL_CHECK shoal_status shl_scene_build(shoal_scene *scene);

// The body in a slot goes.
void shl_scene_drop(shoal_scene *scene, uint32_t slot);

// After the jobs of a good step: whether all lists are within their bounds; if not, one line
// says which are not, and how long they are.
bool shl_scene_in_bounds(const shoal_scene *scene);

// Seconds that the jobs of a phase took, all workers together.
double shl_phase_seconds(const shl_graph *graph, shl_phase phase);

// What users are told of a step. No step reads it.
void shl_stats_begin(shoal_scene *scene);
void shl_stats_end(shoal_scene *scene, uint32_t workers);

// The same allocator, but in whole pages that hold nothing else. `from` must outlive it.
shoal_allocator shl_allocator_pages(const shoal_allocator *from);

#endif
