// SPDX-License-Identifier: MIT
// A step: begin all modules, run their jobs, end them.
#include "layouts/float_env.h"
#include "runtime/clock.h"
#include "runtime/scene/filter.h"
#include "runtime/scene/scene.h"

// --- The graph. ---

static void list_module(void *self, const char *const *tables, const shl_array_list *arrays,
                        void (*others)(void *self, shl_extents *out), uint32_t *table,
                        shl_extents *out)
{
    shl_table_list own = {out, *table};
    shl_arrays_each(self, arrays->defs, arrays->count, shl_table_array, &own);
    if (others)
        others(self, out);
    while (tables && *tables++)
        ++*table;
}

// For the guard, before each job: no job lives on what another left in a worker's caches.
static void list_tables(void *scene, shl_extents *out)
{
    shoal_scene *s = scene;
    shl_scratch_clear(s->ports.scratch, s->ports.workers);
    shl_table_list shared = {out, 0}, bodies = {out, SHL_NUMBER_BODIES};
    shl_table_extent(&bodies, s->bodies.table.memory, s->bodies.table.bytes);
    shl_table_array(&shared, SHL_NUMBER_BODIES, &s->bodies.excluded);
    shl_table_array(&shared, SHL_NUMBER_HASH, &s->step.bad);
    shl_pairs_list_tables(&s->pairs, out);
    uint32_t table = SHL_TABLE_OWN;
    for (uint32_t i = 0; i < shl_kind_count; i++)
        list_module(s->kinds[i], shl_kinds[i]->tables, &shl_kinds[i]->arrays,
                    shl_kinds[i]->list_tables, &table, out);
    for (uint32_t i = 0; i < shl_query_count; i++)
        list_module(s->queries[i], shl_queries[i]->tables, &shl_queries[i]->arrays,
                    shl_queries[i]->list_tables, &table, out);
}

// Whether anybody needs boxes in this step; if not, the jobs that make them have no rows.
static shoal_status run_demand(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_step *step = ctx;
    float margin = 0;
    step->boxes = false;
    for (uint32_t i = 0; i < shl_query_count; i++) {
        const shl_query *q = shl_queries[i];
        if (!(step->queries & q->bits))
            continue;
        step->boxes |= !q->boxes || q->boxes(step->query_selves[i]);
        const float own = q->margin ? q->margin(step->query_selves[i]) : 0;
        margin = own > margin ? own : margin;
    }
    for (uint32_t i = 0; i < shl_kind_count; i++)
        shl_kinds[i]->demand(step->ports->kinds[i], step->boxes);
    shl_pairs_demand(step->pairs, step->boxes, margin);
    return SHOAL_OK;
}

static shoal_status list_bad(shl_step *step)
{
    const shl_bodies *b = step->ports->bodies;
    step->bad_count = 0;
    for (uint32_t i = 0; i < b->table.count; i++) {
        if (!shl_body_is(b, i, SHL_BODY_BAD))
            continue;
        const size_t n = step->bad_count, size = sizeof(uint32_t);
        const shoal_status st =
            shl_array_reserve(&step->bad, (n + 1) * size, n * size, step->ports->allocator);
        if (st != SHOAL_OK)
            return st;
        ((uint32_t *)step->bad.data)[step->bad_count++] = i;
    }
    return SHOAL_OK;
}

static shoal_status run_hash(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_step *step = ctx;
    enum { BAD = 255, LISTS_MAX = 64 };
    shl_list_sum sums[LISTS_MAX + SHL_SUMS_MAX];
    uint32_t n = 0;
    const shoal_status st = list_bad(step);
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; i < shl_query_count && n < LISTS_MAX; i++)
        n += shl_queries[i]->sums(step->query_selves[i], sums + n);
    sums[n++] =
        (shl_list_sum){BAD, step->bad_count,
                       shl_sum_bodies(shl_list_front(BAD), step->bad.data, step->bad_count)};
    step->hash = shl_hash_chain(sums, n);
    return SHOAL_OK;
}

static shoal_status add_stage(shoal_scene *s, shl_step_stage stage)
{
    static const char *const names[SHL_STAGES] = {
        [SHL_STAGE_STATES] = "states (kinds)",   [SHL_STAGE_DEMAND] = "demand (queries)",
        [SHL_STAGE_BOXES] = "boxes (kinds)",     [SHL_STAGE_SEARCH] = "search (queries)",
        [SHL_STAGE_PROFILE] = "profile (kinds)",
    };
    shl_graph *g = &s->runner.graph;
    shoal_status st = SHOAL_OK;
    g->stage = names[stage];
    for (uint32_t i = 0; i < shl_kind_count && st == SHOAL_OK; i++)
        st = shl_kinds[i]->jobs(s->kinds[i], stage, g);
    for (uint32_t i = 0; i < shl_query_count && st == SHOAL_OK; i++)
        st = shl_queries[i]->jobs(s->queries[i], stage, g);
    return st;
}

// "demand" comes between those who know and those who ask, of whom each has its own rows.
static shoal_status add_demand(shoal_scene *s)
{
    shl_graph *g = &s->runner.graph;
    const uint32_t first = g->job_count;
    shoal_status st = add_stage(s, SHL_STAGE_DEMAND);
    const uint32_t demand = g->job_count;
    const shl_job_desc job = {"demand", run_demand, .ctx = &s->step};
    if (st == SHOAL_OK)
        st = shl_graph_add(g, &job);
    for (uint32_t i = first; i < demand && st == SHOAL_OK; i++)
        st = shl_graph_edge(g, i, demand);
    if (st == SHOAL_OK)
        st = add_stage(s, SHL_STAGE_BOXES);
    g->stage = "broad phase";
    if (st == SHOAL_OK)
        st = shl_pairs_jobs(&s->pairs, g);
    for (uint32_t i = demand + 1; i < g->job_count && st == SHOAL_OK; i++)
        st = shl_graph_edge(g, demand, i);
    return st;
}

static shoal_status add_hash(shoal_scene *s)
{
    uint64_t reads = SHL_TABLE_BODIES;
    uint32_t table = SHL_TABLE_OWN;
    for (uint32_t i = 0; i < shl_kind_count + shl_query_count; i++) {
        const uint32_t q = i - shl_kind_count;
        const char *const *own =
            i < shl_kind_count ? shl_kinds[i]->tables : shl_queries[q]->tables;
        reads |= i < shl_kind_count ? 0 : (uint64_t)shl_queries[q]->sum_tables << table;
        for (; own && *own; own++)
            table++;
    }
    const shl_job_desc job = {"hash",
                              run_hash,
                              .stage = "hash",
                              .ctx = &s->step,
                              .reads = reads,
                              .writes = SHL_TABLE_HASH,
                              .phase = SHL_PHASE_SORT};
    return table > 64 ? SHOAL_ERR_LIMIT : shl_graph_add(&s->runner.graph, &job);
}

shoal_status shl_scene_build(shoal_scene *s)
{
    shl_graph *g = &s->runner.graph;
    shl_graph_init(g, &s->allocator);
    g->timing = true;
    g->tables = s->runner.table_names;
    g->list_tables = list_tables;
    g->list_ctx = s;
    g->workers_max = s->ports.workers;
    shoal_status st = add_stage(s, SHL_STAGE_STATES);
    if (st == SHOAL_OK)
        st = add_demand(s);
    if (st == SHOAL_OK)
        st = add_stage(s, SHL_STAGE_SEARCH);
    if (st == SHOAL_OK)
        st = add_hash(s);
    if (st == SHOAL_OK)
        st = add_stage(s, SHL_STAGE_PROFILE);
    return st == SHOAL_OK ? shl_graph_compile(g) : st;
}

// --- Begin and end. ---

static uint32_t known_queries(void)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < shl_query_count; i++)
        known |= shl_queries[i]->bits;
    return known;
}

// What comes before the jobs of a step. On failure the step is over.
static shoal_status begin_step(shoal_scene *s, uint32_t queries)
{
    if (s->runner.stepping)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "step: one has begun and not ended");
    if (queries == 0 || (queries & ~known_queries()))
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "step: queries %#x", queries);
    shl_step *step = &s->step;
    step->begin_ns = shl_now_ns();
    step->allocations = atomic_load(&s->ctx->allocations);
    step->queries = queries;
    step->counted = false;
    step->boxes = true;
    step->bad_count = 0;
    step->hash = 0;
    shl_stats_begin(s);
    s->runner.graph.event_count = 0; // a step that fails before its jobs has no events
    shl_graph_clear_times(&s->runner.graph);
    shl_scratch_begin(s->ports.scratch, s->ports.workers);
    shl_filter_compact(&s->bodies);
    bool certificates = false, pairs = false;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < shl_query_count; i++) {
        const shoal_status own = shl_queries[i]->begin(s->queries[i], queries, &certificates);
        st = st == SHOAL_OK ? own : st;
        pairs |= queries & shl_queries[i]->pair_bits;
    }
    if (st == SHOAL_OK)
        st = shl_pairs_begin(&s->pairs, pairs);
    for (uint32_t i = 0; i < shl_kind_count && st == SHOAL_OK; i++) {
        if (shl_kinds[i]->begin)
            st = shl_kinds[i]->begin(s->kinds[i], certificates);
    }
    step->jobs_ns = shl_now_ns();
    return st;
}

// After the first step to which all workers came it is known where they are.
static void tell_binding(shoal_scene *s)
{
    uint32_t a, b;
    shl_binder *binder = &s->runner.binder;
    if (s->runner.graph.team < s->ports.workers)
        return;
    if (!binder->told && shl_binder_crowded(binder, &a, &b))
        shl_warn(s->ctx, "scene: workers %u and %u are on one core, another is idle", a, b);
    for (uint32_t i = 0; !binder->told && i < s->ports.workers; i++) {
        if (binder->state[i] == SHL_SEAT_REFUSED)
            shl_warn(s->ctx, "scene: the system does not bind worker %u", i);
    }
    binder->told = true;
}

// Each fat box that did not hold is told once.
static void tell_fat(shoal_scene *s)
{
    const shl_bodies *b = &s->bodies;
    for (uint32_t i = 0; i < b->table.count && atomic_load(&s->pairs.fat_left) > 0; i++) {
        if (!shl_body_is(b, i, SHL_BODY_ACTIVE) || !shl_body_is(b, i, SHL_BODY_FAT) ||
            shl_body_is(b, i, SHL_BODY_LEFT) || shl_fat_holds(b, i))
            continue;
        shl_warn(s->ctx, "step: body %u left its fat box; its own box is used", i);
        shl_body_put(b, i, SHL_BODY_LEFT, true);
    }
}

static const char *const end_event = "end";

// What the step does beside its jobs; it is not over yet.
static shoal_status trace_step(shoal_scene *s)
{
    shl_graph *g = &s->runner.graph;
    const shl_step *step = &s->step;
    shoal_status st = shl_graph_event(g, "begin", 0, step->begin_ns, step->jobs_ns);
    if (st == SHOAL_OK)
        st = shl_graph_event(g, end_event, 0, step->end_ns, step->end_ns);
    for (uint32_t i = 0; i < shl_query_count && st == SHOAL_OK; i++) {
        if (shl_queries[i]->trace)
            st = shl_queries[i]->trace(s->queries[i], g);
    }
    return st;
}

static void trace_end(shoal_scene *s)
{
    const shl_graph *g = &s->runner.graph;
    for (size_t i = 0; i < g->event_count; i++) {
        shoal_event *e = (shoal_event *)g->events.data + i;
        if (e->job == end_event)
            e->end_ns = s->step.over_ns;
    }
}

// What comes after the jobs, given how they or the preparation ended.
static shoal_status end_step(shoal_scene *s, shoal_status st, uint32_t workers)
{
    shl_graph *g = &s->runner.graph;
    s->step.end_ns = shl_now_ns();
    if (g->tracing && st == SHOAL_OK)
        st = trace_step(s);
    s->step.counted = st == SHOAL_OK;
    const bool in_bounds = st != SHOAL_OK || shl_scene_in_bounds(s);
    st = in_bounds ? st : SHOAL_ERR_LIMIT;
    const shl_step_end end = {.good = st == SHOAL_OK,
                              .boxes = s->step.boxes,
                              .search_ns = 1e9 * shl_phase_seconds(g, SHL_PHASE_SEARCH),
                              .times = shl_graph_times(g)};
    for (uint32_t i = 0; i < shl_query_count; i++)
        shl_queries[i]->end(s->queries[i], &end);
    for (uint32_t i = 0; i < shl_kind_count; i++)
        shl_kinds[i]->end(s->kinds[i], &end);
    if (st != SHOAL_OK) {
        s->step.bad_count = 0;
        s->step.hash = 0;
        if (st == SHOAL_ERR_DEVICE || !in_bounds) // who failed has told more
            return st;
        return shl_fail(s->ctx, st, "step: %s", shoal_status_text(st));
    }
    s->step.over_ns = shl_now_ns();
    shl_stats_end(s, workers);
    tell_binding(s);
    tell_fat(s);
    trace_end(s);
    return SHOAL_OK;
}

// Learns from the step how many threads the next ones should use.
static void tell_threads(shoal_scene *s, uint32_t workers)
{
    shl_runner *r = &s->runner;
    const shl_graph *g = &r->graph;
    if (g->refused && !r->refusal_told) {
        shl_warn(s->ctx, "step: not all of %u threads could be started", workers);
        r->refusal_told = true;
    }
    if (s->def.executor == SHOAL_EXECUTOR_OMP && s->ports.workers > 1 &&
        shl_pace_note(&r->pace, g->wall_ns, g->cpu_ns, g->called))
        shl_warn(s->ctx,
                 "step: the CPUs are busy; steps use %u of %u threads until they are free",
                 r->pace.team, s->ports.workers);
}

shoal_status shoal_scene_step(shoal_scene *s, uint32_t queries)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "step: the scene is NULL");
    shl_graph *g = &s->runner.graph;
    shoal_status st = begin_step(s, queries);
    if (st == SHOAL_ERR_ARGUMENT)
        return st;
    if (st == SHOAL_OK) {
        const shl_pace_step pace = shl_pace_next(&s->runner.pace);
        g->patience_ns = pace.patience_ns;
        g->spin_ns = pace.spin_ns;
        shl_float_env_end(&host);
        st = shl_graph_run(g, (shl_executor)s->def.executor, pace.workers);
        shl_float_env_begin(&host);
        tell_threads(s, pace.workers);
    }
    return end_step(s, st, g->team);
}

shoal_status shoal_scene_step_begin(shoal_scene *s, uint32_t queries, uint32_t workers)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "step: the scene is NULL");
    if (s->def.executor != SHOAL_EXECUTOR_OMP || workers == 0 || workers > s->ports.workers)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT,
                        "step_begin: %u workers, the scene has %u and needs executor omp",
                        workers, s->ports.workers);
    shoal_status st = begin_step(s, queries);
    if (st == SHOAL_ERR_ARGUMENT)
        return st;
    if (st == SHOAL_OK)
        st = shl_graph_begin(&s->runner.graph, workers);
    s->runner.stepping = st == SHOAL_OK;
    return st == SHOAL_OK ? st : end_step(s, st, 0);
}

shoal_status shoal_scene_step_work(shoal_scene *s, uint32_t worker)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "step_work: the scene is NULL");
    const shoal_status st =
        s->runner.stepping ? shl_graph_work(&s->runner.graph, worker) : SHOAL_ERR_ARGUMENT;
    return st == SHOAL_OK
               ? st
               : shl_fail(s->ctx, st, "step_work: no step, or worker %u is not free", worker);
}

shoal_status shoal_scene_step_end(shoal_scene *s)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "step_end: the scene is NULL");
    shl_graph *g = &s->runner.graph;
    if (!s->runner.stepping || shl_graph_busy(g))
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "step_end: no step, or somebody works");
    const shoal_status st = shl_graph_end(g);
    s->runner.stepping = false;
    return end_step(s, st, g->team);
}
