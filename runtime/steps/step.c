// SPDX-License-Identifier: MIT
#include "runtime/steps/steps.h"

// What jobs read and write; edges follow from it.
enum {
    SOURCES = 1 << 0,    // the user's arrays
    POSITIONS = 1 << 1,  // tree order
    BLOCKS = 1 << 2,     // boxes of nodes; those opened late are guarded by their stamps
    BOXES = 1 << 3,      // boxes of bodies
    BODY_PAIRS = 1 << 4, //
    SEEDS = 1 << 5,
    FOUND = 1 << 6, // what each chunk found
    RESULTS = 1 << 7,
    GROUPS = 1 << 8,
    HASH = 1 << 9,
};

// The step, in the order a serial program would run it.
shoal_status shl_step_build(shoal_scene *s)
{
    const shl_job_desc jobs[] = {
        {.name = "gather",
         .run = shl_run_gather,
         .rows = &s->gather_count,
         .grain = 1,
         .reads = SOURCES,
         .writes = POSITIONS},
        {.name = "refit",
         .run = shl_run_refit,
         .rows = &s->refit_count,
         .grain = 1,
         .reads = POSITIONS,
         .writes = BLOCKS},
        {.name = "roots",
         .run = shl_run_roots,
         .rows = &s->body_count,
         .grain = 64,
         .reads = POSITIONS,
         .writes = BLOCKS | BOXES},
        {.name = "broad", .run = shl_run_broad, .reads = BOXES, .writes = BODY_PAIRS},
        // rows are pointers because how many seeds there are is known only when "seed" is done
        {.name = "seed",
         .run = shl_run_seed,
         .reads = BODY_PAIRS | POSITIONS | BOXES,
         .writes = BLOCKS | SEEDS},
        {.name = "walk",
         .run = shl_run_walk,
         .rows = &s->seed_count,
         .grain = SHL_SEED_GRAIN,
         .reads = SEEDS | POSITIONS,
         .writes = BLOCKS | BODY_PAIRS | FOUND},
        {.name = "scan", .run = shl_run_scan, .writes = FOUND | RESULTS},
        {.name = "collect",
         .run = shl_run_collect,
         .rows = &s->found_count,
         .grain = 64,
         .reads = FOUND,
         .writes = RESULTS},
        {.name = "group", .run = shl_run_group, .reads = RESULTS, .writes = GROUPS},
        {.name = "sort",
         .run = shl_run_sort,
         .rows = &s->group_count,
         .grain = 1,
         .reads = GROUPS,
         .writes = RESULTS},
        {.name = "hash",
         .run = shl_run_hash,
         .reads = RESULTS | BOXES,
         .writes = BODY_PAIRS | HASH},
    };
    shl_graph_init(&s->graph, &s->allocator);
    s->graph.timing = true;
    s->graph.workers_max = s->workers_count;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        shl_job_desc job = jobs[i];
        job.ctx = s;
        shoal_status st = shl_graph_add(&s->graph, &job);
        if (st != SHOAL_OK)
            return st;
    }
    return shl_graph_compile(&s->graph);
}
