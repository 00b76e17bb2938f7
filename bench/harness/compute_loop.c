// SPDX-License-Identifier: MIT
#include "bench/harness/compute_loop.h"

#include "bench/harness/bench.h"

#include <stdlib.h>

enum { CHUNKS = 256 };

static const uint32_t chunks = CHUNKS;

// Work that fits into registers; the result is kept, so that it is done.
static shoal_status compute(void *ctx, shl_chunk rows)
{
    (void)rows;
    uint64_t x = rows.chunk + 1;
    double y = 1;
    for (uint32_t i = 0; i < 4000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        y = y * 0.999 + (double)(x >> 40);
    }
    ((double *)ctx)[16 * (size_t)rows.chunk] = y;
    return SHOAL_OK;
}

shoal_status bench_compute_loop_init(bench_compute_loop *l, uint32_t threads)
{
    *l = (bench_compute_loop){.memory = shl_allocator_libc(), .threads = threads};
    shl_graph_init(&l->graph, &l->memory);
    l->graph.workers_max = threads;
    l->sink = calloc(16 * CHUNKS, sizeof *l->sink);
    if (!l->sink)
        return SHOAL_ERR_MEMORY;
    shl_job(&l->graph, .name = "compute", .run = compute, .ctx = l->sink, .rows = &chunks,
            .grain = 1);
    return shl_graph_compile(&l->graph);
}

void bench_compute_loop_finish(bench_compute_loop *l)
{
    if (l->threads)
        shl_graph_finish(&l->graph);
    free(l->sink);
}

shoal_status bench_compute_loop_run(bench_compute_loop *l, double *seconds)
{
    const double start = bench_now_s();
    const shoal_status st = shl_graph_run(&l->graph, SHL_EXEC_OMP, l->threads);
    *seconds = bench_now_s() - start;
    return st;
}
