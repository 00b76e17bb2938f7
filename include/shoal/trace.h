// SPDX-License-Identifier: MIT
/// The job graph of a step, and the events of its workers.
#ifndef SHOAL_TRACE_H
#define SHOAL_TRACE_H

#include <shoal/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One chunk of one job, as it ran. Times are nanoseconds of CLOCK_MONOTONIC.
typedef struct shoal_event {
    const char *job; ///< static text
    uint64_t begin_ns, end_ns;
    uint32_t begin, end; ///< rows of the job
    uint32_t chunk;
    uint32_t worker; ///< the GPU's job, "gpu", counts as that of one more worker
} shoal_event;

/// Record the events of the coming steps, or stop it. Off by default, and then without cost;
/// on, it costs a store per chunk. A step whose events find no memory fails.
SHOAL_API void shoal_scene_set_trace(shoal_scene *scene, bool on);

/// View the events of the last step: worker by worker, each in the order of time. Borrowed from
/// the scene; valid until the next call that changes it. NULL and 0 when they are not recorded.
SHOAL_API const shoal_event *shoal_scene_events(const shoal_scene *scene, size_t *count);

/// What one worker spent on a phase of the last step, in seconds; in sum over the workers that
/// of shoal_scene_seconds(). 0 for a worker that did not come. Threads of the host may come
/// with any numbers; else they are those below shoal_stats.workers.
SHOAL_API double shoal_scene_worker_seconds(const shoal_scene *scene, uint32_t worker,
                                            shoal_phase phase);

/// Takes a piece of text, not terminated.
typedef void shoal_write_fn(void *user, const char *text, size_t length);

/// How a graph is written.
typedef enum shoal_graph_format {
    SHOAL_GRAPH_TEXT = 0, ///< one line per job: rows, tables, successors
    SHOAL_GRAPH_DOT,      ///< for Graphviz
} shoal_graph_format;

/// Write the jobs of a step, the tables they read and write, and their dependencies.
/// Errors: ARGUMENT.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_write_graph(const shoal_scene *scene,
                                                           shoal_graph_format format,
                                                           shoal_write_fn *write, void *user);

#ifdef __cplusplus
}
#endif

#endif
