// SPDX-License-Identifier: MIT
#include "kernels/broad/tree_pairs.h"

static bool lanes_overlap(const shl_block *a, uint32_t i, const shl_block *b, uint32_t j)
{
    bool all = true;
    for (int k = 0; k < 3; k++)
        all = all && a->lo[k][i] <= b->hi[k][j] && b->lo[k][j] <= a->hi[k][i];
    return all;
}

static uint32_t leaf_pairs(const shl_box_tree *t, uint32_t a, uint32_t b, shl_row_pair *out)
{
    uint32_t count = 0;
    for (uint32_t i = 8 * a; i < 8 * a + 8 && i < t->count; i++) {
        for (uint32_t j = a == b ? i + 1 : 8 * b; j < 8 * b + 8 && j < t->count; j++) {
            if (lanes_overlap(&t->level[0][a], i % 8, &t->level[0][b], j % 8))
                out[count++] = (shl_row_pair){i, j};
        }
    }
    return count;
}

// Whether block `b` of `level` exists and overlaps leaf `leaf`. Its box is a lane above it.
static bool may_meet(const shl_box_tree *t, uint32_t leaf, uint32_t level, uint32_t b)
{
    return lanes_overlap(&t->level[1][leaf / 8], leaf % 8, &t->level[level + 1][b / 8], b % 8);
}

uint32_t shl_tree_pairs_ref(const shl_box_tree *t, uint32_t leaf, uint32_t *next,
                            shl_row_pair *out)
{
    uint32_t count = 0, level = 0, b = *next;
    while (b < t->blocks[level]) {
        if (level == 0 && b == leaf) {
            count += leaf_pairs(t, leaf, leaf, out);
        } else if (may_meet(t, leaf, level, b)) {
            if (level > 0) {
                level--;
                b *= 8;
                continue;
            }
            if (count > SHL_TREE_PAIRS_MAX - 64) {
                *next = b;
                return count;
            }
            count += leaf_pairs(t, leaf, b, out + count);
        }
        // the next block that no visited one contains
        for (b++; b % 8 == 0 && level + 1 < t->levels; b /= 8)
            level++;
        while (b >= t->blocks[level] && level + 1 < t->levels) {
            b = b / 8 + 1;
            level++;
        }
    }
    *next = t->blocks[0];
    return count;
}
