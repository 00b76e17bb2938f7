// SPDX-License-Identifier: MIT
// Box accumulators in registers, shared by the AVX2 bodies of vertex_box and node_open.
#ifndef SHL_KERNELS_BOXES_X86_VERTEX_BOX_AVX2_H
#define SHL_KERNELS_BOXES_X86_VERTEX_BOX_AVX2_H

#include "layouts/tree.h"

#include <immintrin.h>

// Lanes x, y, z of a box; the fourth is unspecified. `nan` has bits set once a NaN was read.
typedef struct shl_extent_f32 {
    __m128 lo, hi, nan;
} shl_extent_f32;

typedef struct shl_extent_f64 {
    __m256d lo, hi, nan;
} shl_extent_f64;

shl_extent_f32 shl_extent_range_f32(const float *xyz, uint32_t begin, uint32_t end);
shl_extent_f64 shl_extent_range_f64(const double *xyz, uint32_t begin, uint32_t end);

// One vertex; the mask keeps the load inside the array.
static inline __m128 shl_load_f32(const float *xyz, uint32_t row)
{
    return _mm_maskload_ps(xyz + 3 * (size_t)row, _mm_setr_epi32(-1, -1, -1, 0));
}

static inline __m256d shl_load_f64(const double *xyz, uint32_t row)
{
    return _mm256_maskload_pd(xyz + 3 * (size_t)row, _mm256_setr_epi64x(-1, -1, -1, 0));
}

// Operand order matters: a NaN in the new value must not replace the accumulator.
static inline void shl_extent_add_f32(shl_extent_f32 *r, __m128 v)
{
    r->lo = _mm_min_ps(v, r->lo);
    r->hi = _mm_max_ps(v, r->hi);
}

static inline void shl_extent_add_f64(shl_extent_f64 *r, __m256d v)
{
    r->lo = _mm256_min_pd(v, r->lo);
    r->hi = _mm256_max_pd(v, r->hi);
}

static inline __m256 shl_load_two(const float *xyz, uint32_t a, uint32_t b)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(xyz + 3 * (size_t)a)),
                                _mm_loadu_ps(xyz + 3 * (size_t)b), 1);
}

// NaN is not looked for. With `inner` no listed vertex is the last of the array, and plain
// loads, two vertices a register, may touch the scalar behind a vertex: it belongs to the next
// one.
static inline __attribute__((always_inline)) void
shl_extent_list_f32(shl_extent_f32 *r, const float *xyz, const uint32_t *list, uint32_t count,
                    bool inner)
{
    if (!inner) {
        for (uint32_t i = 0; i < count; i++)
            shl_extent_add_f32(r, shl_load_f32(xyz, list[i]));
        return;
    }
    __m256 lo = _mm256_castps128_ps256(r->lo), hi = _mm256_castps128_ps256(r->hi);
    lo = _mm256_insertf128_ps(lo, r->lo, 1);
    hi = _mm256_insertf128_ps(hi, r->hi, 1);
    for (const uint32_t *end = list + count; list < end; list += 4) {
        const __m256 v = shl_load_two(xyz, list[0], list[1]);
        const __m256 w = shl_load_two(xyz, list[2], list[3]);
        lo = _mm256_min_ps(lo, _mm256_min_ps(v, w));
        hi = _mm256_max_ps(hi, _mm256_max_ps(v, w));
    }
    r->lo = _mm_min_ps(_mm256_castps256_ps128(lo), _mm256_extractf128_ps(lo, 1));
    r->hi = _mm_max_ps(_mm256_castps256_ps128(hi), _mm256_extractf128_ps(hi, 1));
}

static inline __attribute__((always_inline)) void
shl_extent_list_f64(shl_extent_f64 *r, const double *xyz, const uint32_t *list, uint32_t count,
                    bool inner)
{
    __m256d lo = r->lo, hi = r->hi;
    for (const uint32_t *end = list + count; list < end; list += 4) {
        __m256d v[4];
        for (int k = 0; k < 4; k++)
            v[k] =
                inner ? _mm256_loadu_pd(xyz + 3 * (size_t)list[k]) : shl_load_f64(xyz, list[k]);
        r->lo = _mm256_min_pd(r->lo, _mm256_min_pd(v[0], v[1]));
        r->hi = _mm256_max_pd(r->hi, _mm256_max_pd(v[0], v[1]));
        lo = _mm256_min_pd(lo, _mm256_min_pd(v[2], v[3]));
        hi = _mm256_max_pd(hi, _mm256_max_pd(v[2], v[3]));
    }
    r->lo = _mm256_min_pd(r->lo, lo);
    r->hi = _mm256_max_pd(r->hi, hi);
}

static inline shl_extent_f32 shl_extent_none_f32(void)
{
    return (shl_extent_f32){_mm_set1_ps(__builtin_inff()), _mm_set1_ps(-__builtin_inff()),
                            _mm_setzero_ps()};
}

static inline shl_extent_f64 shl_extent_none_f64(void)
{
    return (shl_extent_f64){_mm256_set1_pd(__builtin_inf()), _mm256_set1_pd(-__builtin_inf()),
                            _mm256_setzero_pd()};
}

// Infinities show in the box itself; an empty box is finite.
static inline bool shl_extent_finite_f32(const shl_extent_f32 *r)
{
    const __m128 most = _mm_set1_ps(__FLT_MAX__), least = _mm_set1_ps(-__FLT_MAX__);
    const __m128 good = _mm_and_ps(_mm_cmpge_ps(r->lo, least), _mm_cmple_ps(r->hi, most));
    return (_mm_movemask_ps(_mm_andnot_ps(r->nan, good)) & 7) == 7;
}

static inline bool shl_extent_finite_f64(const shl_extent_f64 *r)
{
    const __m256d most = _mm256_set1_pd(__DBL_MAX__), least = _mm256_set1_pd(-__DBL_MAX__);
    const __m256d good = _mm256_and_pd(_mm256_cmp_pd(r->lo, least, _CMP_GE_OQ),
                                       _mm256_cmp_pd(r->hi, most, _CMP_LE_OQ));
    return (_mm256_movemask_pd(_mm256_andnot_pd(r->nan, good)) & 7) == 7;
}

// Largest float not above each double; the vector form of shl_round_down().
static inline __m128 shl_round_down_avx2(__m256d d)
{
    const __m128 f = _mm256_cvtpd_ps(d);
    const __m256d above64 = _mm256_cmp_pd(_mm256_cvtps_pd(f), d, _CMP_GT_OQ);
    const __m128i above = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(
        _mm256_castpd_si256(above64), _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
    const __m128i bits = _mm_castps_si128(f);
    // One down for positive floats, one up in magnitude for negative ones.
    const __m128i step = _mm_or_si128(
        _mm_srai_epi32(_mm_xor_si128(bits, _mm_set1_epi32(-1)), 31), _mm_set1_epi32(1));
    const __m128i zero = _mm_castps_si128(_mm_cmpeq_ps(f, _mm_setzero_ps()));
    const __m128i next =
        _mm_blendv_epi8(_mm_add_epi32(bits, step), _mm_set1_epi32((int)0x80000001u), zero);
    return _mm_add_ps(_mm_castsi128_ps(_mm_blendv_epi8(bits, next, above)), _mm_setzero_ps());
}

static inline __m128 shl_round_up_avx2(__m256d d)
{
    const __m256d minus = _mm256_set1_pd(-0.0);
    const __m128 down = shl_round_down_avx2(_mm256_xor_pd(d, minus));
    return _mm_add_ps(_mm_xor_ps(down, _mm_set1_ps(-0.0f)), _mm_setzero_ps());
}

#endif
