// SPDX-License-Identifier: MIT
// What a scaling study measures and how it is shown.
#ifndef BENCH_SCALING_SCALING_H
#define BENCH_SCALING_SCALING_H

#include "bench/harness/bench.h"

enum { BENCH_COUNTS_MAX = 33, BENCH_REPEATS_MAX = 100, BENCH_STEPS_MAX = 80 };

// One thread count of one study. Times are milliseconds.
typedef struct bench_scaling_row {
    const char *study; // "strong" or "weak"
    uint32_t threads, bodies;
    uint64_t triangles, pairs;    // pairs of all steps
    uint64_t hash;                // of all steps
    double ms[BENCH_REPEATS_MAX]; // a step, mean of a repeat
    // Each step, and the loop run after it, in each repeat.
    double step[BENCH_STEPS_MAX][BENCH_REPEATS_MAX],
        compute[BENCH_STEPS_MAX][BENCH_REPEATS_MAX];
    uint32_t steps;
    // filled by bench_scaling_rate()
    double ms_step;                    // each step's median of all repeats, in the mean
    double ms_min, ms_median, ms_max;  // of the repeats
    double speed_up;                   // of ms_step; weak: times work
    double speed_up_min, speed_up_max; // of the repeats
    double efficiency, compute_speed_up;
    double relative;   // speed-up over that of the compute loop, which counts as 1 at least
    double karp_flatt; // serial fraction; NaN for one thread
} bench_scaling_row;

// Speed-ups of `row` against `base`, its study's row of one thread.
void bench_scaling_rate(bench_scaling_row *row, const bench_scaling_row *base, uint32_t repeat);

typedef struct bench_scaling_table {
    const char *scene;
    const bench_scaling_row *rows;
    uint32_t count, repeat, steps;
} bench_scaling_table;

json_t *bench_scaling_json(const bench_scaling_row *row);
bool bench_scaling_csv(const char *path, const bench_scaling_table *table);
bool bench_scaling_plot(const char *path, const bench_scaling_table *table);

#endif
