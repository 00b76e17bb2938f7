// SPDX-License-Identifier: MIT
#include "runtime/scene/steps.h"
#include "runtime/scene/tables.h"

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

// The step, in the order a serial program would run it: positions ...
static shoal_status add_positions(shoal_scene *s)
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
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

// ... how far they moved, if there is a skin ...
static shoal_status add_drift(shoal_scene *s)
{
    const shl_job_desc jobs[] = {
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
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

// ... boxes, in as many rows as "judge" leaves ...
static shoal_status add_boxes(shoal_scene *s)
{
    const shl_job_desc jobs[] = {
        {.name = "refit",
         .run = shl_run_refit,
         .rows = &s->skin.refit_rows,
         .grain = 1,
         .reads = PLAN | POSITIONS | TREES,
         .writes = BLOCKS | BOXES},
        {.name = "corner_prepare",
         .run = shl_run_corner_prepare,
         .rows = &s->merge_rows,
         .grain = 1,
         .reads = POSITIONS,
         .writes = BLOCKS | BOXES},
        {.name = "roots",
         .run = shl_run_roots,
         .rows = &s->skin.root_rows,
         .grain = 64,
         .reads = PLAN | POSITIONS | TREES,
         .writes = BLOCKS | BOXES},
        {.name = "bd_update",
         .run = shl_run_bd_update,
         .rows = &s->front_rows,
         .grain = 16,
         .reads = POSITIONS | BOXES,
         .writes = BLOCKS},
        {.name = "corner_refit",
         .run = shl_run_corner_refit,
         .rows = &s->corner_rows,
         .grain = 1,
         .reads = BOXES,
         .writes = BLOCKS},
        {.name = "corner_merge",
         .run = shl_run_corner_merge,
         .rows = &s->merge_rows,
         .grain = 4,
         .reads = BOXES,
         .writes = BLOCKS},
        {.name = "boxes",
         .run = shl_run_boxes,
         .rows = &s->box_rows,
         .grain = 1024,
         .reads = BOXES,
         .writes = BROAD},
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

// ... after the jobs of the broad phase, from pairs of boxes to what touches ...
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
         .rows = &s->bundle_count,
         .grain = 1,
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

// ... what is nearest: bounds first ...
static shoal_status add_distance(shoal_scene *s)
{
    shl_distance *d = &s->distance;
    shl_grid *g = &s->grid;
    const shl_job_desc jobs[] = {
        {.name = "distance_plan",
         .run = shl_run_distance_plan,
         .reads = BOXES | TREES,
         .writes = DISTANCE | NEAREST | GRID},
        {.name = "grid_near",
         .run = shl_run_grid_near,
         .rows = &g->near_rows,
         .grain = 1,
         .reads = BOXES | POSITIONS | TREES | DISTANCE,
         .writes = BLOCKS | GRID},
        {.name = "grid_tris",
         .run = shl_run_grid_tris,
         .rows = &g->tri_rows,
         .grain = SHL_GRID_NODES,
         .reads = BOXES | POSITIONS | TREES | BLOCKS | DISTANCE,
         .writes = GRID},
        // the GPU begins; what it does not need follows, and "grid_join" waits for it
        {.name = "grid_begin", .run = shl_run_grid_begin, .reads = DISTANCE | GRID},
        {.name = "distance_bounds",
         .run = shl_run_distance_bounds,
         .rows = &d->bound_rows,
         .grain = 1,
         .reads = BOXES | POSITIONS | TREES,
         .writes = BLOCKS | DISTANCE},
        {.name = "distance_recall",
         .run = shl_run_distance_recall,
         .rows = &d->recall_rows,
         .grain = 32,
         .reads = BOXES | POSITIONS | TREES,
         .writes = BLOCKS | DISTANCE},
        {.name = "grid_join", .run = shl_run_grid_join, .reads = DISTANCE, .writes = GRID},
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

// ... what the CPU does of them if no GPU has ...
static shoal_status add_grid(shoal_scene *s)
{
    shl_grid *g = &s->grid;
    const shl_job_desc jobs[] = {
        {.name = "grid_mark",
         .run = shl_run_grid_mark,
         .rows = &g->chunk_rows,
         .grain = 1,
         .writes = GRID},
        {.name = "grid_pair",
         .run = shl_run_grid_pair,
         .rows = &g->chunk_rows,
         .grain = 1,
         .writes = GRID},
        {.name = "grid_list", .run = shl_run_grid_list, .writes = GRID},
        {.name = "grid_measure",
         .run = shl_run_grid_measure,
         .rows = &g->brick_rows,
         .grain = 8,
         .writes = GRID},
        {.name = "grid_bounds",
         .run = shl_run_grid_bounds,
         .rows = &g->body_rows,
         .grain = 1,
         .reads = TREES,
         .writes = GRID | DISTANCE},
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

// ... then the search ...
static shoal_status add_nearest(shoal_scene *s)
{
    shl_distance *d = &s->distance;
    const shl_job_desc jobs[] = {
        {.name = "distance_pairs",
         .run = shl_run_distance_pairs,
         .reads = BOXES,
         .writes = DISTANCE},
        {.name = "distance_walk",
         .run = shl_run_distance_walk,
         .rows = &d->pair_count,
         .grain = 1,
         .reads = BOXES | POSITIONS | TREES | GRID,
         .writes = BLOCKS | DISTANCE},
        {.name = "distance_settle",
         .run = shl_run_distance_settle,
         .writes = DISTANCE | NEAREST},
        {.name = "distance_points",
         .run = shl_run_distance_points,
         .rows = &d->point_rows,
         .grain = 16,
         .reads = BOXES | DISTANCE | POSITIONS | TREES | BLOCKS,
         .writes = NEAREST},
        {.name = "distance_tris",
         .run = shl_run_distance_tris,
         .rows = &d->node_rows,
         .grain = 32,
         .reads = BOXES | POSITIONS | TREES | GRID,
         .writes = BLOCKS | DISTANCE | NEAREST},
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

// ... by the list of near triangles, if there is a skin ...
static shoal_status add_near(shoal_scene *s)
{
    const shl_job_desc jobs[] = {
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
         .reads = POSITIONS | TREES,
         .writes = BODY_PAIRS | FOUND | NEAR},
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
}

// ... and to results.
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
        {.name = "hash_pairs",
         .run = shl_run_hash_pairs,
         .rows = &s->sums[SHL_SUM_PAIRS].rows,
         .grain = 1,
         .writes = RESULTS},
        {.name = "hash_contacts",
         .run = shl_run_hash_contacts,
         .rows = &s->sums[SHL_SUM_CONTACTS].rows,
         .grain = 1,
         .writes = CONTACTS},
        {.name = "hash_nearest",
         .run = shl_run_hash_nearest,
         .rows = &s->sums[SHL_SUM_NEAREST].rows,
         .grain = 1,
         .writes = NEAREST},
        {.name = "hash",
         .run = shl_run_hash,
         .reads = RESULTS | BOXES | CONTACTS | NEAREST,
         .writes = BODY_PAIRS | HASH},
    };
    return add_jobs(s, jobs, sizeof jobs / sizeof *jobs);
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

static shoal_status add_broad(shoal_scene *s)
{
    return shl_broad_jobs(&s->broad, &s->graph, BROAD);
}

shoal_status shl_step_build(shoal_scene *s)
{
    shl_graph_init(&s->graph, &s->allocator);
    s->graph.timing = true;
    s->graph.tables = shl_table_names;
    s->graph.list_tables = shl_list_tables;
    s->graph.list_ctx = s;
    s->graph.workers_max = s->workers_count;
    shoal_status (*const parts[])(shoal_scene *) = {
        add_positions, add_drift,    add_boxes, add_broad,   add_search,  add_near,
        add_contacts,  add_distance, add_grid,  add_nearest, add_results, add_lessons,
    };
    shoal_status st = SHOAL_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && st == SHOAL_OK; i++)
        st = parts[i](s);
    return st == SHOAL_OK ? shl_graph_compile(&s->graph) : st;
}
