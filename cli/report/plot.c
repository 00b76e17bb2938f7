// SPDX-License-Identifier: MIT
#include "cli/report/plot.h"

#include "bench/harness/chart.h"

#include <stdlib.h>

bool shl_plot_write(FILE *f, const char *title, const shl_plot_step *steps, uint32_t count)
{
    static const char *const names[SHL_PLOT_PHASES] = {"update", "broad phase", "traversal",
                                                       "leaf tests", "sorting"};
    double *columns = calloc(SHL_PLOT_PHASES + 2, (count + (size_t)1) * sizeof *columns);
    if (!columns)
        return false;
    double *const x = columns, *const pairs = columns + count;
    bench_line lines[SHL_PLOT_PHASES + 1];
    for (int k = 0; k < SHL_PLOT_PHASES; k++) {
        double *y = columns + (size_t)(k + 2) * count;
        for (uint32_t i = 0; i < count; i++)
            y[i] = steps[i].ms[k];
        lines[k] = (bench_line){.name = names[k], .count = count, .x = x, .y = y, .area = true};
    }
    for (uint32_t i = 0; i < count; i++) {
        x[i] = i + 1.0;
        pairs[i] = (double)steps[i].pairs;
    }
    lines[SHL_PLOT_PHASES] = (bench_line){.name = "pairs found",
                                          .colour = "#222222",
                                          .count = count,
                                          .x = x,
                                          .y = pairs,
                                          .right = true};
    const bench_lines picture = {.title = title,
                                 .x_name = "step",
                                 .y_name = "ms of work per step",
                                 .right_name = "pairs",
                                 .lines = lines,
                                 .count = SHL_PLOT_PHASES + 1,
                                 .x_begin = 1,
                                 .x_end = count};
    bench_lines_draw(f, &picture);
    free(columns);
    return true;
}
