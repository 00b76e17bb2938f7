// SPDX-License-Identifier: MIT
#include "runtime/steps/steps.h"
#include "runtime/steps/tables.h"

static shoal_status add_jobs(shoal_scene *s, const shl_job_desc *jobs, size_t count)
{
    shoal_status st = SHOAL_OK;
    for (size_t i = 0; i < count && st == SHOAL_OK; i++) {
        shl_job_desc job = jobs[i];
        job.ctx = s;
        st = shl_graph_add(&s->graph, &job);
    }
    return st;
}

// What a step does for those after it.
static shoal_status add_lessons(shoal_scene *s)
{
    const shl_job_desc jobs[] = {
        {.name = "learn",
         .run = shl_run_learn,
         .rows = &s->lesson_count,
         .grain = 8,
         .reads = BLOCKS | POSITIONS | TREES,
         .writes = PLAN | LESSONS},
        {.name = "rebuild",
         .run = shl_run_rebuild,
         .rows = &s->rebuild_count,
         .grain = 1,
         .reads = POSITIONS | TREES,
         .writes = REBUILT},
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

// The step, in the order a serial program would run it: from positions to boxes ...
static shoal_status add_update(shoal_scene *s)
{
    const shl_job_desc jobs[] = {
        {.name = "touch",
         .run = shl_run_touch,
         .rows = &s->touch_count,
         .grain = 1,
         .reads = PLAN | TREES,
         .writes = BLOCKS},
        {.name = "gather",
         .run = shl_run_gather,
         .rows = &s->gather_count,
         .grain = 1,
         .reads = PLAN | SOURCES | TREES,
         .writes = POSITIONS},
        {.name = "refit",
         .run = shl_run_refit,
         .rows = &s->refit_count,
         .grain = 1,
         .reads = PLAN | POSITIONS | TREES,
         .writes = BLOCKS | BOXES},
        {.name = "roots",
         .run = shl_run_roots,
         .rows = &s->body_count,
         .grain = 64,
         .reads = PLAN | POSITIONS | TREES,
         .writes = BLOCKS | BOXES},
        {.name = "boxes",
         .run = shl_run_boxes,
         .rows = &s->box_rows,
         .grain = 1024,
         .reads = BOXES,
         .writes = BROAD},
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

// ... from pairs of boxes to what chunks found; before it stand the jobs of the broad phase ...
static shoal_status add_search(shoal_scene *s)
{
    const shl_job_desc jobs[] = {
        {.name = "pairs", .run = shl_run_pairs, .reads = BROAD | BOXES, .writes = BODY_PAIRS},
        // rows are pointers because how many seeds there are is known only when "seed" is done
        {.name = "seed",
         .run = shl_run_seed,
         .reads = BODY_PAIRS | POSITIONS | BOXES | TREES,
         .writes = BLOCKS | SEEDS | FOUND},
        {.name = "walk",
         .run = shl_run_walk,
         .rows = &s->seed_count,
         .grain = SHL_SEED_GRAIN,
         .reads = SEEDS | POSITIONS | TREES,
         .writes = BLOCKS | BODY_PAIRS | FOUND},
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

// ... contacts of spheres ...
static shoal_status add_contacts(shoal_scene *s)
{
    const shl_job_desc jobs[] = {
        {.name = "contact_plan",
         .run = shl_run_contact_plan,
         .reads = BODY_PAIRS,
         .writes = CONTACTS},
        {.name = "contact_count",
         .run = shl_run_contact_count,
         .rows = &s->contact_rows,
         .grain = 8,
         .reads = BODY_PAIRS | POSITIONS | TREES,
         .writes = BLOCKS | CONTACTS},
        {.name = "contact_scan", .run = shl_run_contact_scan, .writes = CONTACTS},
        {.name = "contacts",
         .run = shl_run_contacts,
         .rows = &s->contact_rows,
         .grain = 8,
         .reads = BODY_PAIRS | POSITIONS | TREES,
         .writes = BLOCKS | CONTACTS},
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

// ... and results.
static shoal_status add_results(shoal_scene *s)
{
    const shl_job_desc jobs[] = {
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
         .reads = RESULTS | BOXES | CONTACTS,
         .writes = BODY_PAIRS | HASH},
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

shoal_status shl_step_build(shoal_scene *s)
{
    shl_graph_init(&s->graph, &s->allocator);
    s->graph.timing = true;
    s->graph.tables = shl_table_names;
    s->graph.list_tables = shl_list_tables;
    s->graph.list_ctx = s;
    s->graph.workers_max = s->workers_count;
    shoal_status st = add_update(s);
    if (st == SHOAL_OK)
        st = shl_broad_jobs(&s->broad, &s->graph, BROAD);
    if (st == SHOAL_OK)
        st = add_search(s);
    if (st == SHOAL_OK)
        st = add_contacts(s);
    if (st == SHOAL_OK)
        st = add_results(s);
    if (st == SHOAL_OK)
        st = add_lessons(s);
    return st == SHOAL_OK ? shl_graph_compile(&s->graph) : st;
}
