// SPDX-License-Identifier: MIT
// Eight pairs at a time in float32, relative to a corner of the pair; the reference body takes
// the few that float32 cannot decide. About half of the pairs are apart by their planes, but
// all eight go on to the deciding determinants: corners are at hand there, and fetching them
// again for the survivors alone costs more than the idle lanes do.
//
// The error bound, as in tri_overlap.h but with u = 2^-24: relative corners are off by at most
// 1.001 u X (one rounding, or two when they come from float64), differences of two relative
// corners by 3.003 u X. The worst determinants have three such factors and five more roundings:
// 6 (9.009 + 5) u M < 84.1 u M. 88 u leaves room for second-order terms and for the rounding of
// the limit.
// With X, Y, Z in [LIMIT_MIN, LIMIT_MAX] no product overflows, and an underflow adds at most
// 2^-150 to products of two (2^-70 M after the third factor) or of three (2^-30 M), nine in
// all.
//
// Corners that are themselves off by up to a rounding s move each factor by 2 s more. Let X',
// Y', Z' be the extents plus 2 s: products of three then move by X'Y'Z' - XYZ <= 2 s (X'Y' +
// Y'Z' + Z'X') more, six of them by 12 s (..), and 13 s leaves room for rounding.
//
// A sign that is sure here is sure in float64 too, for the margin of more than 3 u M exceeds
// what that filter asks by far. So all variants agree on exact_count as well.
#ifndef SHL_KERNELS_TRI_X86_TRI_FILTER_AVX2_H
#define SHL_KERNELS_TRI_X86_TRI_FILTER_AVX2_H

#include "kernels/boxes/x86/lane_list.h"
#include "kernels/tri/tri_overlap.h"

#include <immintrin.h>
#include <math.h>

#define INLINE static inline __attribute__((always_inline))
#define LIMIT_FACTOR 0x58p-24f
#define LIMIT_MIN 0x1p-40f
#define LIMIT_MAX 0x1p40f

enum { LANES = 8 };

typedef struct vec {
    __m256 x, y, z;
} vec;

// The corners of eight pairs relative to a's first: pa is zero.
typedef struct corners {
    vec qa, ra, pb, qb, rb;
} corners;

INLINE vec sub(vec a, vec b)
{
    return (vec){_mm256_sub_ps(a.x, b.x), _mm256_sub_ps(a.y, b.y), _mm256_sub_ps(a.z, b.z)};
}

INLINE __m256 cross_component(__m256 a, __m256 b, __m256 c, __m256 d)
{
    return _mm256_sub_ps(_mm256_mul_ps(a, b), _mm256_mul_ps(c, d));
}

INLINE vec cross(vec a, vec b)
{
    return (vec){cross_component(a.y, b.z, a.z, b.y), cross_component(a.z, b.x, a.x, b.z),
                 cross_component(a.x, b.y, a.y, b.x)};
}

INLINE __m256 dot(vec a, vec b)
{
    __m256 xy = _mm256_add_ps(_mm256_mul_ps(a.x, b.x), _mm256_mul_ps(a.y, b.y));
    return _mm256_add_ps(xy, _mm256_mul_ps(a.z, b.z));
}

INLINE __m256 negate(__m256 x)
{
    return _mm256_xor_ps(_mm256_set1_ps(-0.0f), x);
}

INLINE __m256 magnitude(__m256 x)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
}

INLINE __m256 extent(__m256 a, __m256 b, __m256 c, __m256 d, __m256 e)
{
    const __m256 zero = _mm256_setzero_ps(); // the sixth corner
    __m256 lo = _mm256_min_ps(_mm256_min_ps(a, b), _mm256_min_ps(c, d));
    __m256 hi = _mm256_max_ps(_mm256_max_ps(a, b), _mm256_max_ps(c, d));
    return _mm256_sub_ps(_mm256_max_ps(hi, _mm256_max_ps(e, zero)),
                         _mm256_min_ps(lo, _mm256_min_ps(e, zero)));
}

// `rounding` NULL: the corners are exact.
INLINE __m256 filter_limit(const corners *c, const float *rounding)
{
    __m256 x = extent(c->qa.x, c->ra.x, c->pb.x, c->qb.x, c->rb.x);
    __m256 y = extent(c->qa.y, c->ra.y, c->pb.y, c->qb.y, c->rb.y);
    __m256 z = extent(c->qa.z, c->ra.z, c->pb.z, c->qb.z, c->rb.z);
    __m256 more = _mm256_setzero_ps();
    if (rounding) {
        const __m256 wider = _mm256_set1_ps(SHL_TRI_ROUNDING_F64 * *rounding);
        x = _mm256_add_ps(x, wider);
        y = _mm256_add_ps(y, wider);
        z = _mm256_add_ps(z, wider);
        const __m256 sides =
            _mm256_add_ps(_mm256_mul_ps(x, _mm256_add_ps(y, z)), _mm256_mul_ps(y, z));
        more = _mm256_mul_ps(_mm256_set1_ps(SHL_TRI_ROUNDING * *rounding), sides);
    }
    __m256 least = _mm256_min_ps(_mm256_min_ps(x, y), z);
    __m256 most = _mm256_max_ps(_mm256_max_ps(x, y), z);
    __m256 fits = _mm256_and_ps(_mm256_cmp_ps(least, _mm256_set1_ps(LIMIT_MIN), _CMP_GE_OQ),
                                _mm256_cmp_ps(most, _mm256_set1_ps(LIMIT_MAX), _CMP_LE_OQ));
    __m256 limit =
        _mm256_mul_ps(_mm256_mul_ps(_mm256_mul_ps(x, y), z), _mm256_set1_ps(LIMIT_FACTOR));
    if (rounding)
        limit = _mm256_add_ps(limit, more);
    return _mm256_blendv_ps(_mm256_set1_ps(INFINITY), limit, fits);
}

// What the plane of one triangle says about the corners of the other; only the sign bit of each
// lane counts.
typedef struct verdict {
    __m256 sure;       // all three sides are certain
    __m256 differ;     // the corners are not all on one side
    __m256 alone1;     // corner 1 is alone on its side
    __m256 alone2;     // corner 2 is; if neither is, corner 0
    __m256 alone_side; // the side of that corner
} verdict;

INLINE vec pick(vec a, vec b, __m256 b_if)
{
    return (vec){_mm256_blendv_ps(a.x, b.x, b_if), _mm256_blendv_ps(a.y, b.y, b_if),
                 _mm256_blendv_ps(a.z, b.z, b_if)};
}

INLINE verdict classify(const __m256 d[3], __m256 limit)
{
    __m256 least =
        _mm256_min_ps(_mm256_min_ps(magnitude(d[0]), magnitude(d[1])), magnitude(d[2]));
    const __m256 d01 = _mm256_xor_ps(d[0], d[1]), d02 = _mm256_xor_ps(d[0], d[2]);
    const __m256 d12 = _mm256_xor_ps(d[1], d[2]);
    const __m256 alone1 = _mm256_and_ps(d01, d12), alone2 = _mm256_and_ps(d02, d12);
    const __m256 side = _mm256_blendv_ps(_mm256_blendv_ps(d[0], d[1], alone1), d[2], alone2);
    return (verdict){_mm256_cmp_ps(least, limit, _CMP_GT_OQ), _mm256_or_ps(d01, d02), alone1,
                     alone2, side};
}

// Corners in the order of shl_tri_order: the lonely one first.
INLINE void turn(vec t[3], const verdict *v, __m256 keep_sense)
{
    const vec p = pick(pick(t[0], t[1], v->alone1), t[2], v->alone2);
    const vec q = pick(pick(t[1], t[2], v->alone1), t[0], v->alone2);
    const vec r = pick(pick(t[2], t[0], v->alone1), t[1], v->alone2);
    t[0] = p;
    t[1] = pick(r, q, keep_sense);
    t[2] = pick(q, r, keep_sense);
}

// Which of eight pairs overlap, and which are undecided: one bit a lane.
INLINE uint32_t decide(corners c, const float *rounding, uint32_t *unsure)
{
    const __m256 limit = filter_limit(&c, rounding);
    const vec normal_a = cross(c.qa, c.ra), normal_b = cross(sub(c.qb, c.pb), sub(c.rb, c.pb));
    const __m256 side_a[3] = {negate(dot(c.pb, normal_b)), dot(sub(c.qa, c.pb), normal_b),
                              dot(sub(c.ra, c.pb), normal_b)};
    const __m256 side_b[3] = {dot(c.pb, normal_a), dot(c.qb, normal_a), dot(c.rb, normal_a)};
    const verdict va = classify(side_a, limit), vb = classify(side_b, limit);
    const __m256 apart = _mm256_or_ps(_mm256_andnot_ps(va.differ, va.sure),
                                      _mm256_andnot_ps(vb.differ, vb.sure));
    const __m256 zero = _mm256_setzero_ps();
    vec ta[3] = {{zero, zero, zero}, c.qa, c.ra}, tb[3] = {c.pb, c.qb, c.rb};
    turn(ta, &va, vb.alone_side);
    turn(tb, &vb, negate(va.alone_side));
    const vec qa = sub(ta[1], ta[0]), ra = sub(ta[2], ta[0]);
    const vec pb = sub(tb[0], ta[0]), qb = sub(tb[1], ta[0]), rb = sub(tb[2], ta[0]);
    const __m256 least = _mm256_min_ps(dot(qa, cross(pb, rb)), dot(ra, cross(qb, pb)));
    const __m256 sure = _mm256_and_ps(va.sure, vb.sure);
    const __m256 meet = _mm256_and_ps(sure, _mm256_cmp_ps(least, limit, _CMP_GT_OQ));
    const __m256 miss = _mm256_and_ps(sure, _mm256_cmp_ps(least, negate(limit), _CMP_LT_OQ));
    *unsure =
        ~(uint32_t)_mm256_movemask_ps(_mm256_or_ps(apart, _mm256_or_ps(meet, miss))) & 255;
    return (uint32_t)_mm256_movemask_ps(_mm256_andnot_ps(apart, meet));
}

// The pairs whose bit is set among four; all four slots of `out` may be written.
INLINE shl_tri_pair *append_four(__m256i four, uint32_t mask, shl_tri_pair *out)
{
    // rows of a pair are dwords 2 k and 2 k + 1
    const __m256i k = _mm256_cvtepu8_epi64(_mm_loadu_si32(&shl_lane_list[mask]));
    const __m256i dword = _mm256_slli_epi64(k, 1);
    const __m256i both = _mm256_or_si256(
        dword, _mm256_slli_epi64(_mm256_or_si256(dword, _mm256_set1_epi64x(1)), 32));
    _mm256_storeu_si256((__m256i *)out, _mm256_permutevar8x32_epi32(four, both));
    return out + __builtin_popcount(mask);
}

// The last pairs, fewer than eight, or eight with an undecided one.
static __attribute__((noinline)) uint32_t
append_decided(const shl_tri_side *a, const shl_tri_side *b, const shl_tri_pair pairs[LANES],
               uint32_t count, uint32_t meet, uint32_t unsure, shl_tri_pair *out,
               uint64_t *exact_count)
{
    uint32_t kept = 0;
    for (uint32_t l = 0; l < count; l++) {
        if (unsure >> l & 1)
            kept += shl_tri_overlap_ref(a, b, &pairs[l], 1, &out[kept], exact_count);
        else if (meet >> l & 1)
            out[kept++] = pairs[l];
    }
    return kept;
}

#undef LIMIT_FACTOR
#undef LIMIT_MIN
#undef LIMIT_MAX

#endif
