// SPDX-License-Identifier: MIT
#include "bench/kernels/jobs.h"

#include "bench/harness/clock.h"
#include "runtime/jobs/graph.h"

enum {
    NODES = 100000,
    WIDTH = 256,
    DEPTH = 400,
    RANGES = 256,
    CHUNKS = 64,
    GRAPHS = 4,
    WARM_UP = 2,
    REPEATS = 15,
};

static const uint32_t chunk_rows = CHUNKS;

static shoal_status nothing(void *ctx, shl_chunk rows)
{
    (void)ctx, (void)rows;
    return SHOAL_OK;
}

static shoal_status add_nodes(shl_graph *g, uint32_t count, const uint32_t *rows)
{
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < count && st == SHOAL_OK; i++)
        st = shl_graph_add(
            g, &(shl_job_desc){.name = "nothing", .run = nothing, .rows = rows, .grain = 1});
    return st;
}

static shoal_status add_chain(shl_graph *g, uint32_t count, const uint32_t *rows)
{
    shoal_status st = add_nodes(g, count, rows);
    for (uint32_t i = 1; i < count && st == SHOAL_OK; i++)
        st = shl_graph_edge(g, i - 1, i);
    return st;
}

static shoal_status add_stencil(shl_graph *g)
{
    shoal_status st = add_nodes(g, WIDTH * DEPTH, NULL);
    for (uint32_t row = 1; row < DEPTH; row++) {
        for (uint32_t x = 0; x < WIDTH; x++) {
            for (uint32_t side = WIDTH - 1; side <= WIDTH + 1 && st == SHOAL_OK; side++)
                st = shl_graph_edge(g, (row - 1) * WIDTH + x, row * WIDTH + (x + side) % WIDTH);
        }
    }
    return st;
}

static shoal_status build(shl_graph *g, uint32_t which)
{
    switch (which) {
    case 0:
        return add_nodes(g, NODES, NULL);
    case 1:
        return add_stencil(g);
    case 2:
        return add_chain(g, NODES, NULL);
    default:
        return add_chain(g, RANGES, &chunk_rows);
    }
}

static bench_jobs_cost cost(double *times)
{
    const double median = bench_median(times, REPEATS);
    return (bench_jobs_cost){median, times[0]};
}

bool bench_jobs(const shoal_allocator *allocator, uint32_t workers, bench_jobs_result *out)
{
    static const double units[GRAPHS] = {NODES, WIDTH * DEPTH, NODES, RANGES * CHUNKS};
    shl_graph graphs[GRAPHS];
    double times[GRAPHS][REPEATS];
    bool good = workers > 0;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        shl_graph_init(&graphs[i], allocator);
        graphs[i].workers_max = workers;
        good = good && build(&graphs[i], i) == SHOAL_OK &&
               shl_graph_compile(&graphs[i]) == SHOAL_OK;
    }
    for (int turn = -WARM_UP; good && turn < REPEATS; turn++) {
        for (uint32_t i = 0; i < GRAPHS; i++) {
            const double begin = bench_now_s();
            good = good && shl_graph_run(&graphs[i], SHL_EXEC_OMP, workers) == SHOAL_OK;
            if (turn >= 0)
                times[i][turn] = 1e9 * (bench_now_s() - begin) / units[i];
        }
    }
    for (uint32_t i = 0; i < GRAPHS; i++)
        shl_graph_finish(&graphs[i]);
    if (good)
        *out =
            (bench_jobs_result){cost(times[0]), cost(times[1]), cost(times[2]), cost(times[3])};
    return good;
}
