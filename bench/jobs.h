// SPDX-License-Identifier: MIT
// What the job graph costs when the jobs do nothing.
#ifndef BENCH_JOBS_H
#define BENCH_JOBS_H

#include <shoal/base.h>

// Medians over repeats, wall time divided by the number of nodes or chunks.
typedef struct bench_jobs_result {
    double independent_ns; // a node of 100,000 without edges
    double stencil_ns;     // a node of 256 x 400, each with 3 successors in the next row
    double chain_ns;       // a node of 100,000 in one chain
    double chunk_ns;       // a chunk of a range job of 64 chunks, 256 such jobs in a chain
} bench_jobs_result;

// The four graphs take turns, so that a disturbance hits them alike. Takes about 0.3 s.
// False if memory is short or a run fails.
bool bench_jobs(const shoal_allocator *allocator, uint32_t workers, bench_jobs_result *out);

#endif
