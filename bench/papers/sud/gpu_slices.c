// SPDX-License-Identifier: MIT
#include "bench/papers/sud/gpu_slices.h"

#include <math.h>
#include <stdlib.h>

enum { REPEATS = 2 };

// What a diagram says of a triangle.
typedef struct bounds {
    double lower, upper; // cells
} bounds;

// Algorithm: every point of a triangle is within half a diagonal of the centre of its cell, so
// the least distance from such centres to other owners is off by no more; the sum of both
// distances is one that is attained. An empty sample is at least the band away from others.
static bounds look_up(const shl_voronoi_def *def, const shl_gpu_cell *grid,
                      const shl_cell_tri *t)
{
    const shl_site site = shl_site_of(t);
    const double r = (double)SHL_VORONOI_R, eps = (double)def->eps;
    bounds b = {INFINITY, INFINITY};
    uint32_t lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        const float least = fminf(fminf(t->a[k], t->b[k]), t->c[k]);
        const float most = fmaxf(fmaxf(t->a[k], t->b[k]), t->c[k]);
        lo[k] = (uint32_t)fmaxf(floorf(least - 1), 0);
        hi[k] = (uint32_t)fminf(ceilf(most + 1), (float)def->cells[k]);
    }
    for (uint32_t z = lo[2]; z < hi[2]; z++) {
        for (uint32_t y = lo[1]; y < hi[1]; y++) {
            for (uint32_t x = lo[0]; x < hi[0]; x++) {
                const float p[3] = {(float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f};
                const double own = (double)sqrtf(shl_site_square(&site, p));
                if (own > r + eps)
                    continue;
                const shl_gpu_cell *g = &grid[(z * def->cells[1] + y) * def->cells[0] + x];
                const double other = (double)g->distance[g->owner[0] == t->owner];
                b.lower = fmin(b.lower, fmin(other, (double)def->band) - r - eps);
                b.upper = fmin(b.upper, own + other);
            }
        }
    }
    return b;
}

static shl_gpu_status draw(const shl_gpu_link *link, const shl_voronoi_def *def, bool slices,
                           float *upper, shl_gpu_cell *grid)
{
    const shl_gpu_bounds job = {.tris = def->tris,
                                .count = def->count,
                                .cells = {def->cells[0], def->cells[1], def->cells[2]},
                                .band = def->band,
                                .eps = def->eps,
                                .pair_limit = def->pair_limit,
                                .grid = true,
                                .slices = slices};
    uint64_t ticket;
    shl_gpu_line why;
    const shl_gpu_status st = link->api->submit(link->gpu, &job, &ticket, &why);
    return st == SHL_GPU_OK ? link->api->collect(link->gpu, ticket, upper, grid, NULL, &why)
                            : st;
}

// The largest difference of two diagrams, and how many samples have a second owner. A distance
// at the band's end may be missing in one of them.
static double compare(const shl_voronoi_def *def, const shl_gpu_cell *a, const shl_gpu_cell *b,
                      uint64_t *second)
{
    const size_t n = (size_t)def->cells[0] * def->cells[1] * def->cells[2];
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        *second += isfinite(a[i].distance[1]) != 0;
        for (int k = 0; k < 2; k++) {
            const double x = fmin((double)a[i].distance[k], (double)def->band);
            const double y = fmin((double)b[i].distance[k], (double)def->band);
            worst = fmax(worst, fabs(x - y));
        }
    }
    return worst;
}

shoal_status bench_gpu_slices(bench_report *report, const shl_gpu_link *link,
                              const shl_voronoi_def *def, double fused_s, const float *upper)
{
    const size_t cells = (size_t)def->cells[0] * def->cells[1] * def->cells[2];
    shl_gpu_cell *grid = malloc(2 * cells * sizeof *grid);
    float *none = malloc(def->count * sizeof *none);
    bounds *b = malloc(def->count * sizeof *b);
    shoal_status st = grid && none && b ? SHOAL_OK : SHOAL_ERR_MEMORY;
    bool good = st == SHOAL_OK && draw(link, def, false, none, grid + cells) == SHL_GPU_OK;
    double took = INFINITY;
    for (int i = 0; i <= REPEATS && good; i++) { // the first one compiles
        const double begin = bench_cpu_s();
        good = draw(link, def, true, none, grid) == SHL_GPU_OK;
        for (uint32_t t = 0; t < def->count && good; t++)
            b[t] = look_up(def, grid, &def->tris[t]);
        if (i > 0)
            took = fmin(took, bench_cpu_s() - begin);
    }
    uint64_t second = 0, wrong = 0, fused_count = 0, count = 0;
    const double differ = good ? compare(def, grid, grid + cells, &second) : INFINITY;
    double width = 0;
    const double eps = (double)def->eps, r = (double)SHL_VORONOI_R;
    for (uint32_t t = 0; t < def->count && good; t++) {
        const double u = (double)upper[t];
        const double lower = isfinite(u) ? u - 2 * r - eps : 2 * ((double)def->band - r) - eps;
        wrong += b[t].lower > u + eps || lower > b[t].upper + eps || u > b[t].upper + 2 * eps;
        fused_count += isfinite(u) != 0;
        if (isfinite(b[t].upper)) {
            width += b[t].upper - fmax(b[t].lower, 0);
            count++;
        }
    }
    free(b);
    free(none);
    free(grid);
    if (st != SHOAL_OK)
        return st;
    bench_row(report, json_pack("{s:f, s:f, s:I, s:I, s:I, s:f}", "slices_cpu_ms",
                                good ? 1e3 * took : 0, "fused_cpu_ms", 1e3 * fused_s,
                                "second_samples", (json_int_t)second, "slices_bounds",
                                (json_int_t)count, "fused_bounds", (json_int_t)fused_count,
                                "slices_width_cells", count ? width / (double)count : 0));
    bench_gate(report, "diagrams by slices and fused differ by, cells", differ, 2 * eps, 0,
               BENCH_LOWER);
    bench_gate(report, "bounds of slices that contradict the fused ones",
               good ? (double)wrong : INFINITY, 0, 0, BENCH_LOWER);
    bench_gate(report, "slices, read back and looked up / fused, CPU time", took / fused_s, 1,
               4, BENCH_HIGHER);
    return SHOAL_OK;
}
