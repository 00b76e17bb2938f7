// SPDX-License-Identifier: MIT
// A tree over random boxes, searched leaf by leaf; some boxes touch, some never end, and some
// leaves find more than one call can tell.
#include "tests/cases/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *block_memory, *out_memory[2];
static shl_box_tree tree;
static size_t counts[2];
static shl_row_pair *out[2];

static void box_of(uint64_t *r, uint32_t rows, shl_block *block, uint32_t lane)
{
    const uint32_t unbounded = (uint32_t)(shl_random(r) % 100);
    for (int k = 0; k < 3; k++) {
        const float lo = (float)(shl_random(r) % ((uint32_t)cbrt(rows) * 4 + 2));
        const uint32_t size = (uint32_t)(shl_random(r) % (unbounded == 1 ? 100 : 6));
        block->lo[k][lane] = unbounded == 0 ? -INFINITY : lo;
        block->hi[k][lane] = unbounded == 0 ? INFINITY : lo + (float)size;
    }
}

static void merge(uint32_t level, uint32_t row)
{
    shl_block *to = &tree.level[level][row / 8];
    const shl_block *from = &tree.level[level - 1][row];
    for (int k = 0; k < 3; k++) {
        float lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < 8 && row < tree.blocks[level - 1]; i++) {
            lo = fminf(lo, from->lo[k][i]);
            hi = fmaxf(hi, from->hi[k][i]);
        }
        to->lo[k][row % 8] = lo;
        to->hi[k][row % 8] = hi;
    }
}

static void setup(uint32_t rows, uint64_t seed)
{
    uint64_t r = seed * 2 + 1;
    tree = (shl_box_tree){.count = rows};
    size_t blocks = 0;
    for (uint32_t left = rows; left > 1 || tree.levels == 0;) {
        left = (left + 7) / 8;
        tree.blocks[tree.levels++] = left;
        blocks += left;
    }
    shl_block *block = shl_case_memory(&block_memory, blocks * sizeof *block);
    for (uint32_t l = 0; l < tree.levels; block += tree.blocks[l++])
        tree.level[l] = block;
    for (uint32_t i = 0; i < 8 * tree.blocks[0]; i++) {
        box_of(&r, rows, &tree.level[0][i / 8], i % 8);
        for (int k = 0; k < 3 && i >= rows; k++) {
            tree.level[0][i / 8].lo[k][i % 8] = INFINITY;
            tree.level[0][i / 8].hi[k][i % 8] = -INFINITY;
        }
    }
    for (uint32_t l = 1; l < tree.levels; l++) {
        for (uint32_t i = 0; i < 8 * tree.blocks[l]; i++)
            merge(l, i);
    }
    for (int w = 0; w < 2; w++)
        out[w] = shl_case_memory(
            &out_memory[w], ((size_t)rows * rows / 2 + SHL_TREE_PAIRS_MAX) * sizeof *out[w]);
}

static void run(const shl_kernels *k, uint32_t rows, int which)
{
    (void)rows;
    counts[which] = 0;
    for (uint32_t leaf = 0; leaf < tree.blocks[0]; leaf++) {
        for (uint32_t next = leaf; next < tree.blocks[0];)
            counts[which] += k->tree_pairs(&tree, leaf, &next, out[which] + counts[which]);
    }
}

static bool same(uint32_t rows)
{
    (void)rows;
    return counts[0] == counts[1] && memcmp(out[0], out[1], counts[0] * sizeof *out[0]) == 0;
}

const shl_case shl_case_tree_pairs = {
    .name = "tree_pairs",
    .row = "box",
    .sizes = {1, 2, 8, 9, 63, 64, 65, 600, 2500},
    .bench_rows = 2500,
    .setup = setup,
    .run = run,
    .same = same,
};
