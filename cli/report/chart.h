// SPDX-License-Identifier: MIT
// Lines and stacked areas over the steps of a run, as SVG that stands in an HTML page and takes
// its colours from there.
#ifndef SHL_CLI_REPORT_CHART_H
#define SHL_CLI_REPORT_CHART_H

#include "io/plain.h"

enum { SHL_CHART_SERIES = 8 };

typedef struct shl_chart {
    const char *title, *unit;
    const char *names[SHL_CHART_SERIES];
    const double *values[SHL_CHART_SERIES]; // [steps]
    int series;
    bool stacked; // areas on top of each other
    uint32_t first, steps;
} shl_chart;

// Long runs are drawn by the mean of what falls on a pixel or two.
void shl_chart_put(shl_output *out, const shl_chart *chart);

#endif
