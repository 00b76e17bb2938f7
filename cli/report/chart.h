// SPDX-License-Identifier: MIT
// Figures of a page: a drawing with a caption and a legend.
#ifndef SHL_CLI_REPORT_CHART_H
#define SHL_CLI_REPORT_CHART_H

#include "bench/harness/chart.h"
#include "io/plain.h"

typedef struct shl_figure {
    const char *title, *unit;
    const char *names[BENCH_COLOURS]; // NULL: no such in the legend
    bench_draw_fn *draw;
    const void *what;
} shl_figure;

void shl_figure_put(shl_output *out, const shl_figure *figure);

// Lines or stacked areas over the steps of a run.
typedef struct shl_chart {
    const char *title, *unit;
    const char *names[BENCH_COLOURS];
    const double *values[BENCH_COLOURS]; // [steps]
    int series;
    bool stacked; // areas on top of each other
    uint32_t first, steps;
} shl_chart;

void shl_chart_put(shl_output *out, const shl_chart *chart);

#endif
