// SPDX-License-Identifier: MIT
// A loop of arithmetic in registers: what it does not gain by more threads nobody can.
#ifndef BENCH_HARNESS_COMPUTE_LOOP_H
#define BENCH_HARNESS_COMPUTE_LOOP_H

#include "runtime/jobs/graph.h"

typedef struct bench_compute_loop {
    shoal_allocator memory;
    shl_graph graph;
    uint32_t threads;
    double *sink;
} bench_compute_loop;

// At most `threads` work on it. It must not move in memory until it is finished.
SHOAL_CHECK shoal_status bench_compute_loop_init(bench_compute_loop *loop, uint32_t threads);
void bench_compute_loop_finish(bench_compute_loop *loop);

// Runs it once; the seconds that it took.
SHOAL_CHECK shoal_status bench_compute_loop_run(bench_compute_loop *loop, double *seconds);

#endif
