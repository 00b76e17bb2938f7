// SPDX-License-Identifier: MIT
#include "bench/compute_loop.h"

#include "bench/bench.h"

#include <stdlib.h>

enum { ROWS = 256 }; // chunks

static const uint32_t rows_of_loop = ROWS;

// Work that fits into registers; the result is kept, so that it is done.
static shoal_status compute(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)worker;
    uint64_t x = chunk + 1;
    double y = 1;
    for (uint32_t i = 0; i < 4000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        y = y * 0.999 + (double)(x >> 40);
    }
    ((double *)ctx)[16 * (size_t)chunk] = y;
    return SHOAL_OK;
}

shoal_status bench_compute_begin(bench_compute *c, uint32_t threads)
{
    *c = (bench_compute){.memory = shl_allocator_libc(), .threads = threads};
    shl_graph_init(&c->loop, &c->memory);
    c->loop.workers_max = threads;
    c->sink = calloc(16 * ROWS, sizeof *c->sink);
    if (!c->sink)
        return SHOAL_ERR_MEMORY;
    shl_job(&c->loop, .name = "compute", .run = compute, .ctx = c->sink, .rows = &rows_of_loop,
            .grain = 1);
    return shl_graph_compile(&c->loop);
}

void bench_compute_end(bench_compute *c)
{
    if (c->threads)
        shl_graph_finish(&c->loop);
    free(c->sink);
    *c = (bench_compute){0};
}

shoal_status bench_compute_run(bench_compute *c, double *seconds)
{
    const double start = bench_now_s();
    const shoal_status st = shl_graph_run(&c->loop, SHL_EXEC_OMP, c->threads);
    *seconds = bench_now_s() - start;
    return st;
}
