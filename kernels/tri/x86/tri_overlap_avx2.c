// SPDX-License-Identifier: MIT
// Eight pairs at a time by the filter in tri_filter_avx2.h; the reference body takes the few
// that float32 cannot decide.
#include "kernels/tri/x86/tri_filter_avx2.h"

// Four lanes as they come from memory, when float32 would lose bits.
typedef struct vec_f64 {
    __m256d x, y, z;
} vec_f64;

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

INLINE vec_f64 load_f64(const void *xyz, shoal_scalar scalar, const uint32_t *const row[4],
                        int k)
{
    size_t at[4];
    for (int l = 0; l < 4; l++)
        at[l] = 3 * (size_t)row[l][k];
    if (scalar == SHOAL_F32) {
        const float *f = xyz;
        __m128 xy01 = two_halves(f + at[0], f + at[1]), xy23 = two_halves(f + at[2], f + at[3]);
        __m128 z = _mm_set_ps(f[at[3] + 2], f[at[2] + 2], f[at[1] + 2], f[at[0] + 2]);
        return (vec_f64){_mm256_cvtps_pd(_mm_shuffle_ps(xy01, xy23, _MM_SHUFFLE(2, 0, 2, 0))),
                         _mm256_cvtps_pd(_mm_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 1, 3, 1))),
                         _mm256_cvtps_pd(z)};
    }
    const double *d = xyz;
    __m256d xy02 = _mm256_set_m128d(_mm_loadu_pd(d + at[2]), _mm_loadu_pd(d + at[0]));
    __m256d xy13 = _mm256_set_m128d(_mm_loadu_pd(d + at[3]), _mm_loadu_pd(d + at[1]));
    return (vec_f64){_mm256_unpacklo_pd(xy02, xy13), _mm256_unpackhi_pd(xy02, xy13),
                     _mm256_set_pd(d[at[3] + 2], d[at[2] + 2], d[at[1] + 2], d[at[0] + 2])};
}

INLINE __m256 sub_to_f32(__m256d a0, __m256d a1, __m256d b0, __m256d b1)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(_mm256_sub_pd(a1, b1)),
                           _mm256_cvtpd_ps(_mm256_sub_pd(a0, b0)));
}

INLINE vec load_relative(const void *xyz, shoal_scalar scalar, const uint32_t *const row[LANES],
                         int k, const vec_f64 origin[2])
{
    vec_f64 v0 = load_f64(xyz, scalar, row, k), v1 = load_f64(xyz, scalar, row + 4, k);
    return (vec){sub_to_f32(v0.x, v1.x, origin[0].x, origin[1].x),
                 sub_to_f32(v0.y, v1.y, origin[0].y, origin[1].y),
                 sub_to_f32(v0.z, v1.z, origin[0].z, origin[1].z)};
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
    const vec_f64 pa[2] = {load_f64(a->xyz, sa, row_a, 0), load_f64(a->xyz, sa, row_a + 4, 0)};
    return (corners){
        load_relative(a->xyz, sa, row_a, 1, pa), load_relative(a->xyz, sa, row_a, 2, pa),
        load_relative(b->xyz, sb, row_b, 0, pa), load_relative(b->xyz, sb, row_b, 1, pa),
        load_relative(b->xyz, sb, row_b, 2, pa)};
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
    return decide(load_corners(a, b, sa, sb, row_a, row_b), NULL, unsure);
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
            end = append_four(high, meet >> 4, append_four(low, meet & 15, end));
            continue;
        }
        _mm256_storeu_si256((__m256i *)group, low);
        _mm256_storeu_si256((__m256i *)(group + 4), high);
        end += append_decided(a, b, group, LANES, meet, unsure, end, exact_count);
    }
    if (i < count) { // idle lanes repeat the last pair
        for (uint32_t l = 0; l < LANES; l++)
            group[l] = pairs[i + l < count ? i + l : count - 1];
        const uint32_t meet = test(a, b, sa, sb, group, &unsure);
        end += append_decided(a, b, group, count - i, meet, unsure, end, exact_count);
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
