// SPDX-License-Identifier: MIT
#include "runtime/steps/steps.h"
#include "runtime/steps/tables.h"

enum { JOBS_MAX = 10 };

static void declare(shoal_scene *s, const shl_job_desc jobs[JOBS_MAX])
{
    for (int i = 0; i < JOBS_MAX && jobs[i].name; i++) {
        shl_job_desc job = jobs[i];
        job.ctx = s;
        shl_graph_declare(&s->graph, &job);
    }
}

// Positions, how far they moved, and boxes.
static void declare_update(shoal_scene *s)
{
    const shl_job_desc jobs[JOBS_MAX] = {
        {.name = "touch",
         .run = shl_run_touch,
         .rows = &s->touch_count,
         .grain = 1,
         .reads = PLAN,
         .writes = BLOCKS},
        {.name = "gather",
         .run = shl_run_gather,
         .rows = &s->gather_count,
         .grain = 1,
         .reads = PLAN | SOURCES,
         .writes = POSITIONS},
        {.name = "drift",
         .run = shl_run_drift,
         .rows = &s->skin.motion_rows,
         .grain = 1,
         .reads = PLAN | POSITIONS | REFERENCE,
         .writes = MOVED},
        {.name = "judge", .run = shl_run_judge, .reads = PLAN, .writes = MOVED | BOXES},
        {.name = "mark",
         .run = shl_run_mark,
         .rows = &s->skin.mark_rows,
         .grain = 1,
         .reads = PLAN | POSITIONS | BOXES,
         .writes = REFERENCE},
        {.name = "refit",
         .run = shl_run_refit,
         .rows = &s->skin.refit_rows,
         .grain = 1,
         .reads = PLAN | POSITIONS,
         .writes = BLOCKS | BOXES},
        {.name = "roots",
         .run = shl_run_roots,
         .rows = &s->skin.root_rows,
         .grain = 64,
         .reads = PLAN | POSITIONS,
         .writes = BLOCKS | BOXES},
    };
    declare(s, jobs);
}

// Who is near whom, and who touches.
static void declare_search(shoal_scene *s)
{
    const shl_job_desc jobs[JOBS_MAX] = {
        {.name = "broad", .run = shl_run_broad, .reads = BOXES, .writes = BODY_PAIRS},
        // rows are pointers because how many seeds there are is known only when "seed" is done
        {.name = "seed",
         .run = shl_run_seed,
         .reads = BODY_PAIRS | POSITIONS | BOXES,
         .writes = BLOCKS | SEEDS | FOUND},
        {.name = "walk",
         .run = shl_run_walk,
         .rows = &s->seed_count,
         .grain = SHL_SEED_GRAIN,
         .reads = SEEDS | POSITIONS,
         .writes = BLOCKS | BODY_PAIRS | FOUND},
        {.name = "list", .run = shl_run_list, .writes = FOUND | NEAR},
        {.name = "keep",
         .run = shl_run_keep,
         .rows = &s->skin.chunk_count,
         .grain = 64,
         .reads = FOUND,
         .writes = NEAR},
        {.name = "near",
         .run = shl_run_near,
         .rows = &s->skin.near_count,
         .grain = SHL_NEAR_GRAIN,
         .reads = POSITIONS,
         .writes = BODY_PAIRS | FOUND | NEAR},
    };
    declare(s, jobs);
}

static void declare_results(shoal_scene *s)
{
    const shl_job_desc jobs[JOBS_MAX] = {
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
    declare(s, jobs);
}

// The step, in the order a serial program would run it.
shoal_status shl_step_build(shoal_scene *s)
{
    shl_graph_init(&s->graph, &s->allocator);
    s->graph.timing = true;
    s->graph.tables = shl_table_names;
    s->graph.list_tables = shl_list_tables;
    s->graph.list_ctx = s;
    s->graph.workers_max = s->workers_count;
    declare_update(s);
    declare_search(s);
    declare_results(s);
    return shl_graph_compile(&s->graph);
}
