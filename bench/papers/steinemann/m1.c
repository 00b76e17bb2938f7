// SPDX-License-Identifier: MIT
// M1: what the box of a whole skinned body costs, beside the box of all its vertices,
// evaluated with equal care, and beside table 1 of Steinemann et al. 2007.
#include "bench/harness/bench.h"
#include "bench/papers/steinemann/brain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZES = 3, CHUNK = 64, ROUNDS = 2000, REPEATS = 9 };

static const uint32_t vertex_counts[SIZES] = {3500, 29966, 145000};
static const uint32_t node_counts[SIZES] = {65, 225, 509};
// Microseconds on a Pentium 4: by vertices and nodes, and the optimal box.
static const double paper[SIZES][SIZES + 1] = {
    {15, 35, 90, 2.0e3}, {18, 48, 100, 17.2e3}, {18, 46, 100, 82.5e3}};

typedef struct times {
    double root_us, open_us, ready_us, optimal_us;
} times;

// The box of all vertices, evaluated a few at a time so that they stay in the cache.
static void optimal_box(const bench_brain *b, const shl_kernels *kernels, shl_box *out)
{
    static const float far = INFINITY;
    *out = (shl_box){{far, far, far}, {-far, -far, -far}};
    double xyz[3 * CHUNK];
    uint32_t rows[CHUNK];
    for (uint32_t v = 0; v < b->tree.used_vertices; v += CHUNK) {
        const uint32_t left = b->tree.used_vertices - v, n = left < CHUNK ? left : CHUNK;
        shl_box box;
        for (uint32_t i = 0; i < n; i++)
            rows[i] = v + i;
        kernels->skinned_eval(&b->skinned, b->body.maps.data, rows, n, xyz);
        (void)kernels->vertex_box[SHOAL_F64](xyz, 0, n, NULL, 0, &box);
        for (int k = 0; k < 3; k++) {
            out->lo[k] = fminf(out->lo[k], box.lo[k]);
            out->hi[k] = fmaxf(out->hi[k], box.hi[k]);
        }
    }
}

static double root_once(bench_brain *b, const shl_kernels *kernels, uint32_t rounds)
{
    const double start = bench_now_s();
    for (uint32_t i = 0; i < rounds; i++)
        kernels->skinned_box(&b->skinned, b->body.ready.data, b->scratch.kernel_buffer.data,
                             &b->root);
    return 1e6 * (bench_now_s() - start) / rounds;
}

static double ready_once(bench_brain *b, const shl_kernels *kernels, uint32_t rounds)
{
    const double start = bench_now_s();
    for (uint32_t i = 0; i < rounds; i++)
        shl_skinned_update(kernels, &b->body, &b->rows, &b->scratch);
    return 1e6 * (bench_now_s() - start) / rounds;
}

static double open_once(bench_brain *b, const shl_kernels *kernels, uint32_t rounds)
{
    shl_block block;
    const double start = bench_now_s();
    for (uint32_t i = 0; i < rounds; i++)
        shl_skinned_bound(kernels, &b->body, 0, &b->scratch, &block);
    return 1e6 * (bench_now_s() - start) / rounds;
}

// Contenders in turns; the medians.
static bool measure(bench_brain *b, const shl_kernels *kernels, times *out)
{
    double root[REPEATS], open[REPEATS], ready[REPEATS], optimal[REPEATS];
    bool good = true;
    bench_brain_pose(b, kernels, SHL_BRAIN_PULL, 0.7);
    for (int r = 0; r < REPEATS; r++) {
        shl_box box;
        root[r] = root_once(b, kernels, ROUNDS);
        open[r] = open_once(b, kernels, ROUNDS / 10);
        ready[r] = ready_once(b, kernels, ROUNDS / 10);
        const double start = bench_now_s();
        optimal_box(b, kernels, &box);
        optimal[r] = 1e6 * (bench_now_s() - start);
        for (int k = 0; k < 3; k++)
            good = good && b->root.lo[k] <= box.lo[k] && box.hi[k] <= b->root.hi[k];
    }
    *out = (times){bench_median(root, REPEATS), bench_median(open, REPEATS),
                   bench_median(ready, REPEATS), bench_median(optimal, REPEATS)};
    return good;
}

static void gates(bench_report *report, const times t[SIZES][SIZES], const double nodes[SIZES],
                  bool good)
{
    double flat = 0, linear = 0;
    for (int n = 0; n < SIZES; n++) {
        double least = INFINITY, most = 0;
        for (int v = 0; v < SIZES; v++) {
            least = fmin(least, t[v][n].root_us);
            most = fmax(most, t[v][n].root_us);
        }
        flat = fmax(flat, most / least);
    }
    for (int v = 0; v < SIZES; v++)
        linear =
            fmax(linear, log(t[v][2].root_us / t[v][0].root_us) / log(nodes[2] / nodes[0]));
    const times *large = &t[SIZES - 1][SIZES - 1];
    bench_gate(report, "root box, slowest over fastest from 3.5 K to 145 K vertices", flat,
               1.15, 1.05, BENCH_LOWER);
    bench_gate(report, "root box, exponent of its time over nodes", linear, 1.05, 1,
               BENCH_LOWER);
    bench_gate(report, "root box of 509 nodes at 145 K vertices, us", large->root_us, 2, 1,
               BENCH_LOWER);
    bench_gate(report, "optimal box / root box, 509 nodes, 145 K vertices",
               large->optimal_us / large->root_us, 1500, 5000, BENCH_HIGHER);
    bench_gate(report, "all vertices were inside", good, 1, 1, BENCH_HIGHER);
}

shoal_status bench_m1(const bench_options *options, bench_report *report)
{
    (void)options;
    shl_kernels kernels;
    shl_kernels_init(&kernels, SHOAL_CPU_BEST);
    times t[SIZES][SIZES];
    double nodes[SIZES];
    bool good = true;
    for (int v = 0; v < SIZES; v++) {
        for (int n = 0; n < SIZES; n++) {
            bench_brain b;
            const shoal_status st = bench_brain_create(vertex_counts[v], node_counts[n], 8, &b);
            if (st != SHOAL_OK)
                return st;
            good &= measure(&b, &kernels, &t[v][n]);
            nodes[n] = b.skinned.point_count;
            bench_row(report,
                      json_pack("{s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f}", "vertices",
                                (int)b.tree.vertex_count, "nodes", (int)b.skinned.point_count,
                                "root_us", t[v][n].root_us, "prepare_us", t[v][n].ready_us,
                                "root_children_us", t[v][n].open_us, "optimal_us",
                                t[v][n].optimal_us, "paper_root_us", paper[v][n],
                                "paper_optimal_us", paper[v][SIZES]));
            bench_brain_finish(&b);
        }
    }
    gates(report, (const times(*)[SIZES])t, nodes, good);
    return SHOAL_OK;
}
