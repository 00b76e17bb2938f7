// SPDX-License-Identifier: MIT
// metrics.jsonl: one JSON object a step. What a step found comes first and is the same in every
// run of the same input; what it cost is in "measured", last in the line, and is not.
#ifndef SHL_CLI_RUN_METRICS_H
#define SHL_CLI_RUN_METRICS_H

#include "cli/report/plot.h"
#include "cli/run/stream.h"

#include <shoal/scene.h>

void shl_metrics_put(shl_stream *stream, uint32_t step, const shoal_scene *scene,
                     const shoal_stats *stats, double deform_s);

// What --plot draws of a step.
shl_plot_step shl_metrics_plot(const shoal_scene *scene);

// The same of steps 1 to `count`, from a file. False: it does not hold them.
bool shl_metrics_read(const char *path, uint32_t count, shl_plot_step *out);

#endif
