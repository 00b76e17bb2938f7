// SPDX-License-Identifier: MIT
// Grown boxes: from denormal to infinite, with empty lanes, by margins of all sizes.
#include "tests/cases/case.h"

#include <math.h>
#include <string.h>

static void *block_memory, *grown_memory[2];
static shl_block *blocks, *grown[2];

// The last two keep what overflows and what underflows honest.
static const float margins[] = {0, 0x1p-149f, 1e-20f, 1e-3f, 0.5f, 3e38f, INFINITY};

static float list_margin_of(uint32_t row)
{
    return margins[row % (sizeof margins / sizeof *margins)];
}

static void setup(uint32_t rows, uint64_t seed)
{
    uint64_t r = seed * 2 + 1;
    blocks = shl_case_memory(&block_memory, rows * sizeof *blocks);
    for (int w = 0; w < 2; w++)
        grown[w] = shl_case_memory(&grown_memory[w], rows * sizeof *grown[w]);
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t lane = 0; lane < SHL_LANES; lane++) {
            const bool empty = shl_random(&r) % 8 == 0;
            for (int k = 0; k < 3; k++) {
                const float x = (float)shl_random_coordinate(&r, true);
                const float y = (float)shl_random_coordinate(&r, true);
                blocks[i].lo[k][lane] = empty ? INFINITY : x < y ? x : y;
                blocks[i].hi[k][lane] = empty ? -INFINITY : x < y ? y : x;
            }
        }
    }
}

static void run(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++)
        k->block_grow(&blocks[i], list_margin_of(i), &grown[which][i]);
}

// Outwards, but hardly more than asked for: a rounded sum never passes a bound that holds.
static bool outwards(float was, float is, float margin)
{
    const long double want = (long double)was - (long double)margin;
    return (long double)is <= want &&
           (isinf(is) || (long double)is >= want - 0x1p-21L * fabsl(want) - 0x1p-148L);
}

static bool same(uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        for (int k = 0; k < 3; k++) {
            for (int lane = 0; lane < SHL_LANES; lane++) {
                const float lo = blocks[i].lo[k][lane], hi = blocks[i].hi[k][lane];
                const float low = grown[0][i].lo[k][lane], high = grown[0][i].hi[k][lane];
                const bool good = lo > hi ? low == INFINITY && high == -INFINITY
                                          : outwards(lo, low, list_margin_of(i)) &&
                                                outwards(-hi, -high, list_margin_of(i));
                if (!good)
                    return false;
            }
        }
    }
    return memcmp(grown[0], grown[1], rows * sizeof *grown[0]) == 0;
}

const shl_case shl_case_block_grow = {
    .name = "block_grow",
    .row = "block",
    .sizes = {1, 7, 500},
    .bench_rows = 300,
    .setup = setup,
    .run = run,
    .same = same,
};
