// SPDX-License-Identifier: MIT
#include "kernels/broad/tree_pairs.h"

#include <immintrin.h>

typedef struct lane_box {
    __m256 lo[3], hi[3];
} lane_box;

static inline lane_box spread_lane(const shl_block *block, uint32_t lane)
{
    lane_box box;
    for (int k = 0; k < 3; k++) {
        box.lo[k] = _mm256_broadcast_ss(&block->lo[k][lane]);
        box.hi[k] = _mm256_broadcast_ss(&block->hi[k][lane]);
    }
    return box;
}

static inline uint32_t hits(const shl_block *block, const lane_box *box)
{
    __m256 all = _mm256_cmp_ps(_mm256_load_ps(block->lo[0]), box->hi[0], _CMP_LE_OQ);
    all =
        _mm256_and_ps(all, _mm256_cmp_ps(_mm256_load_ps(block->hi[0]), box->lo[0], _CMP_GE_OQ));
    for (int k = 1; k < 3; k++) {
        all = _mm256_and_ps(
            all, _mm256_cmp_ps(_mm256_load_ps(block->lo[k]), box->hi[k], _CMP_LE_OQ));
        all = _mm256_and_ps(
            all, _mm256_cmp_ps(_mm256_load_ps(block->hi[k]), box->lo[k], _CMP_GE_OQ));
    }
    return (uint32_t)_mm256_movemask_ps(all);
}

// Lanes of a block that there are: an unbounded box reaches even empty ones.
static inline uint32_t real_lanes(uint32_t block, uint32_t count)
{
    return count - 8 * block >= 8 ? 0xff : (1u << (count - 8 * block)) - 1;
}

// Pairs of the lanes `from` of leaf a with leaf b.
static inline uint32_t leaf_pairs(const shl_box_tree *t, uint32_t a, uint32_t from, uint32_t b,
                                  shl_row_pair *out)
{
    const uint32_t real = real_lanes(b, t->count);
    uint32_t count = 0;
    for (; from; from &= from - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(from);
        const lane_box box = spread_lane(&t->level[0][a], i);
        uint32_t found = hits(&t->level[0][b], &box) & real;
        if (a == b)
            found &= 0xfeu << i;
        for (; found; found &= found - 1)
            out[count++] = (shl_row_pair){8 * a + i, 8 * b + (uint32_t)__builtin_ctz(found)};
    }
    return count;
}

uint32_t shl_tree_pairs_avx2(const shl_box_tree *t, uint32_t leaf, uint32_t *next,
                             shl_row_pair *out)
{
    uint32_t count = 0, at = *next;
    if (at == leaf) {
        count = leaf_pairs(t, leaf, real_lanes(leaf, t->count), leaf, out);
        at++;
    }
    if (t->levels == 1) {
        *next = t->blocks[0];
        return count;
    }
    // Depth first. left[l] are the lanes still to visit of the one block of level l on the way;
    // levels above `high` have not been looked at, and only lanes right of the way count there.
    const lane_box box = spread_lane(&t->level[1][leaf / 8], leaf % 8);
    uint32_t left[SHL_BOX_TREE_LEVELS], level = 1, high = 1, b = (at - 1) / 8;
    uint32_t lanes = hits(&t->level[1][b], &box) & (0xfeu << ((at - 1) % 8));
    lanes &= real_lanes(b, t->blocks[0]);
    for (;;) {
        if (!lanes) {
            if (++level == t->levels)
                break;
            const uint32_t lane = b % 8;
            b /= 8;
            if (level > high) {
                high = level;
                left[level] = hits(&t->level[level][b], &box) & (0xfeu << lane) &
                              real_lanes(b, t->blocks[level - 1]);
            }
            lanes = left[level];
            continue;
        }
        const uint32_t child = 8 * b + (uint32_t)__builtin_ctz(lanes);
        lanes &= lanes - 1;
        if (level > 1) {
            left[level--] = lanes;
            b = child;
            lanes = hits(&t->level[level][b], &box) & real_lanes(b, t->blocks[level - 1]);
            continue;
        }
        if (count > SHL_TREE_PAIRS_MAX - 64) {
            *next = child;
            return count;
        }
        const lane_box other = spread_lane(&t->level[1][b], child % 8);
        const uint32_t from = hits(&t->level[0][leaf], &other) & real_lanes(leaf, t->count);
        count += leaf_pairs(t, leaf, from, child, out + count);
    }
    *next = t->blocks[0];
    return count;
}
