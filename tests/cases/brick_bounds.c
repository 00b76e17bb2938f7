// SPDX-License-Identifier: MIT
// Triangles around one brick, from points to several cells, of few owners or many.
#include "tests/cases/case.h"

#include <math.h>
#include <string.h>

static void *tri_memory, *list_memory, *brick_memory, *scratch_memory, *out_memory[2];
static shl_cell_tri *tris;
static uint32_t *list, *bricks, found[2];
static shl_brick_scratch *scratch;
static float *least[2];
static uint32_t *near[2];
static void *near_memory[2];
static const uint32_t corner[3] = {16, 8, 4}, extent[3] = {5, 6, 7};

static void setup(uint32_t rows, uint64_t seed)
{
    static const double sizes[] = {2, 0.3, 1e-3, 1e-9, 0, 20};
    uint64_t r = seed * 2 + 1;
    tris = shl_case_memory(&tri_memory, rows * sizeof *tris);
    list = shl_case_memory(&list_memory, rows * sizeof *list);
    bricks = shl_case_memory(&brick_memory, rows * sizeof *bricks);
    scratch = shl_case_memory(&scratch_memory, sizeof *scratch);
    const uint32_t owners = 1 + (uint32_t)(shl_random(&r) % 5);
    for (int i = 0; i < 2; i++) {
        least[i] = shl_case_memory(&out_memory[i], rows * sizeof(float));
        near[i] = shl_case_memory(&near_memory[i], rows * sizeof(uint32_t));
        memset(near[i], 0, rows * sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < rows; i++) {
        const double origin[3] = {0}, size = sizes[shl_random(&r) % 6];
        double p[9], at[3];
        for (int k = 0; k < 3; k++)
            at[k] = corner[k] - 4 + 16 * shl_random_unit(&r);
        for (int k = 0; k < 9; k++)
            p[k] = at[k % 3] + size * (shl_random_unit(&r) - 0.5);
        if (shl_random(&r) % 8 == 0) // on samples
            for (int k = 0; k < 9; k++)
                p[k] = floor(p[k]) + 0.5;
        shl_cell_tri_set(p, origin, 1, 10, (uint32_t)(shl_random(&r) % owners), &tris[i]);
        list[i] = (uint32_t)(shl_random(&r) % (i + 1));
        bricks[i] = (uint32_t)(shl_random(&r) % (extent[0] * extent[1] * extent[2]));
    }
}

static void run_bounds(const shl_kernels *k, uint32_t rows, int which)
{
    k->brick_bounds(tris, list, rows, corner, 4, scratch, least[which]);
}

static bool same_bounds(uint32_t rows)
{
    return memcmp(least[0], least[1], rows * sizeof(float)) == 0;
}

static void run_reach(const shl_kernels *k, uint32_t rows, int which)
{
    found[which] = k->brick_within(&tris[0], 9, extent, bricks, rows, near[which]);
}

static bool same_reach(uint32_t rows)
{
    return found[0] == found[1] && found[0] <= rows && (rows < 100 || found[0] > 0) &&
           memcmp(near[0], near[1], found[0] * sizeof(uint32_t)) == 0;
}

const shl_case shl_case_brick_bounds = {
    .name = "brick_bounds",
    .row = "triangle",
    .sizes = {1, 2, 7, 60, SHL_BRICK_KEEP, SHL_BRICK_KEEP + 3},
    .bench_rows = 100,
    .setup = setup,
    .run = run_bounds,
    .same = same_bounds,
};

const shl_case shl_case_brick_within = {
    .name = "brick_within",
    .row = "brick",
    .sizes = {1, 7, 8, 9, 210},
    .bench_rows = 64,
    .setup = setup,
    .run = run_reach,
    .same = same_reach,
};
