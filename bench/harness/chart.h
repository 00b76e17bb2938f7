// SPDX-License-Identifier: MIT
// Lines, stacked areas and bars as SVG. A drawing stands alone or in a page, whose style sheet
// then wins over the colours that are given here.
#ifndef BENCH_HARNESS_CHART_H
#define BENCH_HARNESS_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { BENCH_COLOURS = 8 };
extern const char *const bench_colours[BENCH_COLOURS];

// One line: y over x, with a bar from low to high where they differ. Of a long one the means of
// its neighbours are drawn.
typedef struct bench_line {
    const char *name;
    const char *colour; // NULL: that of its number
    bool dashed;
    uint32_t count;
    const double *x, *y;
    const double *low, *high; // NULL: no bars
    bool area;                // from the area before it upwards; areas come first
    bool right;               // it has an axis of its own
} bench_line;

typedef struct bench_lines {
    const char *title, *x_name, *y_name;
    const bench_line *lines;
    uint32_t count;
    double x_end;           // 0: a round number above all x
    double x_begin;         //
    const char *right_name; // of the other axis; NULL: there is none
    bool bare;              // a page has title, legend and the name of y
} bench_lines;

void bench_lines_draw(FILE *f, const bench_lines *picture);

typedef struct bench_bar {
    char label[96];
    uint32_t colour; // of bench_colours
    double value;
} bench_bar;

// How many bars bench_bars_draw() draws: those above 0.
uint32_t bench_bars_shown(const bench_bar *bars, size_t count);

// Bars below each other, for a page, on a logarithmic axis.
void bench_bars_draw(FILE *f, const bench_bar *bars, size_t count);

// Fills a file with what `draw` writes, whole or not at all. False: it said why it
// could not.
typedef void bench_draw_fn(FILE *f, const void *what);
bool bench_file_write(const char *path, bench_draw_fn *draw, const void *what);

#endif
