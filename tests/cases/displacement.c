// SPDX-License-Identifier: MIT
// How far vertices moved: ranges that begin anywhere, odd values, NaN and infinity.
#include "tests/cases/case.h"

#include <math.h>
#include <stdlib.h>

enum { RANGES = 24, ODD = 20 }; // the last four have a number that is none

static void *now, *then; // exactly 3 * rows scalars: malloc, so that an over-read is seen
static double bound[2][RANGES], truth[RANGES];
static uint32_t range_begin[RANGES], range_end[RANGES];

static double at(const void *xyz, size_t i, bool float32)
{
    return float32 ? (double)((const float *)xyz)[i] : ((const double *)xyz)[i];
}

static void put(void *xyz, size_t i, bool float32, double value)
{
    if (float32)
        ((float *)xyz)[i] = (float)value;
    else
        ((double *)xyz)[i] = value;
}

static void fill(uint32_t rows, uint64_t seed, bool float32)
{
    uint64_t r = seed * 2 + 1;
    const size_t size = float32 ? sizeof(float) : sizeof(double), count = 3 * (size_t)rows;
    const bool calm = seed % 3 == 0; // small steps, and huge coordinates that stay
    free(now);
    free(then);
    now = malloc(count * size);
    then = malloc(count * size);
    for (size_t i = 0; i < count; i++) {
        const double from = shl_random_coordinate(&r, float32);
        const double step = 1e-3 * shl_random_unit(&r);
        put(then, i, float32, from);
        put(now, i, float32, seed % 5 == 0 ? from : calm ? from + step : 0.7 * from + step);
    }
    for (uint32_t n = 0; n < RANGES; n++) {
        const uint32_t begin = n == 0 || n >= ODD ? 0 : n * 7919 % rows;
        range_begin[n] = begin;
        range_end[n] = n == 0 || n >= ODD ? rows : begin + n * 104729 % (rows - begin + 1);
        truth[n] = n >= ODD ? INFINITY : 0;
        for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)range_end[n]; i++) {
            // not fmax(): gcc 12 for arm64 fails on it
            const double far = fabs(at(now, i, float32) - at(then, i, float32));
            truth[n] = far > truth[n] ? far : truth[n];
        }
        bound[0][n] = bound[1][n] = -1;
    }
}

static void setup_f32(uint32_t rows, uint64_t seed)
{
    fill(rows, seed, true);
}

static void setup_f64(uint32_t rows, uint64_t seed)
{
    fill(rows, seed, false);
}

static void run(shl_displacement_fn *fn, uint32_t rows, int which, bool float32)
{
    bound[which][0] = fn(now, then, 0, rows);
    if (rows > 5000)
        return;
    static const double odd[2] = {NAN, -INFINITY};
    for (uint32_t n = 1; n < RANGES; n++) {
        // in either array, near the front or in the last row
        const size_t place = n % 4 < 2 ? 3 * (size_t)(rows - 1) + n % 3 : rows % 3;
        void *where = n % 2 ? now : then;
        const double keep = at(where, place, float32);
        if (n >= ODD)
            put(where, place, float32, odd[n / 2 % 2]);
        bound[which][n] = fn(now, then, range_begin[n], range_end[n]);
        put(where, place, float32, keep);
    }
}

static void run_f32(const shl_kernels *k, uint32_t rows, int which)
{
    run(k->displacement[SHOAL_F32], rows, which, true);
}

static void run_f64(const shl_kernels *k, uint32_t rows, int which)
{
    run(k->displacement[SHOAL_F64], rows, which, false);
}

static bool same(uint32_t rows)
{
    for (uint32_t n = 0; n < (rows > 5000 ? 1 : RANGES); n++) {
        const double b = bound[SHL_NEW][n];
        if (!(bound[SHL_REF][n] == b && b >= truth[n]) || (truth[n] == 0 && b != 0) ||
            (isfinite(b) && b > truth[n] * (1 + 0x1p-21) + 0x1p-148))
            return false;
    }
    return true;
}

const shl_case shl_case_displacement_f32 = {
    .name = "displacement_f32",
    .row = "vertex",
    .sizes = {1, 2, 5, 6, 7, 10, 11, 16, 17, 100, 4096},
    .bench_rows = 10242,
    .setup = setup_f32,
    .run = run_f32,
    .same = same,
};

const shl_case shl_case_displacement_f64 = {
    .name = "displacement_f64",
    .row = "vertex",
    .sizes = {1, 2, 3, 4, 5, 6, 8, 9, 100, 4096},
    .bench_rows = 10242,
    .setup = setup_f64,
    .run = run_f64,
    .same = same,
};
