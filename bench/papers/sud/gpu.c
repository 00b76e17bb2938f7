// SPDX-License-Identifier: MIT
// The GPU's grid. Software renderers are allowed and all work is done by the GL thread, so that
// overlap can be seen on any machine.
#include "runtime/gpu/gpu.h"
#include "bench/harness/mirror.h"
#include "bench/papers/sud/gpu_slices.h"
#include "bench/papers/sud/grid_stage.h"

#include <math.h>
#include <shoal/trace.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 5, REPEATS = 3, SKIP = 4 };

// The fused pipeline beside a scan of the whole banded grid by the CPU.
static shoal_status pipeline(bench_report *report)
{
    shl_place place;
    shl_gpu_link link;
    memset(&place, 0, sizeof place);
    if (!shl_gpu_link_init(&link, SHOAL_GPU_AUTO, &place))
        return SHOAL_ERR_ARGUMENT;
    link.job_ms = 60000; // slices in software
    shl_gpu *gpu = shl_gpu_open(&link);
    shl_voronoi_def def;
    shl_cell_tri *tris = bench_grid_scene(&def);
    float *upper = tris ? malloc(2 * def.count * sizeof *upper) : NULL;
    double scan = 0, fused = INFINITY, worst = 0;
    shoal_status st = upper ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK)
        st = bench_grid_time(&def, true, REPEATS, upper, &scan);
    bool good = gpu != NULL;
    for (int i = 0; i <= REPEATS && st == SHOAL_OK && good; i++) { // the first one compiles
        const shl_gpu_bounds job = {.tris = def.tris,
                                    .count = def.count,
                                    .cells = {def.cells[0], def.cells[1], def.cells[2]},
                                    .band = def.band,
                                    .eps = def.eps,
                                    .pair_limit = def.pair_limit};
        uint64_t ticket;
        shl_gpu_line why;
        const double begin = bench_cpu_s();
        good =
            link.api->submit(gpu, &job, &ticket, &why) == SHL_GPU_OK &&
            link.api->collect(gpu, ticket, upper + def.count, NULL, NULL, &why) == SHL_GPU_OK;
        if (i > 0)
            fused = fmin(fused, bench_cpu_s() - begin);
    }
    for (uint32_t i = 0; i < def.count && st == SHOAL_OK && good; i++) {
        const float *both = upper + i;
        if (isfinite(both[0]) || isfinite(both[def.count]))
            worst = fmax(worst, fabs((double)both[0] - (double)both[def.count]));
    }
    if (st == SHOAL_OK) {
        bench_row(report, json_pack("{s:s, s:f, s:f}", "device", link.info.device, "gpu_cpu_ms",
                                    1e3 * fused, "whole_grid_ms", 1e3 * scan));
        bench_gate(report, "the GPU answers", good, 1, 1, BENCH_HIGHER);
        bench_gate(report, "bounds differ from the CPU's by, cells", good ? worst : INFINITY,
                   2 * (double)def.eps, 0, BENCH_LOWER);
        bench_gate(report, "fused on the GPU / whole banded grid on the CPU, CPU time",
                   fused / scan, 3, 2, BENCH_LOWER);
    }
    if (st == SHOAL_OK && good)
        st = bench_gpu_slices(report, &link, &def, fused, upper + def.count);
    free(tris);
    free(upper);
    shl_gpu_link_finish(&link);
    return st;
}

// Of the step's events: how long the GPU and the tests of what was nearest took, and how much
// of the latter lies within the former.
static void overlap(const shoal_event *e, size_t count, double *gpu, double *tests,
                    double *both)
{
    uint64_t begin = 0, end = 0, sum = 0, within = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(e[i].job, "gpu") == 0) {
            begin = e[i].begin_ns;
            end = e[i].end_ns;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(e[i].job, "distance_warm_start") != 0 &&
            strcmp(e[i].job, "distance_bounds") != 0)
            continue;
        const uint64_t from = e[i].begin_ns > begin ? e[i].begin_ns : begin;
        const uint64_t to = e[i].end_ns < end ? e[i].end_ns : end;
        sum += e[i].end_ns - e[i].begin_ns;
        within += to > from ? to - from : 0;
    }
    *gpu = 1e-6 * (double)(end - begin);
    *tests = 1e-6 * (double)sum;
    *both = 1e-6 * (double)within;
}

static shoal_status hide(bench_report *report)
{
    bench_leader leader;
    bench_mirror mirror = {0};
    shoal_status st = bench_leader_start(SHL_SCENE_LETTERS_RAMP, 1, &leader);
    shoal_scene_def def = shoal_scene_def_default();
    def.threads = 1;
    def.distance_engine = SHOAL_DISTANCE_GRID;
    if (st == SHOAL_OK)
        st = bench_mirror_start(&leader, &def, &mirror);
    double best = 0;
    for (int i = 0; i < SKIP + TRIES && st == SHOAL_OK; i++) {
        st = bench_leader_step(&leader);
        if (st == SHOAL_OK)
            st = bench_mirror_follow(&mirror, &leader);
        if (st != SHOAL_OK)
            break;
        shoal_scene_set_trace(mirror.scene, true);
        st =
            shoal_scene_step(mirror.scene, SHOAL_QUERY_NEAREST | SHOAL_QUERY_NEAREST_TRIANGLES);
        size_t count;
        const shoal_event *events = shoal_scene_events(mirror.scene, &count);
        double gpu, tests, both;
        overlap(events, count, &gpu, &tests, &both);
        const double shorter = gpu < tests ? gpu : tests;
        const double hidden = shorter > 0 ? both / shorter : 0;
        if (i < SKIP)
            continue;
        best = hidden > best ? hidden : best;
        bench_row(report, json_pack("{s:f, s:f, s:f}", "gpu_ms", gpu, "tests_ms", tests,
                                    "hidden", hidden));
    }
    bench_mirror_finish(&mirror);
    bench_leader_finish(&leader);
    if (st == SHOAL_OK)
        bench_gate(report, "of the shorter of GPU job and tests, hidden", best, 0.7, 0.95,
                   BENCH_HIGHER);
    return st;
}

shoal_status bench_gpu(const bench_options *options, bench_report *report)
{
    setenv("SHOAL_GPU", "force", 1);
    setenv("LP_NUM_THREADS", "0", 1);
    shoal_status st = pipeline(report);
    if (st == SHOAL_OK)
        st = hide(report);
    if (st == SHOAL_OK)
        st = bench_gpu_counts(options, report);
    return st;
}
