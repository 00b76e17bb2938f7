// SPDX-License-Identifier: MIT
// Gaps between boxes: overlapping, touching, apart, tiny, huge and without end.
#include "tests/cases/case.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void *block_memory, *box_memory, *out_memory[2];
static shl_block *blocks;
static shl_box *boxes;
static float *out[2];

static void setup(uint32_t rows, uint64_t seed)
{
    static const float sizes[] = {1, 1, 1, 1e-20f, 1e-38f, 1e20f, FLT_MAX, INFINITY};
    uint64_t r = seed * 2 + 1;
    blocks = shl_case_memory(&block_memory, rows * sizeof *blocks);
    boxes = shl_case_memory(&box_memory, rows * sizeof *boxes);
    for (int which = 0; which < 2; which++) {
        out[which] = shl_case_memory(&out_memory[which], SHL_LANES * rows * sizeof(float));
        memset(out[which], 0x55, SHL_LANES * rows * sizeof(float));
    }
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t lane = 0; lane <= SHL_LANES; lane++) {
            for (int k = 0; k < 3; k++) {
                const float size = sizes[shl_random(&r) % 8];
                const float at = (float)shl_random_coordinate(&r, true);
                float *lo = lane < SHL_LANES ? &blocks[i].lo[k][lane] : &boxes[i].lo[k];
                float *hi = lane < SHL_LANES ? &blocks[i].hi[k][lane] : &boxes[i].hi[k];
                *lo = size > FLT_MAX ? -size : size * at;
                *hi = size > FLT_MAX ? size : *lo + (shl_random(&r) % 2 ? 0.1f * size : 0);
            }
        }
    }
}

static void run(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++)
        k->block_gap(&boxes[i], &blocks[i], out[which] + SHL_LANES * i);
}

// Besides being equal, what is promised: not above the truth, not NaN, and not just 0.
static bool same(uint32_t rows)
{
    if (memcmp(out[0], out[1], SHL_LANES * rows * sizeof(float)) != 0)
        return false;
    for (uint32_t i = 0; i < SHL_LANES * rows; i++) {
        const shl_block *b = &blocks[i / SHL_LANES];
        const uint32_t lane = i % SHL_LANES;
        long double square = 0;
        for (int k = 0; k < 3; k++) {
            const long double above =
                (long double)b->lo[k][lane] - (long double)boxes[i / SHL_LANES].hi[k];
            const long double below =
                (long double)boxes[i / SHL_LANES].lo[k] - (long double)b->hi[k][lane];
            const long double gap = fmaxl(fmaxl(above, below), 0);
            square += gap * gap;
        }
        const long double most = square * (1 + 0x1p-21L) + 0x1p-140L;
        const long double least = square * (1 - 0x1p-21L) - 0x1p-140L;
        const bool good = square > (long double)FLT_MAX ? out[0][i] > FLT_MAX / 2
                                                        : (long double)out[0][i] <= most &&
                                                              (long double)out[0][i] >= least;
        if (!good)
            return false;
    }
    return true;
}

const shl_case shl_case_block_gap = {
    .name = "block_gap",
    .row = "block",
    .sizes = {1, 5, 2000},
    .bench_rows = 1000,
    .setup = setup,
    .run = run,
    .same = same,
};
