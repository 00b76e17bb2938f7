// SPDX-License-Identifier: MIT
#include "bench/harness/case_time.h"

#include "bench/harness/bench.h"

#include <string.h>

const shl_case *bench_case_named(const char *name)
{
    for (int i = 0; shl_cases[i]; i++) {
        if (strcmp(shl_cases[i]->name, name) == 0)
            return shl_cases[i];
    }
    return NULL;
}

double bench_case_ns(const shl_case *c, const shl_kernels *kernels)
{
    double seconds = 0;
    uint64_t calls = 0;
    for (uint64_t batch = 1; seconds < 2e-4; batch *= 2) {
        const double start = bench_now_s();
        for (uint64_t i = 0; i < batch; i++)
            c->run(kernels, c->bench_rows, SHL_NEW);
        seconds = bench_now_s() - start;
        calls = batch;
    }
    return 1e9 * seconds / ((double)calls * c->bench_rows);
}
