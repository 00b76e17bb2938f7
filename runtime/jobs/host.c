// SPDX-License-Identifier: MIT
// The graph on threads of the host: for simulators that own their parallel region.
#include "runtime/jobs/plan.h"

shoal_status shl_graph_begin(shl_graph *g, uint32_t workers)
{
    const shoal_status st = shl_run_prepare(g, &workers);
    if (st != SHOAL_OK)
        return st;
    shl_plan *p = g->plan;
    p->team = workers;
    p->begun = true;
    shl_steal_prepare(p, workers);
    atomic_store_explicit(&p->inside, 0, memory_order_relaxed);
    return SHOAL_OK;
}

shoal_status shl_graph_work(shl_graph *g, uint32_t worker)
{
    shl_plan *p = g->plan;
    if (!p || !p->begun || worker >= p->team)
        return SHOAL_ERR_ARGUMENT;
    shl_worker *w = &p->workers[worker];
    if (atomic_exchange_explicit(&w->came, 1, memory_order_relaxed))
        return SHOAL_ERR_ARGUMENT;
    atomic_fetch_add_explicit(&p->inside, 1, memory_order_relaxed);
    shl_steal_work(p, w, p->team);
    atomic_fetch_sub_explicit(&p->inside, 1, memory_order_release);
    return SHOAL_OK;
}

bool shl_graph_busy(const shl_graph *g)
{
    return g->plan && atomic_load_explicit(&g->plan->inside, memory_order_acquire) > 0;
}

shoal_status shl_graph_end(shl_graph *g)
{
    shl_plan *p = g->plan;
    if (!p || !p->begun || shl_graph_busy(g))
        return SHOAL_ERR_ARGUMENT;
    // workers leave only when all jobs are done, so if some are left nobody came
    if (atomic_load_explicit(&p->jobs_left, memory_order_relaxed)) {
        const shoal_status st = shl_graph_work(g, 0);
        if (st != SHOAL_OK)
            return st;
    }
    p->begun = false;
    return shl_run_conclude(g);
}
