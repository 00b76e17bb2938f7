// SPDX-License-Identifier: MIT
#include "layouts/float_env.h"
#include "runtime/scene/times.h"

void shoal_scene_set_trace(shoal_scene *s, bool on)
{
    s->graph.tracing = on;
    if (!on)
        s->graph.event_count = 0;
}

const shoal_event *shoal_scene_events(const shoal_scene *s, size_t *count)
{
    *count = s->graph.event_count;
    return s->graph.event_count ? s->graph.events.data : NULL;
}

shoal_worker_times shoal_scene_worker_times(const shoal_scene *s, uint32_t worker)
{
    SHL_FLOAT_ENV(host);
    shoal_worker_times out = {0};
    double seconds[SHL_TIMES];
    if (worker >= s->workers_count)
        return out;
    shl_times_of(s, worker, seconds);
    out.gather_s = seconds[SHL_TIME_GATHER];
    out.refit_s = seconds[SHL_TIME_REFIT];
    out.rebuild_s = seconds[SHL_TIME_REBUILD];
    out.broad_s = seconds[SHL_TIME_BROAD];
    out.leaf_s = 1e-9 * (double)s->workers[worker].count.leaf_ns;
    out.traverse_s = seconds[SHL_TIME_SEARCH] + seconds[SHL_TIME_LISTS] - out.leaf_s;
    out.contact_s = seconds[SHL_TIME_CONTACT];
    out.distance_s = seconds[SHL_TIME_DISTANCE] + seconds[SHL_TIME_GRID];
    out.sort_s = seconds[SHL_TIME_SORT];
    return out;
}

shoal_status shoal_scene_write_graph(const shoal_scene *s, shoal_graph_format format,
                                     shoal_write_fn *write, void *user)
{
    if (!s)
        return SHOAL_ERR_ARGUMENT;
    if (!write || (unsigned)format > SHOAL_GRAPH_DOT)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "write_graph: no writer or unknown format");
    return format == SHOAL_GRAPH_DOT ? shl_graph_dot(&s->graph, write, user)
                                     : shl_graph_text(&s->graph, write, user);
}

const char *shoal_scene_running_job(const shoal_scene *s)
{
    return shl_graph_current_job(&s->graph);
}
