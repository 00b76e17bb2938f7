// SPDX-License-Identifier: MIT
// Lines as a picture.
#ifndef BENCH_HARNESS_LINES_SVG_H
#define BENCH_HARNESS_LINES_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// One line: y over x, with a bar from low to high where they differ.
typedef struct bench_line {
    const char *name;
    const char *colour;
    bool dashed;
    uint32_t count;
    const double *x, *y;
    const double *low, *high; // NULL: no bars
} bench_line;

typedef struct bench_lines {
    const char *title, *x_name, *y_name;
    const bench_line *lines;
    uint32_t count;
    double x_end; // 0: a round number above all x
} bench_lines;

void bench_lines_draw(FILE *f, const bench_lines *picture);

// Fills a file with what `draw` writes, whole or not at all. False: it said why it
// could not.
typedef void bench_draw_fn(FILE *f, const void *what);
bool bench_file_write(const char *path, bench_draw_fn *draw, const void *what);

#endif
