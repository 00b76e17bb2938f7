// SPDX-License-Identifier: MIT
// What `shoal run` sums up over its steps, and how it is printed.
#ifndef SHL_CLI_REPORT_RUN_REPORT_H
#define SHL_CLI_REPORT_RUN_REPORT_H

#include "cli/run/engine.h"
#include "cli/run/threads.h"
#include "cli/scene_file/dynamics_table.h"
#include "scenes/scene.h"

// Sum, largest and last of a number that each step gives.
typedef struct shl_series {
    uint64_t total, most, last;
} shl_series;

typedef struct shl_run_totals {
    uint32_t steps;
    double elapsed_s;                                              // all of it
    double deform_s;                                               // the simulator's share
    double shoal_s;                                                // the steps' wall time
    double rebuild_s;                                              // summed over workers
    double gather_s, refit_s, broad_s, traverse_s, leaf_s, sort_s; // summed over workers
    double contact_s, distance_s;                                  // summed over workers
    shl_series body_pairs, node_pairs, opened_nodes, candidates, exact_tests;
    shl_series pairs;      // between bodies; with --first body pairs that meet
    shl_series self_pairs; //
    shl_series contacts;   // of contact spheres
    double deepest;        // of all contacts
    shl_series distances;  // of triangles, computed
    double nearest[3];     // least, mean over bodies and steps, mean of the last step
    uint64_t nearest_rows; // behind the mean
    shl_series bad_bodies;
    uint64_t rebuilds; // trees built anew
    uint64_t gpu_jobs;
    double quality_worst;   // of a tree in any step
    double quality_last[2]; // worst and mean after the last step; 0: not known
    shl_series near_pairs;
    uint32_t reused_steps;     // that tested the list of an earlier one
    uint64_t late_allocations; // after the third step
    uint64_t bytes_most;
    uint64_t hash;
    uint32_t threads;
    double worker_s; // wall time of each step times the threads that worked on it
    uint32_t here;   // steps that this process did
} shl_run_totals;

// Adds what a step reports.
void shl_run_add(shl_run_totals *totals, const shoal_stats *stats, const shoal_scene *scene,
                 double deform_s);

// A finished run.
typedef struct shl_run_result {
    const char *name;
    shl_scene_id id;                   // of a built-in scene
    const struct shl_scene_file *file; // of one with bodies of its own; NULL: built in
    shl_scene_params params;
    uint32_t queries;
    uint32_t bodies;
    uint64_t triangles; // of all bodies
    uint32_t spheres;   // contact spheres of a body
    shl_engine *engine;
    shl_run_totals totals;
    shl_dynamics_table dynamics;
    shl_threads threads; // of this process
    const char *folder;  // where it was written to
    const struct shl_results *results;
} shl_run_result;

void shl_run_print(const shl_run_result *run);
json_t *shl_run_json(const shl_run_result *run);

// Parts of it.
json_t *shl_run_params_json(const shl_run_result *run);
json_t *shl_run_queries_json(uint32_t queries);

#endif
