// SPDX-License-Identifier: MIT
// The filter of tri_filter_avx2.h, which has the proof, sixteen pairs at a time.
#include "kernels/boxes/leaf.h"

#include <immintrin.h>
#include <math.h>

#define INLINE static inline __attribute__((always_inline))
#define LIMIT_FACTOR 0x58p-24f
#define LIMIT_MIN 0x1p-40f
#define LIMIT_MAX 0x1p40f

enum { LANES = 16 };

typedef struct vec {
    __m512 x, y, z;
} vec;

// The corners of sixteen pairs relative to a's first: pa is zero.
typedef struct corners {
    vec qa, ra, pb, qb, rb;
} corners;

INLINE vec sub(vec a, vec b)
{
    return (vec){_mm512_sub_ps(a.x, b.x), _mm512_sub_ps(a.y, b.y), _mm512_sub_ps(a.z, b.z)};
}

INLINE __m512 cross_component(__m512 a, __m512 b, __m512 c, __m512 d)
{
    return _mm512_sub_ps(_mm512_mul_ps(a, b), _mm512_mul_ps(c, d));
}

INLINE vec cross(vec a, vec b)
{
    return (vec){cross_component(a.y, b.z, a.z, b.y), cross_component(a.z, b.x, a.x, b.z),
                 cross_component(a.x, b.y, a.y, b.x)};
}

INLINE __m512 dot(vec a, vec b)
{
    const __m512 xy = _mm512_add_ps(_mm512_mul_ps(a.x, b.x), _mm512_mul_ps(a.y, b.y));
    return _mm512_add_ps(xy, _mm512_mul_ps(a.z, b.z));
}

// The smaller magnitude of two.
INLINE __m512 least_of(__m512 a, __m512 b)
{
    return _mm512_range_ps(a, b, 0xa);
}

INLINE __mmask16 negative(__m512 x)
{
    return _mm512_movepi32_mask(_mm512_castps_si512(x));
}

INLINE __m512 extent(__m512 a, __m512 b, __m512 c, __m512 d, __m512 e)
{
    const __m512 zero = _mm512_setzero_ps(); // the sixth corner
    const __m512 lo = _mm512_min_ps(_mm512_min_ps(a, b), _mm512_min_ps(c, d));
    const __m512 hi = _mm512_max_ps(_mm512_max_ps(a, b), _mm512_max_ps(c, d));
    return _mm512_sub_ps(_mm512_max_ps(hi, _mm512_max_ps(e, zero)),
                         _mm512_min_ps(lo, _mm512_min_ps(e, zero)));
}

INLINE __m512 filter_limit(const corners *c, float rounding)
{
    const __m512 wider = _mm512_set1_ps(SHL_TRI_ROUNDING_F64 * rounding);
    const __m512 x = _mm512_add_ps(extent(c->qa.x, c->ra.x, c->pb.x, c->qb.x, c->rb.x), wider);
    const __m512 y = _mm512_add_ps(extent(c->qa.y, c->ra.y, c->pb.y, c->qb.y, c->rb.y), wider);
    const __m512 z = _mm512_add_ps(extent(c->qa.z, c->ra.z, c->pb.z, c->qb.z, c->rb.z), wider);
    const __m512 sides =
        _mm512_add_ps(_mm512_mul_ps(x, _mm512_add_ps(y, z)), _mm512_mul_ps(y, z));
    const __m512 more = _mm512_mul_ps(_mm512_set1_ps(SHL_TRI_ROUNDING * rounding), sides);
    const __m512 least = _mm512_min_ps(_mm512_min_ps(x, y), z);
    const __m512 most = _mm512_max_ps(_mm512_max_ps(x, y), z);
    const __mmask16 large = _mm512_cmp_ps_mask(least, _mm512_set1_ps(LIMIT_MIN), _CMP_GE_OQ);
    const __mmask16 fits =
        _mm512_mask_cmp_ps_mask(large, most, _mm512_set1_ps(LIMIT_MAX), _CMP_LE_OQ);
    const __m512 volume = _mm512_mul_ps(_mm512_mul_ps(x, y), z);
    const __m512 limit = _mm512_mul_ps(volume, _mm512_set1_ps(LIMIT_FACTOR));
    return _mm512_mask_add_ps(_mm512_set1_ps(INFINITY), fits, limit, more);
}

// What the plane of one triangle says about the corners of the other.
typedef struct verdict {
    __mmask16 sure;       // all three sides are certain
    __mmask16 differ;     // the corners are not all on one side
    __mmask16 alone1;     // corner 1 is alone on its side
    __mmask16 alone2;     // corner 2 is; if neither is, corner 0
    __mmask16 alone_side; // that corner is on the negative side
} verdict;

INLINE verdict classify(const __m512 d[3], __m512 limit)
{
    const __m512 least = least_of(least_of(d[0], d[1]), d[2]);
    const __mmask16 n0 = negative(d[0]), n1 = negative(d[1]), n2 = negative(d[2]);
    const __mmask16 d01 = n0 ^ n1, d02 = n0 ^ n2, d12 = n1 ^ n2;
    const __mmask16 alone1 = d01 & d12, alone2 = d02 & d12;
    // who is alone differs from the other two, who are the majority
    const __mmask16 majority = (n0 & n1) | (n0 & n2) | (n1 & n2);
    const __mmask16 differ = d01 | d02;
    return (verdict){_mm512_cmp_ps_mask(least, limit, _CMP_GT_OQ), differ, alone1, alone2,
                     (__mmask16)(differ ^ majority)};
}

INLINE vec pick(vec a, vec b, __mmask16 b_if)
{
    return (vec){_mm512_mask_blend_ps(b_if, a.x, b.x), _mm512_mask_blend_ps(b_if, a.y, b.y),
                 _mm512_mask_blend_ps(b_if, a.z, b.z)};
}

// Corners in the order of shl_tri_order: the lonely one first.
INLINE void turn(vec t[3], const verdict *v, __mmask16 keep_sense)
{
    const vec p = pick(pick(t[0], t[1], v->alone1), t[2], v->alone2);
    const vec q = pick(pick(t[1], t[2], v->alone1), t[0], v->alone2);
    const vec r = pick(pick(t[2], t[0], v->alone1), t[1], v->alone2);
    t[0] = p;
    t[1] = pick(r, q, keep_sense);
    t[2] = pick(q, r, keep_sense);
}

// Which of sixteen pairs overlap, and which are undecided.
INLINE __mmask16 decide(corners c, float rounding, __mmask16 *unsure)
{
    const __m512 limit = filter_limit(&c, rounding), zero = _mm512_setzero_ps();
    const vec normal_a = cross(c.qa, c.ra), normal_b = cross(sub(c.qb, c.pb), sub(c.rb, c.pb));
    const __m512 side_a[3] = {_mm512_xor_ps(dot(c.pb, normal_b), _mm512_set1_ps(-0.0f)),
                              dot(sub(c.qa, c.pb), normal_b), dot(sub(c.ra, c.pb), normal_b)};
    const __m512 side_b[3] = {dot(c.pb, normal_a), dot(c.qb, normal_a), dot(c.rb, normal_a)};
    const verdict va = classify(side_a, limit), vb = classify(side_b, limit);
    const __mmask16 apart = (__mmask16)((va.sure & ~va.differ) | (vb.sure & ~vb.differ));
    vec ta[3] = {{zero, zero, zero}, c.qa, c.ra}, tb[3] = {c.pb, c.qb, c.rb};
    turn(ta, &va, vb.alone_side);
    turn(tb, &vb, (__mmask16)~va.alone_side);
    const vec qa = sub(ta[1], ta[0]), ra = sub(ta[2], ta[0]);
    const vec pb = sub(tb[0], ta[0]), qb = sub(tb[1], ta[0]), rb = sub(tb[2], ta[0]);
    const __m512 least = _mm512_min_ps(dot(qa, cross(pb, rb)), dot(ra, cross(qb, pb)));
    const __mmask16 sure = va.sure & vb.sure;
    const __mmask16 meet = _mm512_mask_cmp_ps_mask(sure, least, limit, _CMP_GT_OQ);
    const __m512 below = _mm512_xor_ps(limit, _mm512_set1_ps(-0.0f));
    const __mmask16 miss = _mm512_mask_cmp_ps_mask(sure, least, below, _CMP_LT_OQ);
    *unsure = (__mmask16) ~(apart | meet | miss);
    return (__mmask16)(meet & ~apart);
}

INLINE vec load(const shl_tri_columns *columns, int side, int i, uint32_t at)
{
    return (vec){_mm512_load_ps(&columns->corner[side][i][0][at]),
                 _mm512_load_ps(&columns->corner[side][i][1][at]),
                 _mm512_load_ps(&columns->corner[side][i][2][at])};
}

// Sixteen rows or fewer with an undecided one among them.
static __attribute__((noinline)) uint32_t
append_decided(const shl_tri_side *a, const shl_tri_side *b, const shl_tri_pair *pairs,
               uint32_t meet, uint32_t unsure, shl_tri_pair *out, uint64_t *exact_count)
{
    uint32_t kept = 0;
    for (uint32_t left = meet | unsure; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        if (unsure >> l & 1)
            kept += shl_tri_overlap_ref(a, b, &pairs[l], 1, &out[kept], exact_count);
        else
            out[kept++] = pairs[l];
    }
    return kept;
}

uint32_t shl_tri_columns_avx512(const shl_tri_columns *columns, uint32_t count,
                                const shl_tri_side *a, const shl_tri_side *b, shl_tri_pair *out,
                                uint64_t *exact_count)
{
    shl_tri_pair *end = out;
    for (uint32_t i = 0; i < count; i += LANES) {
        const vec pa = load(columns, 0, 0, i);
        const corners c = {sub(load(columns, 0, 1, i), pa), sub(load(columns, 0, 2, i), pa),
                           sub(load(columns, 1, 0, i), pa), sub(load(columns, 1, 1, i), pa),
                           sub(load(columns, 1, 2, i), pa)};
        __mmask16 unsure, meet = decide(c, columns->rounding, &unsure);
        const uint32_t left = count - i;
        const __mmask16 real = (__mmask16)(left < LANES ? (1u << left) - 1 : 0xffff);
        meet &= real;
        unsure &= real;
        const shl_tri_pair *row = columns->row + i;
        if (__builtin_expect(unsure != 0, 0)) {
            end += append_decided(a, b, row, meet, unsure, end, exact_count);
            continue;
        }
        const __m512i low = _mm512_loadu_si512(row), high = _mm512_loadu_si512(row + 8);
        _mm512_storeu_si512(end, _mm512_maskz_compress_epi64((__mmask8)meet, low));
        end += __builtin_popcount(meet & 0xff);
        _mm512_storeu_si512(end, _mm512_maskz_compress_epi64((__mmask8)(meet >> 8), high));
        end += __builtin_popcount(meet >> 8);
    }
    return (uint32_t)(end - out);
}
