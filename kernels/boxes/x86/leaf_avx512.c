// SPDX-License-Identifier: MIT
#include "kernels/boxes/leaf.h"

#include "kernels/boxes/x86/lane_mask_avx512.h"

// Corner i of four triangles: x y z . each; the scalar behind a vertex is read, too.
static inline __attribute__((always_inline)) __m512 four_corners(const float *xyz,
                                                                 const shl_tri *tri, int i)
{
    const __m128 first = _mm_loadu_ps(xyz + 3 * (size_t)tri[0].v[i]);
    __m512 all = _mm512_castps128_ps512(first);
    all = _mm512_insertf32x4(all, _mm_loadu_ps(xyz + 3 * (size_t)tri[1].v[i]), 1);
    all = _mm512_insertf32x4(all, _mm_loadu_ps(xyz + 3 * (size_t)tri[2].v[i]), 2);
    return _mm512_insertf32x4(all, _mm_loadu_ps(xyz + 3 * (size_t)tri[3].v[i]), 3);
}

// Scalar k of eight rows of four.
static inline __attribute__((always_inline)) __m256 column(__m512 low, __m512 high, int k)
{
    const __m512i first =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
    return _mm512_castps512_ps256(
        _mm512_permutex2var_ps(low, _mm512_add_epi32(first, _mm512_set1_epi32(k)), high));
}

static inline __m256i steps(__m256 x, __m256 origin, __m256 scale)
{
    const __m256 at = _mm256_mul_ps(_mm256_sub_ps(x, origin), scale);
    const __m256 low = _mm256_max_ps(at, _mm256_setzero_ps()); // NaN becomes 0
    return _mm256_cvttps_epi32(_mm256_min_ps(low, _mm256_set1_ps((float)SHL_GRID_MAX)));
}

// A leaf of eight triangles, none of which names the last vertex of all.
static void open_full(const shl_tri *tri, const float *xyz, const shl_lattice *grid,
                      shl_leaf_tris *out)
{
    __m512 low[3], high[3];
    for (int i = 0; i < 3; i++) {
        low[i] = four_corners(xyz, tri, i);
        high[i] = four_corners(xyz, tri + 4, i);
    }
    for (int k = 0; k < 3; k++) {
        const __m256 p = column(low[0], high[0], k), q = column(low[1], high[1], k);
        const __m256 r = column(low[2], high[2], k);
        _mm256_store_ps(out->corner[0][k], p);
        _mm256_store_ps(out->corner[1][k], q);
        _mm256_store_ps(out->corner[2][k], r);
        const __m256 origin = _mm256_set1_ps(grid->origin[k]);
        const __m256 scale = _mm256_set1_ps(grid->scale[k]);
        const __m256i lo = steps(_mm256_min_ps(_mm256_min_ps(p, q), r), origin, scale);
        const __m256i hi = steps(_mm256_max_ps(_mm256_max_ps(p, q), r), origin, scale);
        _mm_storeu_si128((__m128i *)out->box[k][0], _mm256_cvtepi32_epi16(lo));
        _mm_storeu_si128((__m128i *)out->box[k][1], _mm256_cvtepi32_epi16(hi));
    }
    const __m512 rows[2] = {_mm512_loadu_ps(tri), _mm512_loadu_ps(tri + 4)};
    for (int i = 0; i < 3; i++)
        _mm256_storeu_ps((float *)out->vertex[i], column(rows[0], rows[1], i));
}

void shl_leaf_open_avx512(const shl_tree *tree, const float *xyz, uint32_t leaf,
                          const shl_lattice *grid, shl_leaf_tris *out)
{
    const uint32_t first = tree->first[leaf];
    if (tree->count[leaf] < SHL_LANES || first + SHL_LANES > tree->last_named) {
        shl_leaf_open_avx2(tree, xyz, leaf, grid, out);
        return;
    }
    out->first = first;
    open_full(tree->tri + first, xyz, grid, out);
}

// Bit 8 i + j: lane i of a shares a vertex with lane j of b.
static uint64_t kin_mask(const shl_leaf_tris *a, const shl_leaf_tris *b)
{
    const __m512i first = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    __m512i of_a[3], of_b[3];
    for (int k = 0; k < 3; k++) {
        of_a[k] = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)a->vertex[k]));
        of_b[k] = _mm512_broadcast_i32x8(_mm256_loadu_si256((const __m256i *)b->vertex[k]));
    }
    uint64_t all = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const __m512i which = _mm512_add_epi32(first, _mm512_set1_epi32(2 * i));
        uint32_t any = 0;
        for (int x = 0; x < 3; x++) {
            const __m512i own = _mm512_permutexvar_epi32(which, of_a[x]);
            for (int y = 0; y < 3; y++)
                any |= _mm512_cmpeq_epi32_mask(own, of_b[y]);
        }
        all |= (uint64_t)any << 16 * i;
    }
    return all;
}

// Bit 8 i + j: lane i of a overlaps lane j of b. Four lanes of a at a time, eight words each.
static inline __attribute__((always_inline)) uint64_t step_mask(const shl_leaf_tris *a,
                                                                const shl_leaf_tris *b)
{
    const __m512i first = _mm512_set_epi64(
        0x0706070607060706, 0x0706070607060706, 0x0504050405040504, 0x0504050405040504,
        0x0302030203020302, 0x0302030203020302, 0x0100010001000100, 0x0100010001000100);
    const __m512i upper = _mm512_add_epi8(first, _mm512_set1_epi8(8));
    __mmask32 low = UINT32_MAX, high = UINT32_MAX, low2 = UINT32_MAX, high2 = UINT32_MAX;
    for (int k = 0; k < 3; k++) {
        const __m512i lo_a =
            _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)a->box[k][0]));
        const __m512i hi_a =
            _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)a->box[k][1]));
        const __m512i lo_b =
            _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)b->box[k][0]));
        const __m512i hi_b =
            _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)b->box[k][1]));
        low = _mm512_mask_cmple_epu16_mask(low, _mm512_shuffle_epi8(lo_a, first), hi_b);
        high = _mm512_mask_cmple_epu16_mask(high, _mm512_shuffle_epi8(lo_a, upper), hi_b);
        low2 = _mm512_mask_cmple_epu16_mask(low2, lo_b, _mm512_shuffle_epi8(hi_a, first));
        high2 = _mm512_mask_cmple_epu16_mask(high2, lo_b, _mm512_shuffle_epi8(hi_a, upper));
    }
    return _cvtmask64_u64(_mm512_kunpackd(_kand_mask32(high, high2), _kand_mask32(low, low2)));
}

// Adds up to eight pairs; byte k of `slots` is 8 * lane of a + lane of b.
static inline __attribute__((always_inline)) void add_pairs(const shl_leaf_tris *a,
                                                            const shl_leaf_tris *b,
                                                            __m128i slots, shl_tri_columns *out,
                                                            uint32_t at)
{
    const __m256i slot = _mm256_cvtepu8_epi32(slots);
    const __m256i of_a = _mm256_srli_epi32(slot, 3); // permutes look at the last three bits
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            _mm256_storeu_ps(&out->corner[0][i][k][at],
                             _mm256_permutevar8x32_ps(_mm256_load_ps(a->corner[i][k]), of_a));
            _mm256_storeu_ps(&out->corner[1][i][k][at],
                             _mm256_permutevar8x32_ps(_mm256_load_ps(b->corner[i][k]), slot));
        }
    }
    const __m512i wide = _mm512_cvtepu8_epi64(slots);
    const __m512i lane_b = _mm512_and_si512(wide, _mm512_set1_epi64(SHL_LANES - 1));
    const __m512i lanes =
        _mm512_or_si512(_mm512_srli_epi64(wide, 3), _mm512_slli_epi64(lane_b, 32));
    const uint64_t first = (uint64_t)b->first << 32 | a->first;
    _mm512_storeu_si512(&out->row[at],
                        _mm512_add_epi32(lanes, _mm512_set1_epi64((long long)first)));
}

uint32_t shl_leaf_pairs_avx512(const shl_leaf_tris *a, const shl_leaf_tris *b, uint32_t kind,
                               shl_tri_columns *out, uint32_t count)
{
    uint64_t hits = step_mask(a, b);
    if (kind) {
        if (kind & SHL_LEAF_SELF)
            hits &= shl_lanes_above;
        if (kind & SHL_LEAF_NONADJACENT && hits)
            hits &= ~kin_mask(a, b);
        if (!hits)
            return count;
    }
    const __m512i bytes = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
        41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
        19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i slots = _mm512_maskz_compress_epi8(hits, bytes);
    const uint32_t n = (uint32_t)__builtin_popcountll(hits);
    add_pairs(a, b, _mm512_castsi512_si128(slots), out, count); // nearly always all of them
    if (__builtin_expect(n > SHL_LANES, 0)) {
        _Alignas(64) uint8_t list[SHL_LANES * SHL_LANES];
        _mm512_store_si512(list, slots);
        for (uint32_t k = SHL_LANES; k < n; k += SHL_LANES)
            add_pairs(a, b, _mm_loadl_epi64((const __m128i *)(list + k)), out, count + k);
    }
    return count + n;
}
