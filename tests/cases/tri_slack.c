// SPDX-License-Identifier: MIT
// Slack of triangle pairs, from far apart to touching, tiny to huge. Besides being equal, what
// the bodies promise is tried: triangles moved towards each other by less do not touch.
#include "tests/cases/case.h"

#include <math.h>
#include <string.h>

static void *xyz_memory[2], *tri_memory, *pair_memory, *slack_memory[2];
static double *xyz[2]; // [9 * rows] a's and b's triangles
static shl_tri *tris;
static shl_tri_pair *pairs, *kept_pairs;
static void *kept_memory, *moved_memory[2];
static double *moved[2];
static float *slack[2];

static void setup(uint32_t rows, uint64_t seed)
{
    static const double sizes[] = {1, 1, 1e-3, 1e-20, 1e-200, 1e60, 1e100, 1e300};
    uint64_t r = seed * 2 + 1;
    for (int side = 0; side < 2; side++) {
        xyz[side] = shl_case_memory(&xyz_memory[side], 9 * rows * sizeof(double));
        moved[side] = shl_case_memory(&moved_memory[side], 9 * rows * sizeof(double));
        slack[side] = shl_case_memory(&slack_memory[side], rows * sizeof(float));
    }
    tris = shl_case_memory(&tri_memory, rows * sizeof *tris);
    pairs = shl_case_memory(&pair_memory, rows * sizeof *pairs);
    kept_pairs = shl_case_memory(&kept_memory, (rows + (size_t)8) * sizeof *kept_pairs);
    for (uint32_t i = 0; i < rows; i++) {
        const double size = sizes[shl_random(&r) % 8];
        const double away = 3 * shl_random_unit(&r) * (double)(shl_random(&r) % 2);
        const bool flat = shl_random(&r) % 3 == 0;
        for (uint32_t k = 0; k < 9; k++) {
            const double height = flat && k % 3 == 2 ? 0 : 1;
            xyz[0][9 * i + k] = size * height * shl_random_coordinate(&r, true);
            xyz[1][9 * i + k] =
                size * (height * shl_random_unit(&r) + (k % 3 == i % 3 ? away : 0));
        }
        if (shl_random(&r) % 8 == 0)
            memcpy(&xyz[1][9 * i + 3], &xyz[0][9 * i], 3 * sizeof(double));
        tris[i] = (shl_tri){{3 * i, 3 * i + 1, 3 * i + 2}, i};
        pairs[i] = (shl_tri_pair){i, i};
    }
}

static void run(const shl_kernels *k, uint32_t rows, int which)
{
    const shl_tri_side a = {xyz[0], tris, SHOAL_F64}, b = {xyz[1], tris, SHOAL_F64};
    k->tri_slack(&a, &b, pairs, rows, slack[which]);
}

// Moves every corner of b by almost the slack, to the one of the eight diagonals that `way`
// says, and asks the exact test.
static bool none_touch(uint32_t rows, uint32_t way)
{
    const shl_tri_side a = {xyz[0], tris, SHOAL_F64}, b = {moved[1], tris, SHOAL_F64};
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t k = 0; k < 9; k++) {
            const double step = 0.999999 * (double)slack[0][i];
            moved[1][9 * i + k] = xyz[1][9 * i + k] + (way >> k % 3 & 1 ? step : -step);
        }
        if (slack[0][i] > 0)
            kept_pairs[count++] = pairs[i];
    }
    uint64_t exact = 0;
    return shl_tri_overlap_ref(&a, &b, kept_pairs, count, kept_pairs, &exact) == 0;
}

static bool same(uint32_t rows)
{
    if (memcmp(slack[0], slack[1], rows * sizeof(float)) != 0)
        return false;
    uint32_t some = 0;
    for (uint32_t i = 0; i < rows; i++)
        some += slack[0][i] > 0;
    for (uint32_t way = 0; way < 8; way++) {
        if (!none_touch(rows, way))
            return false;
    }
    return rows < 100 || some > rows / 8;
}

const shl_case shl_case_tri_slack = {
    .name = "tri_slack",
    .row = "pair",
    .sizes = {1, 3, 4, 5, 500},
    .bench_rows = 300,
    .setup = setup,
    .run = run,
    .same = same,
};
