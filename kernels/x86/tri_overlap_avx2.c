// SPDX-License-Identifier: MIT
// Four pairs at a time in float64. Stage 1 tests the planes and keeps a dense list of
// survivors, so that stage 2, the deciding determinants, runs with full lanes again.
#include "kernels/exact_tri.h"
#include "kernels/tri_overlap.h"

#include <immintrin.h>
#include <math.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 4, BLOCK = 256 };

typedef struct vec {
    __m256d x, y, z;
} vec;

// Pairs that neither plane separates. One row per pair, padded to full lanes.
typedef struct survivors {
    uint32_t count;
    uint32_t pair[BLOCK + LANES];  // index into the block
    uint64_t sides[BLOCK + LANES]; // bits 0-2: a's corner lies below plane b; 3-5: b's below a
    double limit[BLOCK + LANES];   // infinite when a side is unsure
} survivors;

INLINE vec sub(vec a, vec b)
{
    return (vec){_mm256_sub_pd(a.x, b.x), _mm256_sub_pd(a.y, b.y), _mm256_sub_pd(a.z, b.z)};
}

INLINE __m256d cross_part(__m256d a, __m256d b, __m256d c, __m256d d)
{
    return _mm256_sub_pd(_mm256_mul_pd(a, b), _mm256_mul_pd(c, d));
}

INLINE vec cross(vec a, vec b)
{
    return (vec){cross_part(a.y, b.z, a.z, b.y), cross_part(a.z, b.x, a.x, b.z),
                 cross_part(a.x, b.y, a.y, b.x)};
}

INLINE __m256d dot(vec a, vec b)
{
    __m256d xy = _mm256_add_pd(_mm256_mul_pd(a.x, b.x), _mm256_mul_pd(a.y, b.y));
    return _mm256_add_pd(xy, _mm256_mul_pd(a.z, b.z));
}

// Vertex row[0][k] of lane 0, row[1][k] of lane 1, ...: xy as one load and z as another, so
// that nothing past the vertex is read.
INLINE vec load_f32(const float *xyz, const uint32_t *const row[LANES], int k)
{
    const float *p0 = xyz + 3 * (size_t)row[0][k], *p1 = xyz + 3 * (size_t)row[1][k];
    const float *p2 = xyz + 3 * (size_t)row[2][k], *p3 = xyz + 3 * (size_t)row[3][k];
    __m128 xy01 = _mm_castsi128_ps(_mm_loadu_si64(p0));
    __m128 xy23 = _mm_castsi128_ps(_mm_loadu_si64(p2));
    xy01 = _mm_loadh_pi(xy01, (const __m64 *)p1);
    xy23 = _mm_loadh_pi(xy23, (const __m64 *)p3);
    __m128 x = _mm_shuffle_ps(xy01, xy23, _MM_SHUFFLE(2, 0, 2, 0));
    __m128 y = _mm_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 1, 3, 1));
    __m128 z = _mm_set_ps(p3[2], p2[2], p1[2], p0[2]);
    return (vec){_mm256_cvtps_pd(x), _mm256_cvtps_pd(y), _mm256_cvtps_pd(z)};
}

INLINE vec load_f64(const double *xyz, const uint32_t *const row[LANES], int k)
{
    const double *p0 = xyz + 3 * (size_t)row[0][k], *p1 = xyz + 3 * (size_t)row[1][k];
    const double *p2 = xyz + 3 * (size_t)row[2][k], *p3 = xyz + 3 * (size_t)row[3][k];
    __m256d xy02 = _mm256_set_m128d(_mm_loadu_pd(p2), _mm_loadu_pd(p0));
    __m256d xy13 = _mm256_set_m128d(_mm_loadu_pd(p3), _mm_loadu_pd(p1));
    return (vec){_mm256_unpacklo_pd(xy02, xy13), _mm256_unpackhi_pd(xy02, xy13),
                 _mm256_set_pd(p3[2], p2[2], p1[2], p0[2])};
}

INLINE void load_corners(const void *xyz, shoal_scalar scalar, const uint32_t *const row[LANES],
                         vec out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = scalar == SHOAL_F32 ? load_f32(xyz, row, k) : load_f64(xyz, row, k);
}

INLINE __m256d extent(__m256d a0, __m256d a1, __m256d a2, __m256d b0, __m256d b1, __m256d b2)
{
    __m256d lo = _mm256_min_pd(_mm256_min_pd(a0, a1), _mm256_min_pd(b0, b1));
    __m256d hi = _mm256_max_pd(_mm256_max_pd(a0, a1), _mm256_max_pd(b0, b1));
    return _mm256_sub_pd(_mm256_max_pd(hi, _mm256_max_pd(a2, b2)),
                         _mm256_min_pd(lo, _mm256_min_pd(a2, b2)));
}

INLINE __m256d filter_limit(const vec a[3], const vec b[3])
{
    __m256d x = extent(a[0].x, a[1].x, a[2].x, b[0].x, b[1].x, b[2].x);
    __m256d y = extent(a[0].y, a[1].y, a[2].y, b[0].y, b[1].y, b[2].y);
    __m256d z = extent(a[0].z, a[1].z, a[2].z, b[0].z, b[1].z, b[2].z);
    __m256d least = _mm256_min_pd(_mm256_min_pd(x, y), z);
    __m256d most = _mm256_max_pd(_mm256_max_pd(x, y), z);
    __m256d small = _mm256_cmp_pd(least, _mm256_set1_pd(SHL_TRI_FILTER_MIN), _CMP_LT_OQ);
    __m256d large = _mm256_cmp_pd(most, _mm256_set1_pd(SHL_TRI_FILTER_MAX), _CMP_GT_OQ);
    __m256d limit =
        _mm256_mul_pd(_mm256_mul_pd(_mm256_mul_pd(x, y), z), _mm256_set1_pd(SHL_TRI_FILTER));
    return _mm256_blendv_pd(limit, _mm256_set1_pd(INFINITY), _mm256_or_pd(small, large));
}

INLINE __m256d magnitude(__m256d x)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

// One plane's verdict: `apart` lanes have all corners surely on one side, `least` is the
// smallest magnitude, and the sign bits are appended to `sides` from above.
typedef struct verdict {
    __m256d apart, least;
    __m256i sides;
} verdict;

INLINE verdict judge(const __m256d d[3], __m256d limit)
{
    __m256d lo = _mm256_min_pd(_mm256_min_pd(d[0], d[1]), d[2]);
    __m256d hi = _mm256_max_pd(_mm256_max_pd(d[0], d[1]), d[2]);
    __m256d least =
        _mm256_min_pd(_mm256_min_pd(magnitude(d[0]), magnitude(d[1])), magnitude(d[2]));
    __m256d minus = _mm256_xor_pd(_mm256_set1_pd(-0.0), limit);
    __m256i sides = _mm256_srli_epi64(_mm256_castpd_si256(d[2]), 63);
    for (int i = 1; i >= 0; i--)
        sides = _mm256_or_si256(_mm256_add_epi64(sides, sides),
                                _mm256_srli_epi64(_mm256_castpd_si256(d[i]), 63));
    return (verdict){_mm256_or_pd(_mm256_cmp_pd(lo, limit, _CMP_GT_OQ),
                                  _mm256_cmp_pd(hi, minus, _CMP_LT_OQ)),
                     least, sides};
}

// Add the survivors among pairs[first, first + 4) of the block.
INLINE void test_planes(const shl_tri_side *a, const shl_tri_side *b, shoal_scalar sa,
                        shoal_scalar sb, const shl_tri_pair *pairs, uint32_t first,
                        uint32_t count, survivors *s)
{
    const uint32_t *row_a[LANES], *row_b[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        const shl_tri_pair pair = pairs[first + l < count ? first + l : count - 1];
        row_a[l] = a->tri[pair.a].v;
        row_b[l] = b->tri[pair.b].v;
    }
    vec p[3], q[3];
    load_corners(a->xyz, sa, row_a, p);
    load_corners(b->xyz, sb, row_b, q);
    const __m256d limit = filter_limit(p, q);
    const vec normal_a = cross(sub(p[1], p[0]), sub(p[2], p[0]));
    const vec normal_b = cross(sub(q[1], q[0]), sub(q[2], q[0]));
    __m256d side_a[3], side_b[3];
    for (int i = 0; i < 3; i++) {
        side_a[i] = dot(sub(p[i], q[0]), normal_b);
        side_b[i] = dot(sub(q[i], p[0]), normal_a);
    }
    const verdict va = judge(side_a, limit), vb = judge(side_b, limit);
    const __m256d sure = _mm256_cmp_pd(_mm256_min_pd(va.least, vb.least), limit, _CMP_GT_OQ);
    const uint32_t apart = (uint32_t)_mm256_movemask_pd(_mm256_or_pd(va.apart, vb.apart));
    _Alignas(32) uint64_t sides[LANES];
    _Alignas(32) double limits[LANES];
    _mm256_store_si256((__m256i *)sides,
                       _mm256_or_si256(va.sides, _mm256_slli_epi64(vb.sides, 3)));
    _mm256_store_pd(limits, _mm256_blendv_pd(_mm256_set1_pd(INFINITY), limit, sure));
    const uint32_t idle = count - first < LANES ? 15u << (count - first) : 0;
    uint32_t n = s->count;
    for (uint32_t l = 0; l < LANES; l++) {
        s->pair[n] = first + l;
        s->sides[n] = sides[l];
        s->limit[n] = limits[l];
        n += ~(apart | idle) >> l & 1;
    }
    s->count = n;
}

INLINE void store_ordered(uint32_t out[4], const shl_tri *tri, const uint32_t order[4])
{
    __m128 row = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)tri));
    _mm_store_si128((__m128i *)out, _mm_castps_si128(_mm_permutevar_ps(
                                        row, _mm_loadu_si128((const __m128i *)order))));
}

// Which of survivors [first, first + 4) overlap, and which are undecided: one bit a lane.
INLINE uint32_t test_lines(const shl_tri_side *a, const shl_tri_side *b, shoal_scalar sa,
                           shoal_scalar sb, const shl_tri_pair *pairs, uint32_t first,
                           const survivors *s, uint32_t *unsure)
{
    _Alignas(16) uint32_t corner[2][LANES][4];
    const uint32_t *row_a[LANES], *row_b[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        const shl_tri_pair pair = pairs[s->pair[first + l]];
        const uint32_t ca = s->sides[first + l] & 7, cb = (uint32_t)s->sides[first + l] >> 3;
        store_ordered(corner[0][l], &a->tri[pair.a], shl_tri_order[!shl_tri_negative(cb)][ca]);
        store_ordered(corner[1][l], &b->tri[pair.b], shl_tri_order[shl_tri_negative(ca)][cb]);
        row_a[l] = corner[0][l];
        row_b[l] = corner[1][l];
    }
    vec p[3], q[3];
    load_corners(a->xyz, sa, row_a, p);
    load_corners(b->xyz, sb, row_b, q);
    const vec pb = sub(q[0], p[0]), qb = sub(q[1], p[0]), rb = sub(q[2], p[0]);
    const __m256d least =
        _mm256_min_pd(dot(sub(p[1], p[0]), cross(pb, rb)), dot(sub(p[2], p[0]), cross(qb, pb)));
    const __m256d limit = _mm256_loadu_pd(&s->limit[first]);
    const __m256d minus = _mm256_xor_pd(_mm256_set1_pd(-0.0), limit);
    const uint32_t meet = (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(least, limit, _CMP_GT_OQ));
    const uint32_t miss = (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(least, minus, _CMP_LT_OQ));
    *unsure = ~(meet | miss) & 15;
    return meet;
}

static void load_exact(const shl_tri_side *side, uint32_t row, double out[9])
{
    for (uint32_t i = 0; i < 9; i++) {
        size_t at = 3 * (size_t)side->tri[row].v[i / 3] + i % 3;
        out[i] = side->scalar == SHOAL_F32 ? (double)((const float *)side->xyz)[at]
                                           : ((const double *)side->xyz)[at];
    }
}

static __attribute__((noinline)) bool decide(const shl_tri_side *a, const shl_tri_side *b,
                                             shl_tri_pair pair)
{
    double ta[9], tb[9];
    load_exact(a, pair.a, ta);
    load_exact(b, pair.b, tb);
    return shl_exact_tri_tri(ta, tb);
}

// At most BLOCK pairs. `out` never runs ahead of the pairs still to be read.
INLINE uint32_t run_block(const shl_tri_side *a, const shl_tri_side *b, shoal_scalar sa,
                          shoal_scalar sb, const shl_tri_pair *pairs, uint32_t count,
                          shl_tri_pair *out, uint64_t *exact_count)
{
    survivors s;
    s.count = 0;
    for (uint32_t i = 0; i < count; i += LANES)
        test_planes(a, b, sa, sb, pairs, i, count, &s);
    for (uint32_t l = 0; l < LANES && s.count; l++) { // idle lanes repeat the last survivor
        s.pair[s.count + l] = s.pair[s.count - 1];
        s.sides[s.count + l] = s.sides[s.count - 1];
        s.limit[s.count + l] = s.limit[s.count - 1];
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s.count; i += LANES) {
        uint32_t unsure, meet = test_lines(a, b, sa, sb, pairs, i, &s, &unsure);
        const uint32_t lanes = s.count - i < LANES ? s.count - i : LANES;
        for (uint32_t l = 0; l < lanes; l++) {
            const shl_tri_pair pair = pairs[s.pair[i + l]];
            if (__builtin_expect(unsure >> l & 1, 0)) {
                ++*exact_count;
                meet |= (uint32_t)decide(a, b, pair) << l;
            }
            out[kept] = pair;
            kept += meet >> l & 1;
        }
    }
    return kept;
}

INLINE uint32_t run(const shl_tri_side *a, const shl_tri_side *b, shoal_scalar sa,
                    shoal_scalar sb, const shl_tri_pair *pairs, uint32_t count,
                    shl_tri_pair *out, uint64_t *exact_count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i += BLOCK) {
        const uint32_t rows = count - i < BLOCK ? count - i : BLOCK;
        kept += run_block(a, b, sa, sb, pairs + i, rows, out + kept, exact_count);
    }
    return kept;
}

// The scalar types are literals in each call, so that each has a loop of its own.
uint32_t shl_tri_overlap_avx2(const shl_tri_side *a, const shl_tri_side *b,
                              const shl_tri_pair *pairs, uint32_t count, shl_tri_pair *out,
                              uint64_t *exact_count)
{
    if (a->scalar == SHOAL_F32 && b->scalar == SHOAL_F32)
        return run(a, b, SHOAL_F32, SHOAL_F32, pairs, count, out, exact_count);
    if (a->scalar == SHOAL_F32)
        return run(a, b, SHOAL_F32, SHOAL_F64, pairs, count, out, exact_count);
    if (b->scalar == SHOAL_F32)
        return run(a, b, SHOAL_F64, SHOAL_F32, pairs, count, out, exact_count);
    return run(a, b, SHOAL_F64, SHOAL_F64, pairs, count, out, exact_count);
}
