// SPDX-License-Identifier: MIT
// A loop of arithmetic in registers on some threads: what it does not gain nobody can.
#ifndef BENCH_COMPUTE_LOOP_H
#define BENCH_COMPUTE_LOOP_H

#include "runtime/jobs/graph.h"

typedef struct bench_compute {
    shoal_allocator memory;
    shl_graph loop;
    double *sink;
    uint32_t threads; // 0: it was not begun
} bench_compute;

SHOAL_CHECK shoal_status bench_compute_begin(bench_compute *compute, uint32_t threads);
void bench_compute_end(bench_compute *compute);

// Runs it once and tells how long that took.
SHOAL_CHECK shoal_status bench_compute_run(bench_compute *compute, double *seconds);

#endif
