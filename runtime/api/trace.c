// SPDX-License-Identifier: MIT
#include "runtime/scene/scene.h"

#include <shoal/study.h>

void shoal_scene_set_trace(shoal_scene *s, bool on)
{
    s->runner.graph.tracing = on;
    if (!on)
        s->runner.graph.event_count = 0;
}

const shoal_event *shoal_scene_events(const shoal_scene *s, size_t *count)
{
    *count = s->runner.graph.event_count;
    return s->runner.graph.event_count ? s->runner.graph.events.data : NULL;
}

shoal_status shoal_scene_write_graph(const shoal_scene *s, shoal_graph_format format,
                                     shoal_write_fn *write, void *user)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "write_graph: the scene is NULL");
    if (!write || (unsigned)format > SHOAL_GRAPH_DOT)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "write_graph: no writer or unknown format");
    return format == SHOAL_GRAPH_DOT ? shl_graph_dot(&s->runner.graph, write, user)
                                     : shl_graph_text(&s->runner.graph, write, user);
}

const char *shoal_scene_running_job(const shoal_scene *s)
{
    return shl_graph_current_job(&s->runner.graph);
}
