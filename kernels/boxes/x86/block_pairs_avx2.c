// SPDX-License-Identifier: MIT
#include "kernels/boxes/block_pairs.h"

#include "kernels/boxes/x86/lane_list.h"

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

// Lanes of b that overlap lane i of a.
static inline uint32_t meet_lane(const boxes *b, const shl_block *a, uint32_t i)
{
    __m256 all = _mm256_cmp_ps(b->lo[0], _mm256_broadcast_ss(&a->hi[0][i]), _CMP_LE_OQ);
    for (int k = 1; k < 3; k++)
        all = _mm256_and_ps(
            all, _mm256_cmp_ps(b->lo[k], _mm256_broadcast_ss(&a->hi[k][i]), _CMP_LE_OQ));
    for (int k = 0; k < 3; k++)
        all = _mm256_and_ps(
            all, _mm256_cmp_ps(b->hi[k], _mm256_broadcast_ss(&a->lo[k][i]), _CMP_GE_OQ));
    return (uint32_t)_mm256_movemask_ps(all);
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

// The corners of a leaf's triangles, one a lane.
typedef struct names {
    __m256i v[3];
} names;

static inline __m256i two_rows(const shl_tri *tri, uint32_t low, uint32_t high, uint32_t last)
{
    const __m128i a = _mm_loadu_si128((const __m128i *)&tri[low < last ? low : last]);
    const __m128i b = _mm_loadu_si128((const __m128i *)&tri[high < last ? high : last]);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
}

static inline names load_names(const shl_tri *tri, uint32_t first, uint32_t rows)
{
    const uint32_t last = rows - 1;
    const __m256i r04 = two_rows(tri, first, first + 4, last);
    const __m256i r15 = two_rows(tri, first + 1, first + 5, last);
    const __m256i r26 = two_rows(tri, first + 2, first + 6, last);
    const __m256i r37 = two_rows(tri, first + 3, first + 7, last);
    const __m256i v01_0145 = _mm256_unpacklo_epi32(r04, r15);
    const __m256i v01_2367 = _mm256_unpacklo_epi32(r26, r37);
    const __m256i v2_0145 = _mm256_unpackhi_epi32(r04, r15);
    const __m256i v2_2367 = _mm256_unpackhi_epi32(r26, r37);
    return (names){{_mm256_unpacklo_epi64(v01_0145, v01_2367),
                    _mm256_unpackhi_epi64(v01_0145, v01_2367),
                    _mm256_unpacklo_epi64(v2_0145, v2_2367)}};
}

// Lanes that share a vertex with one triangle.
static inline uint32_t kin_of(const names *n, const shl_tri *t)
{
    __m256i any = _mm256_setzero_si256();
    for (int i = 0; i < 3; i++) {
        const __m256i own = _mm256_set1_epi32((int)t->v[i]);
        for (int k = 0; k < 3; k++)
            any = _mm256_or_si256(any, _mm256_cmpeq_epi32(n->v[k], own));
    }
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(any));
}

// Rows come eight at a time and the next ones overwrite what was too much, so `out` needs room
// for a few more than there are. Without `tri`, vertices do not count.
static inline uint32_t lane_pairs(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                                  const shl_tri *tri, uint32_t rows, shl_tri_pair *out)
{
    const boxes lanes_a = load_block(a.block), lanes_b = load_block(b.block);
    boxes both;
    uint32_t mask_a = meet_box(&lanes_a, clip, &both);
    const uint32_t mask_b = meet_box(&lanes_b, clip, &both);
    shl_tri_pair *end = out;
    names names_b;
    if (tri)
        names_b = load_names(tri, b.first, rows);
    for (; mask_a; mask_a &= mask_a - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(mask_a);
        uint32_t hits = meet_lane(&lanes_b, a.block, i) & mask_b;
        if (self)
            hits &= 0xfeu << i;
        if (tri)
            hits &= ~kin_of(&names_b, &tri[a.first + i]);
        const char *list = (const char *)&shl_lane_list[hits];
        const __m256i low = _mm256_cvtepu8_epi64(_mm_loadu_si32(list));
        const __m256i high = _mm256_cvtepu8_epi64(_mm_loadu_si32(list + 4));
        const __m256i first =
            _mm256_set1_epi64x((long long)((uint64_t)b.first << 32 | (uint64_t)(a.first + i)));
        _mm256_storeu_si256((__m256i *)end,
                            _mm256_add_epi64(_mm256_slli_epi64(low, 32), first));
        _mm256_storeu_si256((__m256i *)(end + 4),
                            _mm256_add_epi64(_mm256_slli_epi64(high, 32), first));
        end += __builtin_popcount(hits);
    }
    return (uint32_t)(end - out);
}

uint64_t shl_block_mask_avx2(const shl_block *a, const shl_block *b)
{
    const boxes lanes = load_block(b);
    uint64_t all = 0;
    for (uint32_t i = 0; i < SHL_LANES; i++)
        all |= (uint64_t)meet_lane(&lanes, a, i) << SHL_LANES * i;
    return all;
}

uint32_t shl_block_tris_avx2(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                             shl_tri_pair *out)
{
    return lane_pairs(a, b, clip, self, NULL, 0, out);
}

uint32_t shl_block_nonadjacent_avx2(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                                    const shl_tri *tri, uint32_t rows, shl_tri_pair *out)
{
    return lane_pairs(a, b, clip, self, tri, rows, out);
}

uint32_t shl_block_pairs_avx2(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                              shl_node_pair *out)
{
    shl_tri_pair lanes[SHL_BLOCK_PAIRS_MAX + SHL_LANES];
    const uint32_t count = shl_block_tris_avx2((shl_lanes){a.block, 0}, (shl_lanes){b.block, 0},
                                               clip, self, lanes);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t la = lanes[i].a, lb = lanes[i].b;
        shl_box box;
        for (int k = 0; k < 3; k++) {
            box.lo[k] = a.block->lo[k][la] > b.block->lo[k][lb] ? a.block->lo[k][la]
                                                                : b.block->lo[k][lb];
            box.hi[k] = a.block->hi[k][la] < b.block->hi[k][lb] ? a.block->hi[k][la]
                                                                : b.block->hi[k][lb];
        }
        out[i] = (shl_node_pair){a.first + la, b.first + lb, box};
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
