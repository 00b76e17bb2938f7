// SPDX-License-Identifier: MIT
// What the job graph costs when the jobs do nothing.
#ifndef BENCH_KERNELS_JOBS_H
#define BENCH_KERNELS_JOBS_H

#include <shoal/base.h>

// Wall time over repeats, divided by the number of nodes or chunks.
typedef struct bench_jobs_cost {
    double median_ns, best_ns;
} bench_jobs_cost;

typedef struct bench_jobs_result {
    bench_jobs_cost independent; // a node of 100,000 without edges
    bench_jobs_cost stencil;     // a node of 256 x 400, each with 3 successors in the next row
    bench_jobs_cost chain;       // a node of 100,000 in one chain
    bench_jobs_cost chunk;       // a chunk of a range job of 64, 256 such jobs in a chain
} bench_jobs_result;

// The four graphs take turns, so that a disturbance hits them alike. Takes about 0.3 s.
// False if memory is short or a run fails. While other programs hold a CPU, spinning threads of
// the OpenMP runtime add whole scheduler ticks to a run; OMP_WAIT_POLICY=passive avoids that.
bool bench_jobs(const shoal_allocator *allocator, uint32_t workers, bench_jobs_result *out);

#endif
