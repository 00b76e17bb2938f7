// SPDX-License-Identifier: MIT
// Running a graph: what all executors have in common before, during and after.
#include "runtime/jobs/plan.h"

#include <string.h>

static void prepare(shl_plan *p, uint32_t workers, bool timing)
{
    atomic_store_explicit(&p->fail_key, SHL_NO_FAILURE, memory_order_relaxed);
    p->timing = timing;
    p->team = 1;
    for (uint32_t i = 0; i < workers; i++) {
        p->workers[i].fail_key = SHL_NO_FAILURE;
        p->workers[i].status = SHOAL_OK;
    }
}

// Hosts may round another way or flush denormals to zero; jobs must not see any of that.
void shl_worker_begin(shl_plan *p, shl_worker *w)
{
    fegetenv(&w->host);
    fesetenv(FE_DFL_ENV);
    if (p->timing)
        memset(w->tally, 0, p->job_count * sizeof *w->tally);
}

void shl_worker_end(const shl_worker *w)
{
    fesetenv(&w->host);
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

shoal_status shl_worker_call_timed(const shl_node *node, shl_worker *w, shl_tally *tally,
                                   shl_span rows, uint32_t chunk)
{
    const uint64_t begin = shl_now_ns();
    const shoal_status status = node->run(node->ctx, rows, chunk, w->index);
    const uint64_t end = shl_now_ns();
    if (tally->chunks++ == 0)
        tally->begin_ns = begin;
    tally->end_ns = end;
    tally->busy_ns += end - begin;
    return status;
}

static void merge_times(shl_plan *p)
{
    for (uint32_t job = 0; job < p->job_count; job++) {
        shl_job_time *time = &p->times[job];
        time->begin_ns = time->end_ns = 0;
        for (uint32_t i = 0; i < p->team; i++) {
            const shl_tally *t = &p->workers[i].tally[job];
            if (t->chunks == 0)
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

shoal_status shl_graph_run(shl_graph *g, shl_executor executor, uint32_t workers)
{
    shl_plan *p = g->plan;
    if (!p || workers == 0 || (g->timing && !p->has_times))
        return SHOAL_ERR_ARGUMENT;
    if (workers > p->workers_max)
        workers = p->workers_max;
    if (executor == SHL_EXEC_SERIAL)
        workers = 1;
    prepare(p, workers, g->timing);
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
    }
    if (p->timing)
        merge_times(p);
    g->team = p->team;
    g->failure = first_failure(p);
    return g->failure.status;
}

const shl_job_time *shl_graph_times(const shl_graph *g)
{
    return g->plan && g->plan->has_times ? g->plan->times : NULL;
}

void shl_graph_clear_times(shl_graph *g)
{
    if (shl_graph_times(g))
        memset(g->plan->times, 0, g->job_count * sizeof *g->plan->times);
}
