// SPDX-License-Identifier: MIT
#include "kernels/block_pairs.h"

#include <immintrin.h>

// Eight boxes in registers.
typedef struct boxes {
    __m256 lo[3], hi[3];
} boxes;

static inline boxes load_block(const shl_block *b)
{
    return (boxes){
        {_mm256_load_ps(b->lo[0]), _mm256_load_ps(b->lo[1]), _mm256_load_ps(b->lo[2])},
        {_mm256_load_ps(b->hi[0]), _mm256_load_ps(b->hi[1]), _mm256_load_ps(b->hi[2])}};
}

// The overlap of each lane with one box given by six scalars; the mask of those that have one.
static inline uint32_t meet(const boxes *b, const float *lo[3], const float *hi[3], boxes *out)
{
    for (int k = 0; k < 3; k++) {
        out->lo[k] = _mm256_max_ps(b->lo[k], _mm256_broadcast_ss(lo[k]));
        out->hi[k] = _mm256_min_ps(b->hi[k], _mm256_broadcast_ss(hi[k]));
    }
    const __m256 x = _mm256_cmp_ps(out->lo[0], out->hi[0], _CMP_LE_OQ);
    const __m256 y = _mm256_cmp_ps(out->lo[1], out->hi[1], _CMP_LE_OQ);
    const __m256 z = _mm256_cmp_ps(out->lo[2], out->hi[2], _CMP_LE_OQ);
    return (uint32_t)_mm256_movemask_ps(_mm256_and_ps(_mm256_and_ps(x, y), z));
}

static inline uint32_t meet_box(const boxes *b, const shl_box *box, boxes *out)
{
    const float *lo[3] = {&box->lo[0], &box->lo[1], &box->lo[2]};
    const float *hi[3] = {&box->hi[0], &box->hi[1], &box->hi[2]};
    return meet(b, lo, hi, out);
}

static inline uint32_t meet_lane(const boxes *b, const shl_block *block, uint32_t i, boxes *out)
{
    const float *lo[3] = {&block->lo[0][i], &block->lo[1][i], &block->lo[2][i]};
    const float *hi[3] = {&block->hi[0][i], &block->hi[1][i], &block->hi[2][i]};
    return meet(b, lo, hi, out);
}

static inline shl_block spill(const boxes *b)
{
    shl_block out;
    for (int k = 0; k < 3; k++) {
        _mm256_store_ps(out.lo[k], b->lo[k]);
        _mm256_store_ps(out.hi[k], b->hi[k]);
    }
    return out;
}

static inline shl_box lane_box(const shl_block *b, uint32_t lane)
{
    return (shl_box){{b->lo[0][lane], b->lo[1][lane], b->lo[2][lane]},
                     {b->hi[0][lane], b->hi[1][lane], b->hi[2][lane]}};
}

uint32_t shl_block_pairs_avx2(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                              shl_node_pair *out)
{
    const boxes lanes_a = load_block(a.block), lanes_b = load_block(b.block);
    boxes both;
    uint32_t mask_a = meet_box(&lanes_a, clip, &both);
    const uint32_t mask_b = meet_box(&lanes_b, clip, &both);
    uint32_t count = 0;
    for (; mask_a; mask_a &= mask_a - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(mask_a);
        uint32_t hits = meet_lane(&lanes_b, a.block, i, &both) & mask_b;
        if (self)
            hits &= 0xfeu << i;
        if (!hits)
            continue;
        const shl_block boxes_of = spill(&both);
        for (; hits; hits &= hits - 1) {
            const uint32_t j = (uint32_t)__builtin_ctz(hits);
            out[count++] = (shl_node_pair){a.first + i, b.first + j, lane_box(&boxes_of, j)};
        }
    }
    return count;
}

uint32_t shl_block_tris_avx2(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                             shl_tri_pair *out)
{
    const boxes lanes_a = load_block(a.block), lanes_b = load_block(b.block);
    boxes both;
    uint32_t mask_a = meet_box(&lanes_a, clip, &both);
    const uint32_t mask_b = meet_box(&lanes_b, clip, &both);
    uint32_t count = 0;
    for (; mask_a; mask_a &= mask_a - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(mask_a);
        uint32_t hits = meet_lane(&lanes_b, a.block, i, &both) & mask_b;
        if (self)
            hits &= 0xfeu << i;
        for (; hits; hits &= hits - 1)
            out[count++] = (shl_tri_pair){a.first + i, b.first + (uint32_t)__builtin_ctz(hits)};
    }
    return count;
}

uint32_t shl_block_clip_avx2(shl_lanes a, uint32_t b, const shl_box *clip, shl_node_pair *out)
{
    const boxes lanes = load_block(a.block);
    boxes both;
    uint32_t hits = meet_box(&lanes, clip, &both), count = 0;
    if (!hits)
        return 0;
    const shl_block boxes_of = spill(&both);
    for (; hits; hits &= hits - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(hits);
        out[count++] = (shl_node_pair){a.first + i, b, lane_box(&boxes_of, i)};
    }
    return count;
}
