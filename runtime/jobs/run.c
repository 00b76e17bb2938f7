// SPDX-License-Identifier: MIT
// Running a graph: what all executors have in common before, during and after.
#include "runtime/jobs/plan.h"
#include "runtime/jobs/team.h"

#include <string.h>

void shl_worker_begin(shl_plan *p, shl_worker *w)
{
    shl_float_env_begin(&w->host);
    if (p->timing)
        memset(w->tally, 0, p->job_count * sizeof *w->tally);
    atomic_store_explicit(&w->came, 1, memory_order_relaxed);
}

void shl_worker_end(const shl_worker *w)
{
    shl_float_env_end(&w->host);
}

void shl_worker_fail(shl_plan *p, shl_worker *w, uint64_t key, shoal_status status)
{
    if (key >= w->fail_key)
        return;
    w->fail_key = key;
    w->status = status;
    // Relaxed: whoever must skip because of it is ordered after it by its job's predecessors.
    uint64_t seen = atomic_load_explicit(&p->fail_key, memory_order_relaxed);
    while (key < seen &&
           !atomic_compare_exchange_weak_explicit(&p->fail_key, &seen, key,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

static shoal_status record(const shl_plan *p, shl_worker *w, const shoal_event *event)
{
    const shoal_status st =
        shl_array_append(&w->events, w->event_count, event, sizeof *event, p->allocator);
    w->event_count += st == SHOAL_OK;
    return st;
}

shoal_status shl_worker_call_traced(shl_plan *p, shl_worker *w, uint32_t job, shl_chunk rows)
{
    const shl_node *node = &p->nodes[job];
    const uint64_t begin = shl_now_ns();
    const shoal_status status = node->run(node->ctx, rows);
    const uint64_t end = shl_now_ns();
    if (p->timing)
        shl_tally_add(&w->tally[job], begin, end, 1);
    const shoal_event event = {p->jobs[job].name, begin,      end,        rows.begin,
                               rows.end,          rows.chunk, rows.worker};
    const shoal_status st = record(p, w, &event);
    return status != SHOAL_OK ? status : st;
}

static bool came(const shl_plan *p, uint32_t worker)
{
    return atomic_load_explicit(&p->workers[worker].came, memory_order_relaxed);
}

static void merge_times(shl_plan *p)
{
    for (uint32_t job = 0; job < p->job_count; job++) {
        shl_job_time *time = &p->times[job];
        time->begin_ns = time->end_ns = 0;
        for (uint32_t i = 0; i < p->team; i++) {
            const shl_tally *t = &p->workers[i].tally[job];
            if (!came(p, i) || t->chunks == 0)
                continue;
            time->busy_ns += t->busy_ns;
            time->chunks += t->chunks;
            if (time->begin_ns == 0 || t->begin_ns < time->begin_ns)
                time->begin_ns = t->begin_ns;
            if (t->end_ns > time->end_ns)
                time->end_ns = t->end_ns;
        }
        time->wall_ns += time->end_ns - time->begin_ns;
    }
}

static shl_failure first_failure(const shl_plan *p)
{
    const shl_worker *first = &p->workers[0];
    for (uint32_t i = 1; i < p->team; i++) {
        if (p->workers[i].fail_key < first->fail_key)
            first = &p->workers[i];
    }
    if (first->fail_key == SHL_NO_FAILURE)
        return (shl_failure){.job = SHL_NO_JOB};
    const uint32_t job = (uint32_t)(first->fail_key >> 32);
    return (shl_failure){first->status, job, (uint32_t)first->fail_key, p->jobs[job].name};
}

// Events of all workers in one list.
static shoal_status merge_events(shl_graph *g)
{
    const shl_plan *p = g->plan;
    g->event_count = 0;
    size_t count = 0;
    for (uint32_t i = 0; p->tracing && i < p->team; i++)
        count += p->workers[i].event_count;
    const shoal_status st =
        shl_array_reserve(&g->events, count * sizeof(shoal_event), 0, g->allocator);
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; g->event_count < count; i++) {
        const shl_worker *w = &p->workers[i];
        if (w->event_count)
            memcpy((shoal_event *)g->events.data + g->event_count, w->events.data,
                   w->event_count * sizeof(shoal_event));
        g->event_count += w->event_count;
    }
    return SHOAL_OK;
}

shoal_status shl_run_prepare(shl_graph *g, uint32_t *workers)
{
    shl_plan *p = g->plan;
    if (!p || *workers == 0 || (g->timing && !p->has_times) || p->begun)
        return SHOAL_ERR_ARGUMENT;
    if (*workers > p->workers_max)
        *workers = p->workers_max;
    atomic_store_explicit(&p->fail_key, SHL_NO_FAILURE, memory_order_relaxed);
    p->timing = g->timing;
    p->tracing = g->tracing;
    p->enter = g->enter;
    p->leave = g->leave;
    p->worker_ctx = g->worker_ctx;
    p->cpus = g->cpus ? g->cpus : shl_team_cpus();
    p->team = 1;
    p->spin_ns = *workers <= p->cpus ? g->spin_ns : SHL_SPIN_CROWDED_NS;
    p->patience_ns = g->patience_ns;
    p->begin_ns = shl_now_ns();
    p->parking = &p->own;
    p->helpers_leave = p->whole = p->refused = false;
    atomic_store_explicit(&p->called, true, memory_order_relaxed);
    for (uint32_t i = 0; i < *workers; i++) {
        shl_worker *w = &p->workers[i];
        w->fail_key = SHL_NO_FAILURE;
        w->status = SHOAL_OK;
        w->event_count = 0;
        w->cpu_ns = 0;
        atomic_store_explicit(&w->came, 0, memory_order_relaxed);
    }
    return SHOAL_OK;
}

shoal_status shl_run_conclude(shl_graph *g)
{
    shl_plan *p = g->plan;
    if (p->timing)
        merge_times(p);
    g->team = 0;
    g->cpu_ns = 0;
    g->wall_ns = shl_now_ns() - p->begin_ns;
    g->called = p->helpers_leave && atomic_load_explicit(&p->called, memory_order_relaxed);
    g->refused = p->refused;
    for (uint32_t i = 0; i < p->team; i++) {
        g->team += came(p, i);
        g->cpu_ns += p->workers[i].cpu_ns;
    }
    g->failure = first_failure(p);
    const shoal_status st = merge_events(g);
    return g->failure.status != SHOAL_OK ? g->failure.status : st;
}

shoal_status shl_graph_run(shl_graph *g, shl_executor executor, uint32_t workers)
{
    if (executor == SHL_EXEC_SERIAL || executor == SHL_EXEC_GUARD)
        workers = workers > 1 ? 1 : workers;
    shoal_status st = shl_run_prepare(g, &workers);
    if (st != SHOAL_OK)
        return st;
    shl_plan *p = g->plan;
    switch (executor) {
    case SHL_EXEC_SERIAL:
        shl_exec_serial(p);
        break;
    case SHL_EXEC_OMP:
        shl_exec_omp(p, workers);
        break;
    case SHL_EXEC_LOOPS:
        shl_exec_loops(p, workers);
        break;
    case SHL_EXEC_GUARD:
        st = shl_exec_guard(g, p);
        break;
    }
    const shoal_status of_jobs = shl_run_conclude(g);
    return st != SHOAL_OK ? st : of_jobs;
}

const char *shl_graph_current_job(const shl_graph *g)
{
    if (!g->plan)
        return NULL;
    const uint32_t job = atomic_load_explicit(&g->plan->current, memory_order_relaxed);
    return job == SHL_NO_JOB ? NULL : g->plan->jobs[job].name;
}

const shl_job_time *shl_graph_times(const shl_graph *g)
{
    return g->plan && g->plan->has_times ? g->plan->times : NULL;
}

uint64_t shl_graph_worker_ns(const shl_graph *g, uint32_t worker, uint32_t job)
{
    const shl_plan *p = g->plan;
    return p && p->timing && worker < p->team && came(p, worker)
               ? p->workers[worker].tally[job].busy_ns
               : 0;
}

void shl_graph_clear_times(shl_graph *g)
{
    if (shl_graph_times(g))
        memset(g->plan->times, 0, g->job_count * sizeof *g->plan->times);
}
