// SPDX-License-Identifier: MIT
// Kernels over blocks: merge, pairs of lanes, lanes against a box. Boxes on a coarse lattice,
// so that touching ones are common, with empty lanes and infinite ends among them.
#include "tests/cases/case.h"

#include <math.h>
#include <string.h>

enum { OUT_MAX = SHL_BLOCK_PAIRS_MAX + 8 };

static void *block_memory, *clip_memory, *merged_memory[2], *pair_memory[2], *tri_memory[2],
    *count_memory[2], *corner_memory, *joined_memory[2];
static shl_block *blocks; // [rows + 1]
static shl_box *clips;    // [rows]
static shl_box *merged[2];
static shl_node_pair *pairs[2];
static shl_tri_pair *tris[2];
static shl_block *joined[2]; // [rows]
static uint32_t *counts[2];
static shl_tri *corners;     // [corner_rows] few vertices, so that many are shared
static uint32_t corner_rows; // lane k of block i is triangle i + k; empty lanes may have none

static void random_box(uint64_t *r, float lo[3], float hi[3])
{
    for (int k = 0; k < 3; k++) {
        const float centre = (float)(shl_random(r) % 9);
        const float half = (float)(shl_random(r) % 4) * 0.5f;
        lo[k] = centre - half + 0.0f;
        hi[k] = centre + half;
        if (shl_random(r) % 97 == 0)
            hi[k] = INFINITY; // doubles beyond float32 give such boxes
    }
}

static void setup(uint32_t rows, uint64_t seed)
{
    uint64_t r = seed * 2 + 1;
    blocks = shl_case_memory(&block_memory, (rows + (size_t)1) * sizeof *blocks);
    clips = shl_case_memory(&clip_memory, rows * sizeof *clips);
    corner_rows = 0;
    for (uint32_t i = 0; i <= rows; i++) {
        const uint32_t used = 1 + (uint32_t)(shl_random(&r) % SHL_LANES);
        corner_rows = i + used > corner_rows ? i + used : corner_rows;
        for (uint32_t lane = 0; lane < SHL_LANES; lane++) {
            float lo[3] = {INFINITY, INFINITY, INFINITY},
                  hi[3] = {-INFINITY, -INFINITY, -INFINITY};
            if (lane < used)
                random_box(&r, lo, hi);
            for (int k = 0; k < 3; k++) {
                blocks[i].lo[k][lane] = lo[k];
                blocks[i].hi[k][lane] = hi[k];
            }
        }
        if (i < rows)
            random_box(&r, clips[i].lo, clips[i].hi);
        for (int k = 0; i < rows && i % 3 == 0 && k < 3; k++) { // and some that cut nothing off
            clips[i].lo[k] = -INFINITY;
            clips[i].hi[k] = INFINITY;
        }
    }
    corners = shl_case_memory(&corner_memory, corner_rows * sizeof *corners);
    for (uint32_t i = 0; i < corner_rows; i++) {
        for (int k = 0; k < 3; k++)
            corners[i].v[k] = (uint32_t)(shl_random(&r) % 24);
        corners[i].id = (uint32_t)(shl_random(&r) % 24);
    }
    for (int w = 0; w < 2; w++) {
        merged[w] = shl_case_memory(&merged_memory[w], rows * sizeof *merged[w]);
        joined[w] = shl_case_memory(&joined_memory[w], rows * sizeof *joined[w]);
        pairs[w] = shl_case_memory(&pair_memory[w], (size_t)rows * OUT_MAX * sizeof *pairs[w]);
        tris[w] = shl_case_memory(&tri_memory[w], (size_t)rows * OUT_MAX * sizeof *tris[w]);
        counts[w] = shl_case_memory(&count_memory[w], rows * sizeof *counts[w]);
    }
}

static void run_merge(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++)
        k->block_merge(&blocks[i], &merged[which][i]);
}

static bool same_merge(uint32_t rows)
{
    return memcmp(merged[0], merged[1], rows * sizeof *merged[0]) == 0;
}

static void run_join(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t left = rows - i, most = left < SHL_LANES ? left : SHL_LANES;
        k->block_join(&blocks[i], 1 + i % most, &joined[which][i]);
    }
}

static bool same_join(uint32_t rows)
{
    return memcmp(joined[0], joined[1], rows * sizeof *joined[0]) == 0;
}

static void run_pairs(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++) {
        const bool self = i % 4 == 3;
        const shl_lanes a = {&blocks[i], 100 * i}, b = {&blocks[self ? i : i + 1], 7 * i};
        counts[which][i] =
            k->block_pairs(a, b, &clips[i], self, pairs[which] + (size_t)i * OUT_MAX);
    }
}

static void run_mask(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++) {
        const uint64_t mask = k->block_mask(&blocks[i], &blocks[i + 1]);
        tris[which][(size_t)i * OUT_MAX] =
            (shl_tri_pair){(uint32_t)mask, (uint32_t)(mask >> 32)};
        counts[which][i] = 1;
    }
}

static void run_clip(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++) {
        const shl_lanes a = {&blocks[i], 100 * i};
        counts[which][i] =
            k->block_clip(a, 3 * i, &clips[i], pairs[which] + (size_t)i * OUT_MAX);
    }
}

static bool same_pairs(uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        const size_t at = (size_t)i * OUT_MAX;
        if (counts[0][i] != counts[1][i] ||
            memcmp(pairs[0] + at, pairs[1] + at, counts[0][i] * sizeof *pairs[0]) != 0)
            return false;
    }
    return true;
}

static void run_tris(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++) {
        const bool self = i % 4 == 3;
        const shl_lanes a = {&blocks[i], 100 * i}, b = {&blocks[self ? i : i + 1], 7 * i};
        counts[which][i] =
            k->block_tris(a, b, &clips[i], self, tris[which] + (size_t)i * OUT_MAX);
    }
}

static void run_nonadjacent(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++) {
        const bool self = i % 4 == 3;
        const shl_lanes a = {&blocks[i], i}, b = {&blocks[self ? i : i + 1], self ? i : i + 1};
        counts[which][i] = k->block_nonadjacent(a, b, &clips[i], self, corners, corner_rows,
                                                tris[which] + (size_t)i * OUT_MAX);
    }
}

static bool same_tris(uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        const size_t at = (size_t)i * OUT_MAX;
        if (counts[0][i] != counts[1][i] ||
            memcmp(tris[0] + at, tris[1] + at, counts[0][i] * sizeof *tris[0]) != 0)
            return false;
    }
    return true;
}

const shl_case shl_case_block_merge = {
    .name = "block_merge",
    .row = "block",
    .sizes = {1, 7, 500},
    .bench_rows = 300,
    .setup = setup,
    .run = run_merge,
    .same = same_merge,
};

const shl_case shl_case_block_join = {
    .name = "block_join",
    .row = "block",
    .sizes = {1, 7, 500},
    .bench_rows = 300,
    .setup = setup,
    .run = run_join,
    .same = same_join,
};

const shl_case shl_case_block_pairs = {
    .name = "block_pairs",
    .row = "pair of blocks",
    .sizes = {1, 7, 500},
    .bench_rows = 100,
    .setup = setup,
    .run = run_pairs,
    .same = same_pairs,
};

const shl_case shl_case_block_mask = {
    .name = "block_mask",
    .row = "pair of blocks",
    .sizes = {1, 7, 500},
    .bench_rows = 100,
    .setup = setup,
    .run = run_mask,
    .same = same_tris,
};

const shl_case shl_case_block_tris = {
    .name = "block_tris",
    .row = "pair of blocks",
    .sizes = {1, 7, 500},
    .bench_rows = 100,
    .setup = setup,
    .run = run_tris,
    .same = same_tris,
};

const shl_case shl_case_block_nonadjacent = {
    .name = "block_nonadjacent",
    .row = "pair of blocks",
    .sizes = {1, 7, 500},
    .bench_rows = 100,
    .setup = setup,
    .run = run_nonadjacent,
    .same = same_tris,
};

const shl_case shl_case_block_clip = {
    .name = "block_clip",
    .row = "block",
    .sizes = {1, 7, 500},
    .bench_rows = 100,
    .setup = setup,
    .run = run_clip,
    .same = same_pairs,
};
