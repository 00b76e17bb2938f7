// SPDX-License-Identifier: MIT
#include "kernels/boxes/x86/vertex_box_avx2.h"

#include "kernels/boxes/vertex_box.h"

// [x y z x] [y z x y] [z x y z] to [x y z .], by minimum or maximum.
static __m128 fold_min(__m128 a, __m128 b, __m128 c)
{
    const __m128i ia = _mm_castps_si128(a), ib = _mm_castps_si128(b), ic = _mm_castps_si128(c);
    const __m128 d = _mm_castsi128_ps(_mm_alignr_epi8(ib, ia, 12));
    const __m128 e = _mm_castsi128_ps(_mm_alignr_epi8(ic, ib, 8));
    const __m128 f = _mm_castsi128_ps(_mm_alignr_epi8(ic, ic, 4));
    return _mm_min_ps(_mm_min_ps(a, d), _mm_min_ps(e, f));
}

static __m128 fold_max(__m128 a, __m128 b, __m128 c)
{
    const __m128i ia = _mm_castps_si128(a), ib = _mm_castps_si128(b), ic = _mm_castps_si128(c);
    const __m128 d = _mm_castsi128_ps(_mm_alignr_epi8(ib, ia, 12));
    const __m128 e = _mm_castsi128_ps(_mm_alignr_epi8(ic, ib, 8));
    const __m128 f = _mm_castsi128_ps(_mm_alignr_epi8(ic, ic, 4));
    return _mm_max_ps(_mm_max_ps(a, d), _mm_max_ps(e, f));
}

static __m128 low(__m256 v)
{
    return _mm256_castps256_ps128(v);
}

static __m128 high(__m256 v)
{
    return _mm256_extractf128_ps(v, 1);
}

// Zeros times finite numbers are zeros, others become NaN, which has bits that stay in any OR.
// Multiplications and ORs have units of their own beside those that compare, and comparing is
// what limits the loop below.
static inline __m256 strange(__m256 v0, __m256 v1, __m256 v2)
{
    const __m256 zero = _mm256_setzero_ps();
    return _mm256_or_ps(_mm256_or_ps(_mm256_mul_ps(v0, zero), _mm256_mul_ps(v1, zero)),
                        _mm256_mul_ps(v2, zero));
}

// Eight vertices are 24 floats: three registers whose lanes keep their axis from one group to
// the next, so nothing is shuffled before the end. The last group may overlap the one before.
__attribute__((noinline)) shl_extent_f32 shl_extent_range_f32(const float *xyz, uint32_t begin,
                                                              uint32_t end)
{
    shl_extent_f32 r = shl_extent_none_f32();
    if (end - begin < 8) {
        for (uint32_t i = begin; i < end; i++) {
            const __m128 v = shl_load_f32(xyz, i);
            shl_extent_add_f32(&r, v);
            r.nan = _mm_or_ps(r.nan, _mm_cmpunord_ps(v, v));
        }
        return r;
    }
    const float *p = xyz + 3 * (size_t)begin, *last = xyz + 3 * (size_t)(end - 8);
    __m256 lo0 = _mm256_loadu_ps(p), lo1 = _mm256_loadu_ps(p + 8),
           lo2 = _mm256_loadu_ps(p + 16);
    __m256 hi0 = lo0, hi1 = lo1, hi2 = lo2, bits = strange(lo0, lo1, lo2);
    while (p < last) {
        p = p + 24 < last ? p + 24 : last;
        const __m256 v0 = _mm256_loadu_ps(p), v1 = _mm256_loadu_ps(p + 8);
        const __m256 v2 = _mm256_loadu_ps(p + 16);
        lo0 = _mm256_min_ps(v0, lo0);
        lo1 = _mm256_min_ps(v1, lo1);
        lo2 = _mm256_min_ps(v2, lo2);
        hi0 = _mm256_max_ps(v0, hi0);
        hi1 = _mm256_max_ps(v1, hi1);
        hi2 = _mm256_max_ps(v2, hi2);
        bits = _mm256_or_ps(bits, strange(v0, v1, v2));
    }
    // Halves of equal phase are 0 and 3, 1 and 4, 2 and 5 of the six.
    r.lo = fold_min(_mm_min_ps(low(lo0), high(lo1)), _mm_min_ps(high(lo0), low(lo2)),
                    _mm_min_ps(low(lo1), high(lo2)));
    r.hi = fold_max(_mm_max_ps(low(hi0), high(hi1)), _mm_max_ps(high(hi0), low(hi2)),
                    _mm_max_ps(low(hi1), high(hi2)));
    if (_mm256_movemask_ps(_mm256_cmp_ps(bits, bits, _CMP_UNORD_Q)))
        r.nan = _mm_cmpeq_ps(_mm_setzero_ps(), _mm_setzero_ps());
    return r;
}

static __m256d fold64_min(__m256d a, __m256d b, __m256d c)
{
    const __m256d d =
        _mm256_blend_pd(_mm256_permute4x64_pd(a, 0x03), _mm256_permute4x64_pd(b, 0x10), 0x6);
    const __m256d e =
        _mm256_blend_pd(_mm256_permute4x64_pd(b, 0x0e), _mm256_permute4x64_pd(c, 0x00), 0x4);
    const __m256d f = _mm256_permute4x64_pd(c, 0x39);
    return _mm256_min_pd(_mm256_min_pd(a, d), _mm256_min_pd(e, f));
}

static __m256d fold64_max(__m256d a, __m256d b, __m256d c)
{
    const __m256d minus = _mm256_set1_pd(-0.0);
    return _mm256_xor_pd(minus, fold64_min(_mm256_xor_pd(minus, a), _mm256_xor_pd(minus, b),
                                           _mm256_xor_pd(minus, c)));
}

__attribute__((noinline)) shl_extent_f64 shl_extent_range_f64(const double *xyz, uint32_t begin,
                                                              uint32_t end)
{
    shl_extent_f64 r = shl_extent_none_f64();
    if (end - begin < 4) {
        for (uint32_t i = begin; i < end; i++) {
            const __m256d v = shl_load_f64(xyz, i);
            shl_extent_add_f64(&r, v);
            r.nan = _mm256_or_pd(r.nan, _mm256_cmp_pd(v, v, _CMP_UNORD_Q));
        }
        return r;
    }
    const double *p = xyz + 3 * (size_t)begin, *last = xyz + 3 * (size_t)(end - 4);
    __m256d lo0 = _mm256_loadu_pd(p), lo1 = _mm256_loadu_pd(p + 4),
            lo2 = _mm256_loadu_pd(p + 8);
    __m256d hi0 = lo0, hi1 = lo1, hi2 = lo2;
    __m256d nan = _mm256_or_pd(_mm256_cmp_pd(lo0, lo1, _CMP_UNORD_Q),
                               _mm256_cmp_pd(lo2, lo2, _CMP_UNORD_Q));
    while (p < last) {
        p = p + 12 < last ? p + 12 : last;
        const __m256d v0 = _mm256_loadu_pd(p), v1 = _mm256_loadu_pd(p + 4);
        const __m256d v2 = _mm256_loadu_pd(p + 8);
        lo0 = _mm256_min_pd(v0, lo0);
        lo1 = _mm256_min_pd(v1, lo1);
        lo2 = _mm256_min_pd(v2, lo2);
        hi0 = _mm256_max_pd(v0, hi0);
        hi1 = _mm256_max_pd(v1, hi1);
        hi2 = _mm256_max_pd(v2, hi2);
        nan = _mm256_or_pd(nan, _mm256_or_pd(_mm256_cmp_pd(v0, v1, _CMP_UNORD_Q),
                                             _mm256_cmp_pd(v2, v2, _CMP_UNORD_Q)));
    }
    r.lo = fold64_min(lo0, lo1, lo2);
    r.hi = fold64_max(hi0, hi1, hi2);
    if (_mm256_movemask_pd(nan))
        r.nan = _mm256_cmp_pd(r.nan, r.nan, _CMP_EQ_OQ);
    return r;
}

static void store(shl_box *out, __m128 lo, __m128 hi)
{
    float l[4], h[4];
    _mm_storeu_ps(l, _mm_add_ps(lo, _mm_setzero_ps())); // -0 becomes +0
    _mm_storeu_ps(h, _mm_add_ps(hi, _mm_setzero_ps()));
    *out = (shl_box){{l[0], l[1], l[2]}, {h[0], h[1], h[2]}};
}

// Listed vertices, four at a time, behind each of which there is another one: a load may touch
// it. Tells how many.
static uint32_t add_before_f32(shl_extent_f32 *r, const float *xyz, const uint32_t *list,
                               uint32_t count)
{
    __m256 lo = _mm256_set1_ps(__builtin_inff()), hi = _mm256_set1_ps(-__builtin_inff());
    __m256 nan = _mm256_setzero_ps();
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const __m256 v = shl_load_two(xyz, list[i], list[i + 1]);
        const __m256 w = shl_load_two(xyz, list[i + 2], list[i + 3]);
        lo = _mm256_min_ps(_mm256_min_ps(v, w), lo);
        hi = _mm256_max_ps(_mm256_max_ps(v, w), hi);
        nan = _mm256_or_ps(nan, _mm256_cmp_ps(v, w, _CMP_UNORD_Q));
    }
    r->lo = _mm_min_ps(_mm_min_ps(low(lo), high(lo)), r->lo);
    r->hi = _mm_max_ps(_mm_max_ps(low(hi), high(hi)), r->hi);
    r->nan = _mm_or_ps(r->nan, _mm_or_ps(low(nan), high(nan)));
    return i;
}

bool shl_vertex_box_f32_avx2(const void *xyz, uint32_t begin, uint32_t end,
                             const uint32_t *list, uint32_t count, shl_box *out)
{
    shl_extent_f32 r = shl_extent_range_f32(xyz, begin, end);
    uint32_t i = 0;
    if (begin < end && count && list[count - 1] < begin)
        i = add_before_f32(&r, xyz, list, count);
    for (; i < count; i++) {
        const __m128 v = shl_load_f32(xyz, list[i]);
        shl_extent_add_f32(&r, v);
        r.nan = _mm_or_ps(r.nan, _mm_cmpunord_ps(v, v));
    }
    store(out, r.lo, r.hi);
    return shl_extent_finite_f32(&r);
}

bool shl_vertex_box_f64_avx2(const void *xyz, uint32_t begin, uint32_t end,
                             const uint32_t *list, uint32_t count, shl_box *out)
{
    shl_extent_f64 r = shl_extent_range_f64(xyz, begin, end);
    for (uint32_t i = 0; i < count; i++) {
        const __m256d v = shl_load_f64(xyz, list[i]);
        shl_extent_add_f64(&r, v);
        r.nan = _mm256_or_pd(r.nan, _mm256_cmp_pd(v, v, _CMP_UNORD_Q));
    }
    store(out, shl_round_down_avx2(r.lo), shl_round_up_avx2(r.hi));
    return shl_extent_finite_f64(&r);
}
