// SPDX-License-Identifier: MIT
// Distances of triangle pairs: near, far, flat, on a lattice, degenerate, tiny and huge.
#include "tests/cases/case.h"

#include <math.h>
#include <string.h>

static void *xyz_memory[2], *tri_memory, *pair_memory, *out_memory[2];
static double *xyz[2]; // [9 * rows] a's and b's triangles
static shl_tri *tris;
static shl_tri_pair *pairs;
static double *out[2];
static uint64_t exact[2];

static void setup(uint32_t rows, uint64_t seed)
{
    static const double sizes[] = {1, 1, 1, 1, 1, 1, 1e-3, 1e5, 1e-200, 1e-310, 1e100, 1e300};
    uint64_t r = seed * 2 + 1;
    for (int side = 0; side < 2; side++) {
        xyz[side] = shl_case_memory(&xyz_memory[side], 9 * rows * sizeof(double));
        out[side] = shl_case_memory(&out_memory[side], rows * sizeof(double));
        memset(out[side], 0x55, rows * sizeof(double));
    }
    tris = shl_case_memory(&tri_memory, rows * sizeof *tris);
    pairs = shl_case_memory(&pair_memory, rows * sizeof *pairs);
    for (uint32_t i = 0; i < rows; i++) {
        const double size = sizes[shl_random(&r) % 12];
        const double away = 3 * shl_random_unit(&r) * (double)(shl_random(&r) % 2);
        const bool lattice = shl_random(&r) % 3 == 0, flat = shl_random(&r) % 4 == 0;
        for (uint32_t k = 0; k < 18; k++) {
            double *at = &xyz[k / 9][9 * i + k % 9];
            *at = lattice ? (double)(shl_random(&r) % 4) : shl_random_coordinate(&r, false);
            *at = fabs(*at) > 1e200 ? *at : size * (flat && k % 3 == 2 ? 0 : *at);
            *at += k < 9 && k % 3 == i % 3 ? size * away : 0;
        }
        tris[i] = (shl_tri){{3 * i, 3 * i + 1, 3 * i + 2}, i};
        pairs[i] = (shl_tri_pair){i, i};
    }
}

static void run(const shl_kernels *k, uint32_t rows, int which)
{
    const shl_tri_side a = {xyz[0], tris, SHOAL_F64}, b = {xyz[1], tris, SHOAL_F64};
    exact[which] = 0;
    k->tri_distance(&a, &b, pairs, rows, out[which], &exact[which]);
}

static bool same(uint32_t rows)
{
    return memcmp(out[0], out[1], rows * sizeof(double)) == 0 && exact[0] == exact[1];
}

static void *closest_memory[2];
static shl_closest *closest[2];

static void setup_closest(uint32_t rows, uint64_t seed)
{
    setup(rows, seed);
    for (int which = 0; which < 2; which++) {
        closest[which] = shl_case_memory(&closest_memory[which], rows * sizeof **closest);
        memset(closest[which], 0x55, rows * sizeof **closest);
    }
}

static void run_closest(const shl_kernels *k, uint32_t rows, int which)
{
    k->tri_closest_rows((const double(*)[9])xyz[0], (const double(*)[9])xyz[1], rows,
                        closest[which]);
}

static bool same_closest(uint32_t rows)
{
    return memcmp(closest[0], closest[1], rows * sizeof **closest) == 0;
}

const shl_case shl_case_tri_closest = {
    .name = "tri_closest_rows",
    .row = "pair",
    .sizes = {1, 3, 4, 5, 63, 64, 65, 5000},
    .bench_rows = 300,
    .setup = setup_closest,
    .run = run_closest,
    .same = same_closest,
};

const shl_case shl_case_tri_distance = {
    .name = "tri_distance",
    .row = "pair",
    .sizes = {1, 3, 4, 5, 63, 64, 65, 5000},
    .bench_rows = 300,
    .setup = setup,
    .run = run,
    .same = same,
};
