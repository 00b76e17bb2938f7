// SPDX-License-Identifier: MIT
// Boxes sorted along x, swept row by row; many start at the same place, some never end.
#include "tests/cases/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *column_memory, *out_memory[2], *count_memory[2];
static shl_sorted_boxes boxes;
static uint32_t *out[2], *counts[2];

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void setup(uint32_t rows, uint64_t seed)
{
    uint64_t r = seed * 2 + 1;
    const size_t stride = (rows + (size_t)8 + 15) / 16 * 16;
    float *column = shl_case_memory(&column_memory, 6 * stride * sizeof(float));
    for (int k = 0; k < 3; k++) {
        float *lo = column + 2 * k * stride, *hi = lo + stride;
        for (uint32_t i = 0; i < rows; i++)
            lo[i] = (float)(shl_random(&r) % (rows / 2 + 2));
        if (k == 0)
            qsort(lo, rows, sizeof *lo, by_value);
        for (uint32_t i = 0; i < rows + 8; i++) {
            hi[i] = i < rows ? lo[i] + (float)(shl_random(&r) % 8) : -INFINITY;
            lo[i] = i < rows ? lo[i] : INFINITY;
            if (i < rows && shl_random(&r) % 50 == 0)
                hi[i] = INFINITY;
        }
        boxes.lo[k] = lo;
        boxes.hi[k] = hi;
    }
    boxes.count = rows;
    for (int w = 0; w < 2; w++) {
        out[w] = shl_case_memory(&out_memory[w], (size_t)rows * (rows + 8) * sizeof *out[w]);
        counts[w] = shl_case_memory(&count_memory[w], rows * sizeof *counts[w]);
    }
}

static void run(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++)
        counts[which][i] = k->sweep(&boxes, i, out[which] + (size_t)i * (rows + 8));
}

static bool same(uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        const size_t at = (size_t)i * (rows + 8);
        if (counts[0][i] != counts[1][i] ||
            memcmp(out[0] + at, out[1] + at, counts[0][i] * sizeof *out[0]) != 0)
            return false;
    }
    return true;
}

const shl_case shl_case_sweep = {
    .name = "sweep",
    .row = "box",
    .sizes = {1, 2, 7, 8, 9, 10, 300},
    .bench_rows = 1000,
    .setup = setup,
    .run = run,
    .same = same,
};
