// SPDX-License-Identifier: MIT
// Positions around an origin: any numbers, near the origin and far from it.
#include "tests/cases/case.h"

#include <string.h>

static void *xyz_memory, *out_memory[2];
static double *xyz, origin[3];
static float *out[2];

static void setup(uint32_t rows, uint64_t seed)
{
    uint64_t r = 2 * seed + 1;
    const size_t count = 12 * (size_t)rows;
    xyz = shl_case_memory(&xyz_memory, count * sizeof *xyz);
    for (int k = 0; k < 3; k++)
        origin[k] = seed % 3 ? 1e6 * shl_random_unit(&r) : shl_random_coordinate(&r, false);
    for (size_t i = 0; i < count; i++)
        xyz[i] = i % 5 ? origin[i % 3] + shl_random_unit(&r) : shl_random_coordinate(&r, false);
    for (int w = 0; w < 2; w++) {
        out[w] = shl_case_memory(&out_memory[w], count * sizeof *out[w]);
        memset(out[w], 0, count * sizeof *out[w]);
    }
}

static void run(const shl_kernels *k, uint32_t rows, int which)
{
    k->to_f32(xyz, 4 * rows, origin, out[which]);
}

static bool same(uint32_t rows)
{
    return memcmp(out[0], out[1], 12 * (size_t)rows * sizeof *out[0]) == 0;
}

const shl_case shl_case_to_f32 = {
    .name = "to_f32",
    .row = "four vertices",
    .sizes = {1, 7, 200},
    .bench_rows = 100,
    .setup = setup,
    .run = run,
    .same = same,
};
