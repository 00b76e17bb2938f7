// SPDX-License-Identifier: MIT
// Describing a graph.
#include "runtime/jobs/graph.h"

#include "runtime/jobs/plan.h"

void shl_graph_init(shl_graph *g, const shoal_allocator *allocator)
{
    *g = (shl_graph){
        .allocator = allocator, .failure = {.job = SHL_NO_JOB}, .spin_ns = SHL_SPIN_NS};
}

void shl_plan_free(shl_plan *p, const shoal_allocator *allocator)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->workers_max; i++)
        shl_array_finish(&p->workers[i].events, allocator);
    shl_free(allocator, p, p->bytes);
}

static void drop_plan(shl_graph *g)
{
    shl_plan_free(g->plan, g->allocator);
    g->plan = NULL;
}

void shl_graph_finish(shl_graph *g)
{
    drop_plan(g);
    shl_array_finish(&g->jobs, g->allocator);
    shl_array_finish(&g->edges, g->allocator);
    shl_array_finish(&g->events, g->allocator);
    shl_array_finish(&g->extents.rows, g->allocator);
    shl_graph_init(g, g->allocator);
}

shoal_status shl_graph_add(shl_graph *g, const shl_job_desc *desc)
{
    if (!desc->name || !desc->run)
        return SHOAL_ERR_ARGUMENT;
    if (g->job_count == SHL_NO_JOB - 1)
        return SHOAL_ERR_LIMIT;
    const shoal_status st =
        shl_array_append(&g->jobs, g->job_count, desc, sizeof *desc, g->allocator);
    if (st != SHOAL_OK)
        return st;
    shl_job_desc *job = (shl_job_desc *)g->jobs.data + g->job_count++;
    job->stage = job->stage ? job->stage : g->stage;
    drop_plan(g);
    return SHOAL_OK;
}

void shl_graph_declare(shl_graph *g, const shl_job_desc *desc)
{
    // a list with a hole would have other edges, so nothing is added after a failure
    if (g->status == SHOAL_OK)
        g->status = shl_graph_add(g, desc);
}

shoal_status shl_graph_add_list(shl_graph *g, const shl_job_desc *jobs, size_t count,
                                const shl_job_desc *common)
{
    shoal_status st = SHOAL_OK;
    for (size_t i = 0; i < count && st == SHOAL_OK; i++) {
        shl_job_desc job = jobs[i];
        job.ctx = job.ctx ? job.ctx : common->ctx;
        job.phase = job.phase ? job.phase : common->phase;
        job.reads |= common->reads;
        job.opens |= common->opens;
        job.writes |= common->writes;
        st = shl_graph_add(g, &job);
    }
    return st;
}

shoal_status shl_graph_edge(shl_graph *g, uint32_t from, uint32_t to)
{
    if (from >= to || to >= g->job_count)
        return SHOAL_ERR_ARGUMENT;
    if (g->edge_count == UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    const shl_edge edge = {from, to};
    const shoal_status st =
        shl_array_append(&g->edges, g->edge_count, &edge, sizeof edge, g->allocator);
    g->edge_count += st == SHOAL_OK;
    if (st == SHOAL_OK)
        drop_plan(g);
    return st;
}

shoal_status shl_graph_event(shl_graph *g, const char *job, uint32_t worker, uint64_t begin_ns,
                             uint64_t end_ns)
{
    const size_t n = g->event_count, size = sizeof(shoal_event);
    const shoal_status st =
        g->tracing ? shl_array_reserve(&g->events, (n + 1) * size, n * size, g->allocator)
                   : SHOAL_OK;
    if (st != SHOAL_OK || !g->tracing)
        return st;
    // worker by worker, each in the order of time
    shoal_event *events = g->events.data;
    size_t at = g->event_count++;
    for (; at > 0 && (events[at - 1].worker > worker ||
                      (events[at - 1].worker == worker && events[at - 1].begin_ns > begin_ns));
         at--)
        events[at] = events[at - 1];
    events[at] = (shoal_event){
        .job = job, .begin_ns = begin_ns, .end_ns = end_ns, .end = 1, .worker = worker};
    return SHOAL_OK;
}
