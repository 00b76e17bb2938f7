// SPDX-License-Identifier: MIT
// L5: which boxes overlap, 32 to 10^6 of them. Brute force, the one-axis sweep, incremental
// sweep and prune and the tree see the same boxes in turns, moving a little from frame to frame
// and back (at most a hundredth of the usual box a frame), and must find the same pairs.
#include "bench/harness/bench.h"
#include "runtime/broad/broad.h"

#include <math.h>
#include <shoal/study.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 4, BRUTE_MOST = 10000 };
static const shoal_broad methods[METHODS] = {SHOAL_BROAD_BRUTE, SHOAL_BROAD_SWEEP,
                                             SHOAL_BROAD_INCREMENTAL, SHOAL_BROAD_TREE};
static const char *const names[METHODS] = {"brute_ms", "sweep_ms", "incremental_ms", "tree_ms"};
enum { BRUTE, SWEEP, INCREMENTAL, TREE };

// How boxes lie.
typedef enum layout { UNIFORM, MIXED, PLANE, LINE, SAME } layout;
static const char *const layouts[] = {"uniform", "mixed", "plane", "line", "same place"};

typedef struct study {
    uint32_t boxes;
    layout layout;
    uint32_t frames; // the first one is cold and not timed
} study;

static const study studies[] = {
    {32, UNIFORM, 400},    {64, UNIFORM, 400},  {128, UNIFORM, 400},  {256, UNIFORM, 400},
    {1000, UNIFORM, 100},  {4000, UNIFORM, 60}, {10000, UNIFORM, 20}, {100000, UNIFORM, 6},
    {1000000, UNIFORM, 4}, {100000, MIXED, 4},  {1000000, MIXED, 3},  {100000, PLANE, 4},
    {1000000, PLANE, 3},   {100000, LINE, 4},   {1000000, LINE, 3},   {1000, SAME, 20},
};

static double unit(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return (double)((x * 0x2545f4914f6cdd1du) >> 11) * 0x1p-53;
}

static int axes_of(const study *s)
{
    static const int axes[] = {3, 3, 2, 1, 0}; // by layout
    return axes[s->layout];
}

// As many overlaps as boxes: each meets those whose centres lie in a cube of twice its side,
// and two of them do.
static double side_of(const study *s)
{
    return 0.5 * pow(2.0 / s->boxes, 1.0 / axes_of(s));
}

// Equal cubes in the unit cube, square or line. Of mixed ones ten are a hundred times larger.
static void make_boxes(const study *s, shl_box *boxes)
{
    const int axes = axes_of(s);
    const double side = side_of(s);
    uint64_t seed = 12345;
    for (uint32_t i = 0; i < s->boxes; i++) {
        const bool large = s->layout == MIXED && i % (s->boxes / 10) == 7;
        for (int k = 0; k < 3; k++) {
            const double at = k < axes ? unit(&seed) : 0;
            boxes[i].lo[k] = (float)at;
            boxes[i].hi[k] = (float)(at + (large ? 100 : 1) * side);
        }
    }
}

// Every box goes its own way, to and fro.
static void move_boxes(const study *s, const shl_box *from, uint32_t frame, shl_box *to)
{
    const int axes = axes_of(s);
    const double step = 0.01 * side_of(s) * (frame % 8 < 4 ? frame % 8 : 8 - frame % 8);
    for (uint32_t i = 0; i < s->boxes; i++) {
        uint64_t seed = i * 0x9e3779b97f4a7c15u + 1;
        to[i] = from[i];
        for (int k = 0; k < axes; k++) {
            const float by = (float)(step * (2 * unit(&seed) - 1));
            to[i].lo[k] += by;
            to[i].hi[k] += by;
        }
    }
}

typedef struct contender {
    shl_broad broad;
    shl_graph graph;
    double best_s;
    uint64_t hash;
} contender;

static shoal_status start(contender *c, shoal_broad method, const shl_kernels *kernels,
                          const shoal_allocator *allocator, uint32_t threads, uint32_t boxes)
{
    *c = (contender){.broad = {.kernels = kernels,
                               .allocator = allocator,
                               .workers = threads,
                               .method = method,
                               .wanted = true},
                     .best_s = INFINITY};
    shl_graph_init(&c->graph, allocator);
    c->graph.workers_max = threads;
    shoal_status st = shl_broad_jobs(&c->broad, &c->graph, 1, 0);
    if (st == SHOAL_OK)
        st = shl_graph_compile(&c->graph);
    return st == SHOAL_OK ? shl_broad_reserve(&c->broad, boxes) : st;
}

static void stop(contender *c)
{
    shl_broad_finish(&c->broad);
    shl_graph_finish(&c->graph);
}

static shoal_status turn(contender *c, const shl_box *boxes, uint32_t threads, bool timed)
{
    memcpy(c->broad.boxes.data, boxes, c->broad.rows * sizeof *boxes);
    c->broad.changed = true;
    const double start_s = bench_now_s();
    const shoal_status st =
        shl_graph_run(&c->graph, threads > 1 ? SHL_EXEC_OMP : SHL_EXEC_SERIAL, threads);
    if (st == SHOAL_OK)
        shl_broad_done(&c->broad);
    const double spent = bench_now_s() - start_s;
    if (timed && spent < c->best_s)
        c->best_s = spent;
    c->hash = c->broad.pair_count;
    for (size_t i = 0; i < c->broad.pair_count; i++)
        c->hash = (c->hash ^ ((const uint64_t *)c->broad.pairs.data)[i]) * 0x9e3779b97f4a7c15u;
    return st;
}

// How many frames a method is asked for: where a million boxes take seconds, few or none.
static uint32_t frames_of(const study *s, int method)
{
    if (method == BRUTE && s->boxes > BRUTE_MOST)
        return 0;
    if (method == TREE || s->boxes < 1000000)
        return s->frames;
    return s->layout == LINE ? 2 : s->layout != UNIFORM ? 0 : 3;
}

static shoal_status run_study(const study *s, const shl_kernels *kernels, uint32_t threads,
                              double seconds[METHODS], uint64_t *pairs, bool *same)
{
    const shoal_allocator memory = shl_allocator_libc();
    contender c[METHODS] = {0};
    shl_box *first = malloc(s->boxes * sizeof *first),
            *boxes = malloc(s->boxes * sizeof *boxes);
    shoal_status st = first && boxes ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (int m = 0; m < METHODS && st == SHOAL_OK; m++)
        st = start(&c[m], methods[m], kernels, &memory, threads, s->boxes);
    if (st == SHOAL_OK)
        make_boxes(s, first);
    for (uint32_t frame = 0; frame < s->frames && st == SHOAL_OK; frame++) {
        move_boxes(s, first, frame, boxes);
        for (int m = 0; m < METHODS && st == SHOAL_OK; m++) {
            if (frame < frames_of(s, m))
                st = turn(&c[m], boxes, threads, frame > 0);
        }
        for (int m = 0; m < METHODS; m++)
            *same = *same && (frame >= frames_of(s, m) || c[m].hash == c[TREE].hash);
    }
    *pairs = c[TREE].broad.pair_count;
    for (int m = 0; m < METHODS; m++) {
        seconds[m] = c[m].best_s;
        if (c[m].broad.allocator)
            stop(&c[m]);
    }
    free(first);
    free(boxes);
    return st;
}

static void add_row(bench_report *report, const study *s, uint32_t threads, uint64_t pairs,
                    const double seconds[METHODS])
{
    json_t *row =
        json_pack("{s:I, s:s, s:i, s:I}", "boxes", (json_int_t)s->boxes, "layout",
                  layouts[s->layout], "threads", (int)threads, "overlaps", (json_int_t)pairs);
    for (int m = 0; m < METHODS; m++) {
        if (isfinite(seconds[m]))
            json_object_set_new(row, names[m], json_real(1e3 * seconds[m]));
    }
    if (isfinite(seconds[SWEEP]))
        json_object_set_new(row, "sweep/tree", json_real(seconds[SWEEP] / seconds[TREE]));
    bench_row(report, row);
}

static void add_gates(bench_report *report, const study *s, uint32_t threads,
                      const double seconds[METHODS])
{
    if (s->boxes == 1000000 && s->layout == UNIFORM) {
        bench_gate_named(report, seconds[SWEEP] / seconds[TREE], 5, 20, BENCH_HIGHER,
                         "10^6 boxes, %u threads: sweep / tree", threads);
    }
    if (s->boxes == 128 && threads == 1)
        bench_gate(report, "128 boxes: brute force / sweep", seconds[BRUTE] / seconds[SWEEP], 1,
                   2, BENCH_HIGHER);
}

shoal_status bench_broad(const bench_options *options, bench_report *report)
{
    shl_kernels kernels;
    shl_kernels_init(&kernels, SHOAL_CPU_BEST);
    bool same = true;
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        const study *s = &studies[i];
        for (uint32_t t = 0; t < options->thread_count; t++) {
            double seconds[METHODS];
            uint64_t pairs = 0;
            if (s->boxes < 10000 && options->threads[t] > 1)
                continue; // nothing to share
            const shoal_status st =
                run_study(s, &kernels, options->threads[t], seconds, &pairs, &same);
            if (st != SHOAL_OK)
                return st;
            add_row(report, s, options->threads[t], pairs, seconds);
            add_gates(report, s, options->threads[t], seconds);
        }
    }
    bench_gate(report, "same pairs by all methods", same, 1, 1, BENCH_HIGHER);
    return bench_broad_fat(options->context, report);
}
