// SPDX-License-Identifier: MIT
// Boxes of ranges and lists of vertices, aligned and not, with odd values.
#include "tests/cases/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *xyz; // exactly 3 * rows scalars: malloc, so that an over-read is seen
static uint32_t list[16], list_count, rows_now;
static shl_box box[2][24];
static bool all_finite[2][24];

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void fill(uint32_t rows, uint64_t seed, bool float32)
{
    uint64_t r = seed * 2 + 1;
    free(xyz);
    xyz = malloc((size_t)rows * 3 * (float32 ? sizeof(float) : sizeof(double)));
    for (size_t i = 0; i < 3 * (size_t)rows; i++) {
        const double v = shl_random_coordinate(&r, float32);
        if (float32)
            ((float *)xyz)[i] = (float)v;
        else
            ((double *)xyz)[i] = v;
    }
    // up to the last vertex, where an over-read would show, or all before most ranges
    const bool low = shl_random(&r) % 2;
    list_count = shl_random(&r) % 4 * 4;
    for (uint32_t i = 0; i < list_count; i++)
        list[i] = (uint32_t)(shl_random(&r) % (low ? rows / 8 + 1 : rows));
    qsort(list, list_count, sizeof *list, ascending);
    if (list_count && !low)
        list[list_count - 1] = rows - 1;
    rows_now = rows;
    memset(box, 0, sizeof box);
    memset(all_finite, 0, sizeof all_finite);
}

static void setup_f32(uint32_t rows, uint64_t seed)
{
    fill(rows, seed, true);
}

static void setup_f64(uint32_t rows, uint64_t seed)
{
    fill(rows, seed, false);
}

// The whole range, then ranges that start and end anywhere, and once with a NaN and an
// infinity.
static void run(shl_vertex_box_fn *fn, uint32_t rows, int which, bool float32)
{
    all_finite[which][0] = fn(xyz, 0, rows, list, list_count, &box[which][0]);
    if (rows > 5000)
        return;
    for (uint32_t i = 1; i < 20; i++) {
        const uint32_t begin = i * 7919 % rows, end = begin + i * 104729 % (rows - begin + 1);
        all_finite[which][i] = fn(xyz, begin, end, list, list_count, &box[which][i]);
    }
    const size_t at = 3 * (size_t)(rows / 2) + rows % 3;
    for (uint32_t i = 20; i < 23; i++) {
        const double bad = i == 20 ? (double)NAN : i == 21 ? INFINITY : -INFINITY;
        shl_box unspecified;
        double keep = float32 ? (double)((float *)xyz)[at] : ((double *)xyz)[at];
        for (int put = 1; put >= 0; put--) {
            if (float32)
                ((float *)xyz)[at] = (float)(put ? bad : keep);
            else
                ((double *)xyz)[at] = put ? bad : keep;
            if (put)
                all_finite[which][i] = fn(xyz, 0, rows, list, list_count, &unspecified);
            if (put && i == 20) { // only listed, before a range that is fine
                const uint32_t named[4] = {0, rows / 2, rows / 2, rows / 2};
                all_finite[which][23] =
                    fn(xyz, rows / 2 + 1, rows, named, 4, &unspecified);
            }
        }
    }
}

static void run_f32(const shl_kernels *k, uint32_t rows, int which)
{
    run(k->vertex_box[SHOAL_F32], rows, which, true);
}

static void run_f64(const shl_kernels *k, uint32_t rows, int which)
{
    run(k->vertex_box[SHOAL_F64], rows, which, false);
}

// Also against the points themselves: nothing outside, and the bound is attained or one float
// off.
static bool same(uint32_t rows)
{
    const bool bad_seen =
        rows > 5000 || (!all_finite[SHL_NEW][20] && !all_finite[SHL_NEW][21] &&
                        !all_finite[SHL_NEW][22] && all_finite[SHL_NEW][0]);
    return rows == rows_now && bad_seen && memcmp(box[0], box[1], sizeof box[0]) == 0 &&
           memcmp(all_finite[0], all_finite[1], sizeof all_finite[0]) == 0;
}

const shl_case shl_case_vertex_box_f32 = {
    .name = "vertex_box_f32",
    .row = "vertex",
    .sizes = {1, 2, 7, 8, 9, 15, 16, 17, 31, 100, 4096},
    .bench_rows = 10242,
    .setup = setup_f32,
    .run = run_f32,
    .same = same,
};

const shl_case shl_case_vertex_box_f64 = {
    .name = "vertex_box_f64",
    .row = "vertex",
    .sizes = {1, 2, 3, 4, 5, 7, 8, 9, 100, 4096},
    .bench_rows = 10242,
    .setup = setup_f64,
    .run = run_f64,
    .same = same,
};
