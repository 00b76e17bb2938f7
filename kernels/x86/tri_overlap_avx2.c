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
// A sign that is sure here is sure in float64 too, for the margin of more than 3 u M exceeds
// what that filter asks by far. So all variants agree on exact_count as well.
#include "kernels/tri_overlap.h"

#include "kernels/x86/lane_list.h"

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

// Four lanes as they come from memory, when float32 would lose bits.
typedef struct wide {
    __m256d x, y, z;
} wide;

// The corners of eight pairs relative to a's first: pa is zero.
typedef struct corners {
    vec qa, ra, pb, qb, rb;
} corners;

INLINE vec sub(vec a, vec b)
{
    return (vec){_mm256_sub_ps(a.x, b.x), _mm256_sub_ps(a.y, b.y), _mm256_sub_ps(a.z, b.z)};
}

INLINE __m256 cross_part(__m256 a, __m256 b, __m256 c, __m256 d)
{
    return _mm256_sub_ps(_mm256_mul_ps(a, b), _mm256_mul_ps(c, d));
}

INLINE vec cross(vec a, vec b)
{
    return (vec){cross_part(a.y, b.z, a.z, b.y), cross_part(a.z, b.x, a.x, b.z),
                 cross_part(a.x, b.y, a.y, b.x)};
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

// Two scalars of each of two vertices.
INLINE __m128 two_halves(const float *p, const float *q)
{
    return _mm_loadh_pi(_mm_castsi128_ps(_mm_loadu_si64(p)), (const __m64 *)q);
}

// Vertex row[low][k] and row[low + 4][k] as x, y, z, 0; nothing past the vertex is read.
INLINE __m256 load_two(const float *xyz, const uint32_t *const row[LANES], int low, int k)
{
    const __m128i three = _mm_setr_epi32(-1, -1, -1, 0);
    return _mm256_set_m128(_mm_maskload_ps(xyz + 3 * (size_t)row[low + 4][k], three),
                           _mm_maskload_ps(xyz + 3 * (size_t)row[low][k], three));
}

// Vertex row[l][k] of each lane l.
INLINE vec load_f32(const float *xyz, const uint32_t *const row[LANES], int k)
{
    __m256 v04 = load_two(xyz, row, 0, k), v15 = load_two(xyz, row, 1, k);
    __m256 v26 = load_two(xyz, row, 2, k), v37 = load_two(xyz, row, 3, k);
    __m256 xy0145 = _mm256_unpacklo_ps(v04, v15), xy2367 = _mm256_unpacklo_ps(v26, v37);
    __m256 z0145 = _mm256_unpackhi_ps(v04, v15), z2367 = _mm256_unpackhi_ps(v26, v37);
    return (vec){_mm256_shuffle_ps(xy0145, xy2367, _MM_SHUFFLE(1, 0, 1, 0)),
                 _mm256_shuffle_ps(xy0145, xy2367, _MM_SHUFFLE(3, 2, 3, 2)),
                 _mm256_shuffle_ps(z0145, z2367, _MM_SHUFFLE(1, 0, 1, 0))};
}

INLINE wide load_wide(const void *xyz, shoal_scalar scalar, const uint32_t *const row[4], int k)
{
    size_t at[4];
    for (int l = 0; l < 4; l++)
        at[l] = 3 * (size_t)row[l][k];
    if (scalar == SHOAL_F32) {
        const float *f = xyz;
        __m128 xy01 = two_halves(f + at[0], f + at[1]), xy23 = two_halves(f + at[2], f + at[3]);
        __m128 z = _mm_set_ps(f[at[3] + 2], f[at[2] + 2], f[at[1] + 2], f[at[0] + 2]);
        return (wide){_mm256_cvtps_pd(_mm_shuffle_ps(xy01, xy23, _MM_SHUFFLE(2, 0, 2, 0))),
                      _mm256_cvtps_pd(_mm_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 1, 3, 1))),
                      _mm256_cvtps_pd(z)};
    }
    const double *d = xyz;
    __m256d xy02 = _mm256_set_m128d(_mm_loadu_pd(d + at[2]), _mm_loadu_pd(d + at[0]));
    __m256d xy13 = _mm256_set_m128d(_mm_loadu_pd(d + at[3]), _mm_loadu_pd(d + at[1]));
    return (wide){_mm256_unpacklo_pd(xy02, xy13), _mm256_unpackhi_pd(xy02, xy13),
                  _mm256_set_pd(d[at[3] + 2], d[at[2] + 2], d[at[1] + 2], d[at[0] + 2])};
}

INLINE __m256 narrow_sub(__m256d a0, __m256d a1, __m256d b0, __m256d b1)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(_mm256_sub_pd(a1, b1)),
                           _mm256_cvtpd_ps(_mm256_sub_pd(a0, b0)));
}

INLINE vec load_relative(const void *xyz, shoal_scalar scalar, const uint32_t *const row[LANES],
                         int k, const wide origin[2])
{
    wide v0 = load_wide(xyz, scalar, row, k), v1 = load_wide(xyz, scalar, row + 4, k);
    return (vec){narrow_sub(v0.x, v1.x, origin[0].x, origin[1].x),
                 narrow_sub(v0.y, v1.y, origin[0].y, origin[1].y),
                 narrow_sub(v0.z, v1.z, origin[0].z, origin[1].z)};
}

INLINE corners load_corners(const shl_tri_side *a, const shl_tri_side *b, shoal_scalar sa,
                            shoal_scalar sb, const uint32_t *const row_a[LANES],
                            const uint32_t *const row_b[LANES])
{
    if (sa == SHOAL_F32 && sb == SHOAL_F32) {
        const vec pa = load_f32(a->xyz, row_a, 0);
        return (corners){
            sub(load_f32(a->xyz, row_a, 1), pa), sub(load_f32(a->xyz, row_a, 2), pa),
            sub(load_f32(b->xyz, row_b, 0), pa), sub(load_f32(b->xyz, row_b, 1), pa),
            sub(load_f32(b->xyz, row_b, 2), pa)};
    }
    const wide pa[2] = {load_wide(a->xyz, sa, row_a, 0), load_wide(a->xyz, sa, row_a + 4, 0)};
    return (corners){
        load_relative(a->xyz, sa, row_a, 1, pa), load_relative(a->xyz, sa, row_a, 2, pa),
        load_relative(b->xyz, sb, row_b, 0, pa), load_relative(b->xyz, sb, row_b, 1, pa),
        load_relative(b->xyz, sb, row_b, 2, pa)};
}

INLINE __m256 extent(__m256 a, __m256 b, __m256 c, __m256 d, __m256 e)
{
    const __m256 zero = _mm256_setzero_ps(); // the sixth corner
    __m256 lo = _mm256_min_ps(_mm256_min_ps(a, b), _mm256_min_ps(c, d));
    __m256 hi = _mm256_max_ps(_mm256_max_ps(a, b), _mm256_max_ps(c, d));
    return _mm256_sub_ps(_mm256_max_ps(hi, _mm256_max_ps(e, zero)),
                         _mm256_min_ps(lo, _mm256_min_ps(e, zero)));
}

INLINE __m256 filter_limit(const corners *c)
{
    __m256 x = extent(c->qa.x, c->ra.x, c->pb.x, c->qb.x, c->rb.x);
    __m256 y = extent(c->qa.y, c->ra.y, c->pb.y, c->qb.y, c->rb.y);
    __m256 z = extent(c->qa.z, c->ra.z, c->pb.z, c->qb.z, c->rb.z);
    __m256 least = _mm256_min_ps(_mm256_min_ps(x, y), z);
    __m256 most = _mm256_max_ps(_mm256_max_ps(x, y), z);
    __m256 fits = _mm256_and_ps(_mm256_cmp_ps(least, _mm256_set1_ps(LIMIT_MIN), _CMP_GE_OQ),
                                _mm256_cmp_ps(most, _mm256_set1_ps(LIMIT_MAX), _CMP_LE_OQ));
    __m256 limit =
        _mm256_mul_ps(_mm256_mul_ps(_mm256_mul_ps(x, y), z), _mm256_set1_ps(LIMIT_FACTOR));
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

INLINE verdict judge(const __m256 d[3], __m256 limit)
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
INLINE uint32_t test(const shl_tri_side *a, const shl_tri_side *b, shoal_scalar sa,
                     shoal_scalar sb, const shl_tri_pair pairs[LANES], uint32_t *unsure)
{
    const uint32_t *row_a[LANES], *row_b[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        row_a[l] = a->tri[pairs[l].a].v;
        row_b[l] = b->tri[pairs[l].b].v;
    }
    const corners c = load_corners(a, b, sa, sb, row_a, row_b);
    const __m256 limit = filter_limit(&c);
    const vec normal_a = cross(c.qa, c.ra), normal_b = cross(sub(c.qb, c.pb), sub(c.rb, c.pb));
    const __m256 side_a[3] = {negate(dot(c.pb, normal_b)), dot(sub(c.qa, c.pb), normal_b),
                              dot(sub(c.ra, c.pb), normal_b)};
    const __m256 side_b[3] = {dot(c.pb, normal_a), dot(c.qb, normal_a), dot(c.rb, normal_a)};
    const verdict va = judge(side_a, limit), vb = judge(side_b, limit);
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

// The pairs whose bit is set among four; all four places of `out` may be written.
INLINE shl_tri_pair *keep_four(__m256i four, uint32_t mask, shl_tri_pair *out)
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
keep_some(const shl_tri_side *a, const shl_tri_side *b, const shl_tri_pair pairs[LANES],
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

// `out` never runs ahead of the pairs still to be read.
INLINE uint32_t run(const shl_tri_side *a, const shl_tri_side *b, shoal_scalar sa,
                    shoal_scalar sb, const shl_tri_pair *pairs, uint32_t count,
                    shl_tri_pair *out, uint64_t *exact_count)
{
    shl_tri_pair *end = out, group[LANES];
    uint32_t unsure, i = 0;
    for (; i + LANES <= count; i += LANES) {
        const uint32_t meet = test(a, b, sa, sb, pairs + i, &unsure);
        const __m256i low = _mm256_loadu_si256((const __m256i *)(pairs + i));
        const __m256i high = _mm256_loadu_si256((const __m256i *)(pairs + i + 4));
        if (__builtin_expect(unsure == 0, 1)) {
            end = keep_four(high, meet >> 4, keep_four(low, meet & 15, end));
            continue;
        }
        _mm256_storeu_si256((__m256i *)group, low);
        _mm256_storeu_si256((__m256i *)(group + 4), high);
        end += keep_some(a, b, group, LANES, meet, unsure, end, exact_count);
    }
    if (i < count) { // idle lanes repeat the last pair
        for (uint32_t l = 0; l < LANES; l++)
            group[l] = pairs[i + l < count ? i + l : count - 1];
        const uint32_t meet = test(a, b, sa, sb, group, &unsure);
        end += keep_some(a, b, group, count - i, meet, unsure, end, exact_count);
    }
    return (uint32_t)(end - out);
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
