// SPDX-License-Identifier: MIT
#include "kernels/boxes/block_pairs.h"

#include "kernels/boxes/x86/lane_mask_avx512.h"

// Boxes of eight lanes: lo x and y, lo z and hi x, hi y and z.
typedef struct boxes {
    __m512 part[3];
} boxes;

static inline boxes load_block(const shl_block *b)
{
    return (boxes){
        {_mm512_load_ps(b->lo[0]), _mm512_load_ps(b->lo[2]), _mm512_load_ps(b->hi[1])}};
}

static inline __m512 two_scalars(float low, float high)
{
    return _mm512_insertf32x8(_mm512_set1_ps(low), _mm256_set1_ps(high), 1);
}

// Lanes whose overlap with the box is not empty.
static inline uint32_t meet_box(const boxes *b, const shl_box *box)
{
    const __m512 far[3] = {two_scalars(box->lo[0], box->lo[1]),
                           two_scalars(box->lo[2], box->hi[0]),
                           two_scalars(box->hi[1], box->hi[2])};
    const __m512 most[2] = {_mm512_max_ps(b->part[0], far[0]),
                            _mm512_max_ps(b->part[1], far[1])};
    const __m512 least[2] = {_mm512_min_ps(b->part[1], far[1]),
                             _mm512_min_ps(b->part[2], far[2])};
    // x and y, then z: what is compared stands in other halves
    const __m512 hi_xy = _mm512_shuffle_f32x4(least[0], least[1], _MM_SHUFFLE(1, 0, 3, 2));
    const uint32_t xy = _mm512_cmp_ps_mask(most[0], hi_xy, _CMP_LE_OQ);
    const uint32_t z = _mm256_cmp_ps_mask(_mm512_castps512_ps256(most[1]),
                                          _mm512_extractf32x8_ps(least[1], 1), _CMP_LE_OQ);
    return xy & xy >> 8 & z & 255;
}

static inline uint64_t clip_lanes(uint64_t hits, const boxes *a, const boxes *b,
                                  const shl_box *clip)
{
    hits &= _pdep_u64(meet_box(a, clip), 0x0101010101010101u) * 255;
    return hits & meet_box(b, clip) * 0x0101010101010101u;
}

// . . lo x y z, hi x y z of one lane
static inline __m256 lane_box(const boxes *b, uint32_t lane)
{
    const __m512i low = _mm512_setr_epi32(0, 0, 0, 8, 16, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m512i high = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m512i at = _mm512_set1_epi32((int)lane);
    const __m512 first =
        _mm512_permutex2var_ps(b->part[0], _mm512_add_epi32(low, at), b->part[1]);
    return _mm512_castps512_ps256(
        _mm512_mask_permutexvar_ps(first, 0xc0, _mm512_add_epi32(high, at), b->part[2]));
}

uint64_t shl_block_mask_avx512(const shl_block *a, const shl_block *b)
{
    return shl_lane_mask(a, b);
}

uint32_t shl_block_pairs_avx512(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                                shl_node_pair *out)
{
    uint64_t hits = shl_lane_mask(a.block, b.block);
    if (self)
        hits &= shl_lanes_above;
    if (!hits)
        return 0;
    const boxes of_a = load_block(a.block), of_b = load_block(b.block);
    hits = clip_lanes(hits, &of_a, &of_b, clip);
    const uint32_t count = (uint32_t)__builtin_popcountll(hits);
    for (; hits; hits &= hits - 1, out++) {
        const uint32_t slot = (uint32_t)__builtin_ctzll(hits);
        const uint32_t i = slot / SHL_LANES, j = slot % SHL_LANES;
        const __m256 x = lane_box(&of_a, i), y = lane_box(&of_b, j);
        const __m256 box = _mm256_mask_min_ps(_mm256_max_ps(x, y), 0xe0, x, y);
        const uint64_t nodes = (uint64_t)(b.first + j) << 32 | (a.first + i);
        const __m256i names = _mm256_castsi128_si256(_mm_cvtsi64_si128((long long)nodes));
        _mm256_storeu_si256((__m256i *)out,
                            _mm256_mask_blend_epi32(3, _mm256_castps_si256(box), names));
    }
    return count;
}
