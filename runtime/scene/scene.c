// SPDX-License-Identifier: MIT
// Scenes come and go.
#include "runtime/scene/scene.h"
#include "layouts/float_env.h"
#include "layouts/versioned.h"
#include "runtime/jobs/team.h"

#include <math.h>
#include <shoal/study.h>

enum {
    THREADS_MAX = 4096,
    DEF_BYTES_LEAST = SHL_END_OF(shoal_scene_def, grid_resolution),
};
SHL_ASSERT_LAST(shoal_scene_def, grid_resolution);

static const shoal_scene_def defaults = {
    .size = sizeof defaults, .strategy = SHOAL_STRATEGY_AUTO, .rebuild_ratio = 1.3};

void shoal_scene_def_init(shoal_scene_def *def, size_t size)
{
    shl_def_write(def, size, &defaults, sizeof defaults);
}

static const char *def_fault(const shoal_scene_def *def)
{
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
    if (!(def->list_margin >= 0 && isfinite(def->list_margin)))
        return "the list_margin is negative, NaN or infinite";
    if ((unsigned)def->distance_engine > SHOAL_DISTANCE_PLAIN)
        return "unknown engine for distances";
    if (def->grid_resolution > 65536)
        return "a grid of more than 65536 cells a side";
    if (!(def->within >= 0))
        return "the distance `within` is negative or NaN";
    return NULL;
}

static shoal_status make_binder(shoal_scene *s)
{
    const shl_place *place = &s->ctx->place;
    const uint32_t cpus = place->machine.allowed_cpus, workers = s->ports.workers;
    shl_runner *r = &s->runner;
    if (workers > cpus)
        shl_warn(s->ctx, "scene: %u threads on %u CPUs", workers, cpus);
    r->graph.cpus = cpus;
    r->graph.enter = shl_binder_enter;
    r->graph.leave = shl_binder_leave;
    r->graph.worker_ctx = &r->binder;
    return shl_binder_init(&r->binder, place, s->def.bind, workers, &s->ctx->allocator);
}

shoal_binding shoal_scene_binding(const shoal_scene *s, uint32_t worker)
{
    const shl_binder *b = &s->runner.binder;
    if (worker >= s->ports.workers || b->state[worker] != SHL_SEAT_TAKEN)
        return shl_unbound;
    return b->seats[worker].at;
}

// The modules' selves, each with numbers for its tables.
static shoal_status make_modules(shoal_scene *s)
{
    const shoal_allocator *allocator = &s->ctx->allocator;
    s->kinds = shl_zalloc(allocator, shl_kind_count * sizeof *s->kinds);
    s->queries = shl_zalloc(allocator, shl_query_count * sizeof *s->queries);
    s->ports.kinds = s->kinds;
    s->ports.scratch = shl_scratch_create(s->ports.workers, &s->allocator);
    shoal_status st = s->kinds && s->queries && s->ports.scratch ? SHOAL_OK : SHOAL_ERR_MEMORY;
    static const char *const shared[] = {"bodies", "states", "nodes", "trees", "broad", "hash"};
    const char **names = s->runner.table_names;
    uint32_t table = 0;
    for (; table < SHL_TABLE_OWN; table++)
        names[table] = shared[table];
    for (uint32_t i = 0; i < shl_kind_count + shl_query_count && st == SHOAL_OK; i++) {
        const uint32_t q = i - shl_kind_count;
        const bool kind = i < shl_kind_count;
        void **self = kind ? &s->kinds[i] : &s->queries[q];
        *self =
            shl_zalloc(allocator, kind ? shl_kinds[i]->self_bytes : shl_queries[q]->self_bytes);
        st = !*self ? SHOAL_ERR_MEMORY
             : kind ? shl_kinds[i]->create(*self, &s->ports, &s->bodies, table)
                    : shl_queries[q]->create(*self, &s->ports, table);
        const char *const *own = kind ? shl_kinds[i]->tables : shl_queries[q]->tables;
        for (; own && *own && table < 64; own++)
            names[table++] = *own;
    }
    return st;
}

shoal_status shoal_scene_create(shoal_context *ctx, const shoal_scene_def *given,
                                shoal_scene **out)
{
    SHL_FLOAT_ENV(host);
    if (!out)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "scene: out is NULL");
    *out = NULL;
    if (!ctx)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "scene: the context is NULL");
    shoal_scene_def def = defaults;
    const char *fault = shl_def_read(&def, sizeof def, DEF_BYTES_LEAST, given,
                                     "start from shoal_scene_def_default()");
    fault = fault ? fault : def_fault(&def);
    if (fault)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "scene: %s", fault);
    const bool guard = def.executor == SHOAL_EXECUTOR_GUARD;
    const uint32_t threads = guard || def.executor == SHOAL_EXECUTOR_SERIAL ? 1
                             : def.threads
                                 ? def.threads
                                 : shl_default_workers(ctx->place.machine.allowed_cpus);
    if (threads > THREADS_MAX)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "scene: OMP_NUM_THREADS=%u, the limit is %d",
                        threads, THREADS_MAX);
    shoal_scene *s = shl_zalloc(&ctx->allocator, sizeof *s);
    if (!s)
        return shl_fail(ctx, SHOAL_ERR_MEMORY, "scene: no memory");
    s->ctx = ctx;
    s->allocator = guard ? shl_allocator_pages(&ctx->allocator) : ctx->allocator;
    s->def = def;
    s->ports = (shl_ports){.ctx = ctx,
                           .allocator = &s->allocator,
                           .def = &s->def,
                           .bodies = &s->bodies,
                           .pairs = &s->pairs.out,
                           .max_rows = s->max_rows,
                           .workers = threads};
    for (uint32_t i = 0; i < sizeof s->max_rows / sizeof *s->max_rows; i++)
        s->max_rows[i] = SHL_ROWS_UNBOUNDED;
    shl_pace_init(&s->runner.pace, threads, def.fixed_team || ctx->fixed_team);
    shl_pairs_init(&s->pairs, &s->ports);
    shoal_status st = make_modules(s);
    shl_stats_begin(s);
    s->step.ports = &s->ports;
    s->step.query_selves = s->queries;
    s->step.pairs = &s->pairs;
    if (st == SHOAL_OK)
        st = shl_scene_build(s);
    if (st == SHOAL_OK)
        st = make_binder(s);
    if (st != SHOAL_OK) {
        shoal_scene_destroy(s);
        return shl_fail(ctx, st, "scene: no memory for the job graph");
    }
    *out = s;
    return SHOAL_OK;
}

static void finish_module(shoal_scene *s, void *self, void (*destroy)(void *self),
                          const shl_array_list *arrays, size_t self_bytes)
{
    if (!self)
        return;
    if (destroy)
        destroy(self);
    shl_arrays_finish(self, arrays->defs, arrays->count, &s->allocator);
    shl_free(&s->ctx->allocator, self, self_bytes);
}

void shoal_scene_destroy(shoal_scene *s)
{
    if (!s)
        return;
    const shoal_allocator *allocator = &s->allocator, *outer = &s->ctx->allocator;
    for (uint32_t i = 0; i < s->bodies.table.count; i++) {
        if (s->bodies.model[i])
            shl_scene_drop(s, i);
    }
    for (uint32_t i = 0; s->kinds && i < shl_kind_count; i++)
        finish_module(s, s->kinds[i], shl_kinds[i]->destroy, &shl_kinds[i]->arrays,
                      shl_kinds[i]->self_bytes);
    for (uint32_t i = 0; s->queries && i < shl_query_count; i++)
        finish_module(s, s->queries[i], shl_queries[i]->destroy, &shl_queries[i]->arrays,
                      shl_queries[i]->self_bytes);
    shl_pairs_finish(&s->pairs);
    shl_table_finish(&s->bodies.table, &shl_bodies_def, allocator);
    shl_array_finish(&s->bodies.excluded, allocator);
    shl_array_finish(&s->bodies.excluded_next, allocator);
    shl_scratch_destroy(s->ports.scratch, s->ports.workers, allocator);
    shl_array_finish(&s->step.bad, allocator);
    shl_graph_finish(&s->runner.graph);
    shl_binder_finish(&s->runner.binder, outer);
    shl_free(outer, s->kinds, shl_kind_count * sizeof *s->kinds);
    shl_free(outer, s->queries, shl_query_count * sizeof *s->queries);
    shl_free(outer, s, sizeof *s);
}

const void *shl_scene_query(const shoal_scene *s, const shl_query *query)
{
    for (uint32_t i = 0; i < shl_query_count; i++) {
        if (shl_queries[i] == query)
            return s->queries[i];
    }
    return NULL;
}

shoal_body_numbers shoal_scene_bad_bodies(const shoal_scene *s)
{
    return (shoal_body_numbers){s->step.bad.data, s->step.bad_count};
}

uint64_t shoal_scene_hash(const shoal_scene *s)
{
    return s->step.hash;
}
