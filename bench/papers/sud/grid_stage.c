// SPDX-License-Identifier: MIT
#include "bench/papers/sud/grid_stage.h"

#include <math.h>
#include <stdlib.h>

enum { BODIES = 8, RINGS = 50, TRIANGLES = BODIES * 2 * RINGS * RINGS, REPEATS = 3 };

// A bumpy ball: rings and sectors.
static void point(int body, int ring, int sector, double out[3])
{
    const double pi = 3.14159265358979;
    const double lat = pi * ring / RINGS, lon = 2 * pi * sector / RINGS;
    const double r = 22.5 + 1.5 * sin(5 * lat + body) * sin(4 * lon);
    const double n[3] = {sin(lat) * cos(lon), sin(lat) * sin(lon), cos(lat)};
    for (int k = 0; k < 3; k++)
        out[k] = (body >> k & 1 ? 74.5 : 25.5) + r * n[k];
}

shl_cell_tri *bench_grid_scene(shl_voronoi_def *def)
{
    shl_cell_tri *tris = malloc(TRIANGLES * sizeof *tris);
    if (!tris)
        return NULL;
    *def = (shl_voronoi_def){.tris = tris,
                             .count = TRIANGLES,
                             .cells = {100, 100, 100},
                             .band = 4,
                             .pair_limit = 1 << 26};
    static const double origin[3] = {0, 0, 0};
    double worst = 0;
    for (int i = 0; i < TRIANGLES; i++) {
        const int body = i / (2 * RINGS * RINGS), square = i / 2 % (RINGS * RINGS);
        const int ring = square / RINGS, sector = square % RINGS, half = i % 2;
        double corners[9];
        point(body, ring + half, sector + half, corners);
        point(body, ring + 1, sector, corners + 3);
        point(body, ring, sector + 1, corners + 6);
        worst = fmax(worst, shl_cell_tri_set(corners, origin, 1, shl_voronoi_cutoff(def->band),
                                             (uint32_t)body, &tris[i]));
    }
    def->eps = shl_voronoi_eps(worst, def->band);
    return tris;
}

shoal_status bench_grid_time(const shl_voronoi_def *def, bool whole, int repeats, float *upper,
                             double *out)
{
    shl_kernels kernels;
    shl_kernels_init(&kernels, SHOAL_CPU_BEST);
    const shoal_allocator memory = shl_allocator_libc();
    shl_voronoi_def own = *def;
    own.whole = whole;
    shl_voronoi v = {0};
    shoal_status st = SHOAL_OK;
    *out = INFINITY;
    for (int i = 0; i <= repeats && st == SHOAL_OK; i++) { // the first one makes the memory
        const double begin = bench_cpu_s();
        st = shl_voronoi_run(&v, &own, &kernels, &memory, upper);
        if (i > 0)
            *out = fmin(*out, bench_cpu_s() - begin);
    }
    if (v.allocator)
        shl_voronoi_finish(&v);
    return st;
}

shoal_status bench_grid_stage(bench_report *report)
{
    shl_voronoi_def def;
    shl_cell_tri *tris = bench_grid_scene(&def);
    float *upper = malloc(2 * TRIANGLES * sizeof *upper);
    double fused = 0, scan = 0;
    shoal_status st = tris && upper ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK)
        st = bench_grid_time(&def, false, REPEATS, upper, &fused);
    if (st == SHOAL_OK)
        st = bench_grid_time(&def, true, REPEATS, upper + TRIANGLES, &scan);
    bool same = st == SHOAL_OK;
    for (size_t i = 0; same && i < TRIANGLES; i++)
        same = upper[i] == upper[TRIANGLES + i];
    free(tris);
    free(upper);
    if (st != SHOAL_OK)
        return st;
    bench_row(report, json_pack("{s:i, s:f, s:f}", "grid_triangles", TRIANGLES, "fused_ms",
                                1e3 * fused, "whole_grid_ms", 1e3 * scan));
    bench_gate(report, "same bounds from the whole grid", same, 1, 1, BENCH_HIGHER);
    bench_gate(report, "whole banded grid / fused stage, CPU time", scan / fused, 4, 8,
               BENCH_HIGHER);
    return SHOAL_OK;
}
