// SPDX-License-Identifier: MIT
#include "kernels/round.h"
#include "layouts/float_env.h"
#include "runtime/jobs/team.h"
#include "runtime/kinds/skinned/front.h"
#include "runtime/scene/steps.h"
#include "runtime/scene/tables.h"
#include "runtime/scene/times.h"
#include "runtime/traverse/eval_cache.h"
#include "runtime/traverse/leaf_cache.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

enum { COOKIE = 0x73686c73, THREADS_MAX = 4096 };

shoal_scene_def shoal_scene_def_default(void)
{
    return (shoal_scene_def){
        .strategy = SHOAL_STRATEGY_AUTO, .rebuild_ratio = 1.3, .cookie = COOKIE};
}

static const char *def_fault(const shoal_scene_def *def)
{
    if (!def || def->cookie != COOKIE)
        return "start from shoal_scene_def_default()";
    if ((unsigned)def->executor > SHOAL_EXECUTOR_GUARD)
        return "unknown executor";
    if ((unsigned)def->strategy > SHOAL_STRATEGY_AUTO)
        return "unknown strategy";
    if ((unsigned)def->broad > SHOAL_BROAD_INCREMENTAL)
        return "unknown broad phase";
    if ((unsigned)def->coherence > SHOAL_COHERENCE_EAGER)
        return "unknown coherence";
    if ((unsigned)def->bind > SHOAL_BIND_CORES)
        return "unknown binding";
    if (!(def->rebuild_ratio >= 0)) // also catches NaN
        return "rebuild_ratio is negative";
    if (def->threads > THREADS_MAX)
        return "more than 4096 threads";
    if (!(def->skin >= 0 && isfinite(def->skin)))
        return "the skin is negative, NaN or infinite";
    if ((unsigned)def->distance_engine > SHOAL_DISTANCE_PLAIN)
        return "unknown engine for distances";
    if (def->grid_resolution > 65536)
        return "a grid of more than 65536 cells a side";
    if (!(def->within >= 0))
        return "the distance `within` is negative or NaN";
    return NULL;
}

static shoal_status make_workers(shoal_scene *s)
{
    const shoal_allocator *allocator = &s->allocator;
    s->workers = shl_zalloc(allocator, s->workers_count * sizeof *s->workers);
    for (uint32_t i = 0; s->workers && i < s->workers_count; i++) {
        shl_walker *w = &s->workers[i];
        w->stack = shl_alloc(allocator, SHL_STACK_ROWS * sizeof *w->stack);
        w->candidates = shl_alloc(allocator, SHL_CANDIDATE_ROWS * sizeof *w->candidates);
        if (!w->stack || !w->candidates)
            return SHOAL_ERR_MEMORY;
    }
    return s->workers ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

static shoal_status make_binder(shoal_scene *s)
{
    const shl_place *place = &s->ctx->place;
    const uint32_t cpus = place->machine.allowed_cpus;
    if (s->workers_count > cpus)
        shl_fail(s->ctx, SHOAL_OK, "scene: %u threads on %u CPUs", s->workers_count, cpus);
    s->graph.cpus = cpus;
    s->graph.enter = shl_binder_enter;
    s->graph.leave = shl_binder_leave;
    s->graph.worker_ctx = &s->binder;
    return shl_binder_init(&s->binder, place, s->def.bind, s->workers_count,
                           &s->ctx->allocator);
}

// After the first step to which all workers came it is known where they are.
static void tell_binding(shoal_scene *s)
{
    uint32_t a, b;
    if (s->graph.team < s->workers_count)
        return;
    if (!s->binder.told && shl_binder_crowded(&s->binder, &a, &b))
        shl_fail(s->ctx, SHOAL_OK, "scene: workers %u and %u are on one core, another is idle",
                 a, b);
    for (uint32_t i = 0; !s->binder.told && i < s->workers_count; i++) {
        if (s->binder.state[i] == SHL_SEAT_REFUSED)
            shl_fail(s->ctx, SHOAL_OK, "scene: the system does not bind worker %u", i);
    }
    s->binder.told = true;
}

shoal_binding shoal_scene_binding(const shoal_scene *s, uint32_t worker)
{
    if (worker >= s->workers_count || s->binder.state[worker] != SHL_SEAT_TAKEN)
        return shl_unbound;
    return s->binder.seats[worker].at;
}

shoal_status shoal_scene_create(shoal_context *ctx, const shoal_scene_def *def,
                                shoal_scene **out)
{
    SHL_FLOAT_ENV(host);
    if (!out)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "scene: out is NULL");
    *out = NULL;
    if (!ctx)
        return SHOAL_ERR_ARGUMENT;
    const char *fault = def_fault(def);
    if (fault)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "scene: %s", fault);
    const bool guard = def->executor == SHOAL_EXECUTOR_GUARD;
    const uint32_t threads = guard || def->executor == SHOAL_EXECUTOR_SERIAL ? 1
                             : def->threads
                                 ? def->threads
                                 : shl_default_workers(ctx->place.machine.allowed_cpus);
    if (threads > THREADS_MAX)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "scene: OMP_NUM_THREADS=%u, the limit is %d",
                        threads, THREADS_MAX);
    shoal_scene *s = shl_zalloc(&ctx->allocator, sizeof *s);
    if (!s)
        return shl_fail(ctx, SHOAL_ERR_MEMORY, "scene: no memory");
    s->ctx = ctx;
    s->allocator = guard ? shl_allocator_pages(&ctx->allocator) : ctx->allocator;
    s->def = *def;
    // not so small that half of it is rounded
    s->skin.grow = shl_round_up(def->skin > 0 ? fmax(def->skin, 2 * FLT_MIN) : 0);
    s->workers_count = threads;
    shl_pace_init(&s->pace, threads, def->fixed_team || ctx->fixed_team);
    s->broad.kernels = &ctx->kernels;
    s->broad.allocator = &s->allocator;
    s->broad.workers = s->workers_count;
    s->broad.method = def->broad;
    s->costs = shl_learns(s) ? shl_costs_of(ctx) : NULL;
    shoal_status st = make_workers(s);
    if (st == SHOAL_OK)
        st = shl_step_build(s);
    if (st == SHOAL_OK)
        st = shl_times_name(s);
    if (st == SHOAL_OK)
        st = make_binder(s);
    if (st != SHOAL_OK) {
        shoal_scene_destroy(s);
        return shl_fail(ctx, st, "scene: no memory for the job graph");
    }
    *out = s;
    return SHOAL_OK;
}

static void finish_workers(shoal_scene *s)
{
    const shoal_allocator *allocator = &s->allocator;
    for (uint32_t i = 0; s->workers && i < s->workers_count; i++) {
        shl_walker *w = &s->workers[i];
        shl_free(allocator, w->stack, SHL_STACK_ROWS * sizeof *w->stack);
        shl_free(allocator, w->candidates, SHL_CANDIDATE_ROWS * sizeof *w->candidates);
        shl_array_finish(&w->cut, allocator);
        shl_array_finish(&w->gaps, allocator);
        shl_array_finish(&w->near, allocator);
        shl_array_finish(&w->brick, allocator);
        shl_array_finish(&w->least, allocator);
        shl_array_finish(&w->face_room, allocator);
    }
    shl_reduced_caches_finish(s);
    shl_leaf_caches_finish(s);
    shl_free(allocator, s->workers, s->workers_count * sizeof *s->workers);
}

void shoal_scene_destroy(shoal_scene *s)
{
    if (!s)
        return;
    const shoal_allocator *allocator = &s->allocator;
    for (uint32_t i = 0; i < s->body_count; i++)
        shl_body_finish(s, &shl_bodies(s)[i]);
    shl_pages_finish(s);
    shl_skin_finish(s);
    finish_workers(s);
    shl_array *const arrays[] = {
        &s->lessons,       &s->rebuilds,      &s->bodies,      &s->touch,
        &s->gather,        &s->refit,         &s->refit_begin, &s->refit_finite,
        &s->body_pairs,    &s->seeds,         &s->seeds_next,  &s->found,
        &s->groups,        &s->result[0],     &s->result[1],   &s->scratch[0],
        &s->scratch[1],    &s->hits,          &s->bad,         &s->contact_pairs,
        &s->contact_begin, &s->contact_kept,  &s->contacts,    &s->sums[0].chunk,
        &s->sums[1].chunk, &s->sums[2].chunk,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        shl_array_finish(arrays[i], allocator);
    shl_distance_finish(s);
    shl_grid_finish(s);
    shl_broad_finish(&s->broad);
    shl_free(allocator, s->job_time, s->graph.job_count);
    shl_graph_finish(&s->graph);
    shl_binder_finish(&s->binder, &s->ctx->allocator);
    shl_free(&s->ctx->allocator, s, sizeof *s);
}

// Bodies whose positions may have changed get a new epoch: all their boxes are stale.
static void begin_step(shoal_scene *s)
{
    for (uint32_t i = 0; i < s->body_count; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        b->fresh = b->model && b->source != SHL_SOURCE_NONE &&
                   (b->changed || b->source != SHL_SOURCE_OWN);
        if (!b->fresh)
            continue;
        atomic_store_explicit(&b->sheet.fresh, 0, memory_order_relaxed);
        if (++b->epoch == UINT32_MAX &&
            !shl_is_lazy(b)) { // the busy mark; start over with clean stamps
            b->epoch = 1;
            memset((void *)b->stamps, 0, b->tree->node_count * sizeof *b->stamps);
            if (b->sheet.gradients)
                memset(b->sheet.memory.data, 0, b->sheet.memory.capacity);
        }
    }
    for (uint32_t i = 0; i < s->workers_count; i++) {
        memset(&s->workers[i].count, 0, sizeof s->workers[i].count);
        shl_reduced_cache_clear(s->workers[i].reduced);
        shl_leaf_cache_clear(s->workers[i].leaves);
        s->workers[i].spheres[0].body1 = s->workers[i].spheres[1].body1 = 0;
    }
    shl_pages_begin(s);
    s->result_count[SHL_PAIRS] = s->result_count[SHL_SELF] = 0;
    s->hit_count = s->bad_count = s->contact_count = 0;
    s->hash = 0;
    memset(&s->stats, 0, sizeof s->stats);
    s->graph.event_count = 0; // a step that fails before its jobs has no events
    shl_graph_clear_times(&s->graph);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void end_step(shoal_scene *s, uint32_t workers)
{
    shoal_stats *t = &s->stats;
    uint64_t leaf_ns = 0;
    double known = 0;
    for (uint32_t i = 0; i < s->body_count; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        b->changed = false;
        b->touched = b->model != NULL;
        t->bodies += b->model != NULL;
        known += b->quality > 0;
        t->quality_mean += b->quality;
        t->quality_worst = b->quality > t->quality_worst ? b->quality : t->quality_worst;
    }
    t->quality_mean /= known ? known : 1;
    for (uint32_t i = 0; i < s->workers_count; i++) {
        const shl_counters *c = &s->workers[i].count;
        t->node_pairs += c->node_pairs;
        t->opened_nodes += c->opened_nodes;
        t->evaluated_vertices += c->evaluated_vertices;
        t->candidates += c->candidates;
        t->exact_tests += c->exact_tests;
        t->distances += c->distances;
        leaf_ns += c->leaf_ns;
    }
    s->untouched = false;
    t->pairs = s->result_count[SHL_PAIRS] + s->result_count[SHL_SELF];
    t->wall_s = now_s() - s->step_start_s;
    double seconds[SHL_TIMES];
    shl_times_add(s, seconds);
    t->gather_s = seconds[SHL_TIME_GATHER];
    t->refit_s = seconds[SHL_TIME_REFIT];
    t->broad_s = seconds[SHL_TIME_BROAD];
    t->loose_used = atomic_load(&s->loose_used);
    t->loose_left = atomic_load(&s->loose_left);
    t->rebuild_s = seconds[SHL_TIME_REBUILD];
    t->leaf_s = 1e-9 * (double)leaf_ns;
    t->grid_s = seconds[SHL_TIME_GRID];
    t->grid_cells = s->grid.cell_count;
    t->gpu_jobs = s->grid.gpu_jobs;
    t->distance_s = seconds[SHL_TIME_DISTANCE] + t->grid_s;
    t->contact_s = seconds[SHL_TIME_CONTACT];
    t->traverse_s = seconds[SHL_TIME_SEARCH] + seconds[SHL_TIME_LISTS] - t->leaf_s;
    t->sort_s = seconds[SHL_TIME_SORT];
    t->allocations = atomic_load(&s->ctx->allocations) - s->step_allocations;
    t->bytes = atomic_load(&s->ctx->bytes);
    t->threads = s->workers_count;
    t->workers = workers;
    t->near_pairs = s->skin.near_count;
    t->skin_reused = s->skin.reused;
}

// What comes before the jobs of a step. On failure the step is over.
static shoal_status prepare_step(shoal_scene *s, uint32_t queries)
{
    const uint32_t known = SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF |
                           SHOAL_QUERY_SELF_ADJACENT | SHOAL_QUERY_PROXIES |
                           SHL_DISTANCE_QUERIES;
    if (s->stepping)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "step: one has begun and not ended");
    if (queries == 0 || (queries & ~known))
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "step: queries %#x", queries);
    if (queries & SHOAL_QUERY_SELF_ADJACENT)
        queries |= SHOAL_QUERY_SELF;
    s->step_start_s = now_s();
    s->step_allocations = atomic_load(&s->ctx->allocations);
    s->queries = queries;
    s->front_rows = s->def.coherence == SHOAL_COHERENCE_NONE ? 0 : s->body_count;
    s->corner_rows = s->merge_rows = 0;
    for (uint32_t i = 0; i < s->body_count && !s->merge_rows; i++)
        s->merge_rows = shl_bodies(s)[i].points ? s->body_count : 0;
    s->corner_rows = s->merge_rows * SHL_CORNER_PARTS;
    begin_step(s);
    shoal_status st = shl_skin_begin(s);
    if (st == SHOAL_OK)
        st = shl_plan_touch(s);
    if (st == SHOAL_OK)
        st = shl_plan_boxes(s);
    if (st == SHOAL_OK)
        st = shl_plan_parts(s);
    s->lesson_count = s->rebuild_count = 0;
    if (st != SHOAL_OK)
        return st;
    shl_learn_begin(s);
    shl_rebuild_begin(s);
    return SHOAL_OK;
}

// Each loose box that did not hold is told once.
static void tell_loose(shoal_scene *s)
{
    for (uint32_t i = 0; i < s->body_count && s->stats.loose_left > 0; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        if (!b->joined || !b->has_loose || b->loose_told || shl_loose_holds(b))
            continue;
        shl_fail(s->ctx, SHOAL_OK, "step: body %u left its loose box; its own box is used", i);
        b->loose_told = true;
    }
}

// What comes after the jobs, given how they or the preparation ended.
static shoal_status conclude_step(shoal_scene *s, shoal_status st, uint32_t workers)
{
    double seconds[SHL_TIMES];
    shl_times_add(s, seconds);
    if (st == SHOAL_OK)
        st = shl_grid_trace(s);
    shl_learn_end(s);
    shl_distance_end(s, st == SHOAL_OK);
    shl_grid_end(s, st == SHOAL_OK);
    if (st != SHOAL_OK) {
        shl_rebuild_end(s, 0);
        s->result_count[SHL_PAIRS] = s->result_count[SHL_SELF] = 0;
        s->hit_count = s->bad_count = s->contact_count = 0;
        s->hash = 0;
        if (st == SHOAL_ERR_DEVICE) // the job that failed has told more
            return st;
        return shl_fail(s->ctx, st, "step: %s", shoal_status_text(st));
    }
    end_step(s, workers);
    shl_skin_end(s);
    // a step that used a list searched no tree: it lost nothing by a bad one
    shl_rebuild_end(s, s->skin.reused ? 0 : 1e9 * seconds[SHL_TIME_SEARCH]);
    tell_binding(s);
    tell_loose(s);
    return SHOAL_OK;
}

// Learns from the step how many threads the next ones should use.
static void tell_threads(shoal_scene *s, uint32_t workers)
{
    const shl_graph *g = &s->graph;
    if (g->refused && !s->refusal_told) {
        shl_fail(s->ctx, SHOAL_OK, "step: not all of %u threads could be started", workers);
        s->refusal_told = true;
    }
    if (s->def.executor == SHOAL_EXECUTOR_OMP && s->workers_count > 1 &&
        shl_pace_note(&s->pace, g->wall_ns, g->cpu_ns, g->called))
        shl_fail(s->ctx, SHOAL_OK,
                 "step: the CPUs are busy; steps use %u of %u threads until they are free",
                 s->pace.team, s->workers_count);
}

shoal_status shoal_scene_step(shoal_scene *s, uint32_t queries)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return SHOAL_ERR_ARGUMENT;
    static const shl_executor executors[] = {SHL_EXEC_OMP, SHL_EXEC_SERIAL, SHL_EXEC_LOOPS,
                                             SHL_EXEC_GUARD};
    shoal_status st = prepare_step(s, queries);
    if (st == SHOAL_ERR_ARGUMENT)
        return st;
    if (st == SHOAL_OK) {
        const shl_pace_step pace = shl_pace_next(&s->pace);
        s->graph.patience_ns = pace.patience_ns;
        s->graph.spin_ns = pace.spin_ns;
        shl_float_env_end(&host);
        st = shl_graph_run(&s->graph, executors[s->def.executor], pace.workers);
        shl_float_env_begin(&host);
        tell_threads(s, pace.workers);
    }
    return conclude_step(s, st, s->graph.team);
}

shoal_status shoal_scene_step_begin(shoal_scene *s, uint32_t queries, uint32_t workers)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return SHOAL_ERR_ARGUMENT;
    if (s->def.executor != SHOAL_EXECUTOR_OMP || workers == 0 || workers > s->workers_count)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT,
                        "step_begin: %u workers, the scene has %u and needs executor omp",
                        workers, s->workers_count);
    shoal_status st = prepare_step(s, queries);
    if (st == SHOAL_ERR_ARGUMENT)
        return st;
    if (st == SHOAL_OK)
        st = shl_graph_begin(&s->graph, workers);
    s->stepping = st == SHOAL_OK;
    return st == SHOAL_OK ? st : conclude_step(s, st, 0);
}

shoal_status shoal_scene_step_work(shoal_scene *s, uint32_t worker)
{
    if (!s)
        return SHOAL_ERR_ARGUMENT;
    const shoal_status st =
        s->stepping ? shl_graph_work(&s->graph, worker) : SHOAL_ERR_ARGUMENT;
    return st == SHOAL_OK
               ? st
               : shl_fail(s->ctx, st, "step_work: no step, or worker %u is not free", worker);
}

shoal_status shoal_scene_step_end(shoal_scene *s)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return SHOAL_ERR_ARGUMENT;
    if (!s->stepping || shl_graph_busy(&s->graph))
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "step_end: no step, or somebody works");
    const shoal_status st = shl_graph_end(&s->graph);
    s->stepping = false;
    return conclude_step(s, st, s->graph.team);
}

shoal_results shoal_scene_results(const shoal_scene *s)
{
    return (shoal_results){
        .pairs = s->result[SHL_PAIRS].data,
        .pair_count = s->result_count[SHL_PAIRS],
        .self_pairs = s->result[SHL_SELF].data,
        .self_pair_count = s->result_count[SHL_SELF],
        .hits = s->hits.data,
        .hit_count = s->hit_count,
        .contacts = s->contacts.data,
        .contact_count = s->contact_count,
        .nearest = s->distance.nearest.data,
        .nearest_count = s->distance.nearest_count,
        .within = s->distance.within.data,
        .within_count = s->distance.within_count,
        .nearest_triangles = s->distance.tris[0].data,
        .nearest_triangle_count = s->distance.tri_count[0],
        .nearest_self = s->distance.tris[1].data,
        .nearest_self_count = s->distance.tri_count[1],
        .bad_bodies = s->bad.data,
        .bad_body_count = s->bad_count,
        .hash = s->hash,
    };
}

shoal_stats shoal_scene_stats(const shoal_scene *s)
{
    return s->stats;
}
