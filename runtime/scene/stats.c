// SPDX-License-Identifier: MIT
// What users are told of a step: where its time went, and what it counted.
#include "layouts/float_env.h"
#include "layouts/versioned.h"
#include "runtime/scene/scene.h"

// What users call the phases of jobs. Triangle tests are a part of TRAVERSE that has a clock of
// its own.
static const shoal_phase phase_of[SHL_PHASES] = {
    [SHL_PHASE_OTHER] = SHOAL_PHASE_OTHER,     [SHL_PHASE_GATHER] = SHOAL_PHASE_GATHER,
    [SHL_PHASE_REFIT] = SHOAL_PHASE_REFIT,     [SHL_PHASE_BROAD] = SHOAL_PHASE_BROAD,
    [SHL_PHASE_REBUILD] = SHOAL_PHASE_REBUILD, [SHL_PHASE_DISTANCE] = SHOAL_PHASE_DISTANCE,
    [SHL_PHASE_BOUNDS] = SHOAL_PHASE_GRID,     [SHL_PHASE_SPHERES] = SHOAL_PHASE_CONTACT,
    [SHL_PHASE_SEARCH] = SHOAL_PHASE_TRAVERSE, [SHL_PHASE_LISTS] = SHOAL_PHASE_TRAVERSE,
    [SHL_PHASE_SORT] = SHOAL_PHASE_SORT,
};

enum { PHASES = sizeof((shl_stats *)NULL)->phases / sizeof(shoal_phase_time) };
static const char *const names[PHASES] = {"other",    "gather", "refit",   "broad",
                                          "traverse", "leaf",   "contact", "grid",
                                          "distance", "sort",   "rebuild"};

double shl_phase_seconds(const shl_graph *g, shl_phase phase)
{
    const shl_job_desc *jobs = shl_graph_jobs(g);
    const shl_job_time *times = shl_graph_times(g);
    double seconds = 0;
    for (uint32_t i = 0; times && i < g->job_count; i++)
        seconds += jobs[i].phase == phase ? 1e-9 * (double)times[i].busy_ns : 0;
    return seconds;
}

static double leaf_seconds(const shoal_scene *s, const uint32_t *worker)
{
    uint64_t ns = 0;
    for (uint32_t i = 0; i < s->ports.workers; i++)
        ns += !worker || i == *worker ? s->ports.scratch[i].count.leaf_ns : 0;
    return 1e-9 * (double)ns;
}

// Seconds by phase, of one worker or of all, with one look at each job.
static void sum_phases(const shoal_scene *s, const uint32_t *worker, double out[PHASES])
{
    const shl_graph *g = &s->runner.graph;
    const shl_job_desc *jobs = shl_graph_jobs(g);
    const shl_job_time *times = shl_graph_times(g);
    const double leaf = leaf_seconds(s, worker);
    for (int i = 0; i < PHASES; i++)
        out[i] = i == SHOAL_PHASE_LEAF ? leaf : i == SHOAL_PHASE_TRAVERSE ? -leaf : 0;
    for (uint32_t i = 0; times && i < g->job_count; i++)
        out[phase_of[jobs[i].phase]] +=
            1e-9 * (double)(worker ? shl_graph_worker_ns(g, *worker, i) : times[i].busy_ns);
}

void shl_stats_begin(shoal_scene *s)
{
    s->stats = (shl_stats){0};
    for (int i = 0; i < PHASES; i++)
        s->stats.phases[i] = (shoal_phase_time){names[i], (shoal_phase)i, 0};
}

static void add_counters(const shoal_scene *s, shoal_stats *t)
{
    for (uint32_t i = 0; i < s->ports.workers; i++) {
        const shl_counters *c = &s->ports.scratch[i].count;
        t->node_pairs += c->node_pairs;
        t->opened_nodes += c->opened_nodes;
        t->evaluated_vertices += c->evaluated_vertices;
        t->candidates += c->candidates;
        t->exact_tests += c->exact_tests;
        t->distances += c->distances;
    }
}

void shl_stats_end(shoal_scene *s, uint32_t workers)
{
    shoal_stats *t = &s->stats.counts;
    t->bodies = s->bodies.used;
    t->body_pairs = s->pairs.out.count;
    t->fat_used = atomic_load(&s->pairs.fat_used);
    t->fat_left = atomic_load(&s->pairs.fat_left);
    add_counters(s, t);
    for (uint32_t i = 0; i < shl_kind_count; i++) {
        if (shl_kinds[i]->stats)
            shl_kinds[i]->stats(s->kinds[i], t);
    }
    for (uint32_t i = 0; i < shl_query_count; i++) {
        if (shl_queries[i]->stats)
            shl_queries[i]->stats(s->queries[i], t);
    }
    double seconds[PHASES];
    sum_phases(s, NULL, seconds);
    for (int i = 0; i < PHASES; i++)
        s->stats.phases[i].seconds = seconds[i];
    t->allocations = atomic_load(&s->ctx->allocations) - s->step.allocations;
    t->bytes = atomic_load(&s->ctx->bytes);
    t->threads = s->ports.workers;
    t->workers = workers;
    t->wall_s = 1e-9 * (double)(s->step.over_ns - s->step.begin_ns);
}

shoal_phase_times shoal_scene_phases(const shoal_scene *s)
{
    return (shoal_phase_times){s->stats.phases, PHASES};
}

double shoal_scene_seconds(const shoal_scene *s, shoal_phase phase)
{
    return (unsigned)phase < PHASES ? s->stats.phases[phase].seconds : 0;
}

double shoal_scene_worker_seconds(const shoal_scene *s, uint32_t worker, shoal_phase phase)
{
    SHL_FLOAT_ENV(host);
    double seconds[PHASES];
    if (worker >= s->ports.workers || (unsigned)phase >= PHASES)
        return 0;
    sum_phases(s, &worker, seconds);
    return seconds[phase];
}

SHL_ASSERT_LAST(shoal_stats, near_pairs);

void shoal_scene_read_stats(const shoal_scene *s, shoal_stats *out, size_t size)
{
    shl_versioned_write(out, size, &s->stats.counts, sizeof s->stats.counts);
}
