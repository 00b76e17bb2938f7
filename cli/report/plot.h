// SPDX-License-Identifier: MIT
// A run as a picture: time a step by phase, stacked, and the pairs found.
#ifndef SHL_CLI_REPORT_PLOT_H
#define SHL_CLI_REPORT_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SHL_PLOT_PHASES = 5 };

// One step: milliseconds of update, broad phase, traversal, leaf tests and sorting, in this
// order.
typedef struct shl_plot_step {
    double ms[SHL_PLOT_PHASES];
    uint64_t pairs;
} shl_plot_step;

// Writes it as SVG.  False: no memory.
bool shl_plot_write(FILE *file, const char *title, const shl_plot_step *steps, uint32_t count);

#endif
