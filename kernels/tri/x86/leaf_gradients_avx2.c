// SPDX-License-Identifier: MIT
// Eight triangles at a time in float32; float64 goes to the reference.
#include "kernels/tri/leaf_gradients.h"

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

typedef struct vec {
    __m256 c[3];
} vec;

// x, y, z, and with `inner` whatever follows them.
INLINE __m128 load(const float *xyz, uint32_t vertex, bool inner)
{
    const float *p = xyz + 3 * (size_t)vertex;
    return inner ? _mm_loadu_ps(p) : _mm_maskload_ps(p, _mm_setr_epi32(-1, -1, -1, 0));
}

INLINE vec load_corners(const float *xyz, const uint32_t *const v[SHL_LANES], int k, bool inner)
{
    __m256 r[4];
    for (int i = 0; i < 4; i++)
        r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(load(xyz, v[i][k], inner)),
                                    load(xyz, v[i + 4][k], inner), 1);
    const __m256 xy01 = _mm256_unpacklo_ps(r[0], r[1]), xy23 = _mm256_unpacklo_ps(r[2], r[3]);
    const __m256 z01 = _mm256_unpackhi_ps(r[0], r[1]), z23 = _mm256_unpackhi_ps(r[2], r[3]);
    return (vec){{_mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(1, 0, 1, 0)),
                  _mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 2, 3, 2)),
                  _mm256_shuffle_ps(z01, z23, _MM_SHUFFLE(1, 0, 1, 0))}};
}

// The least of each of eight vectors, in their order.
INLINE __m256 least_of(const __m256 v[8])
{
    __m256 pairs[4];
    for (int i = 0; i < 4; i++) {
        const __m256 a = v[2 * i], b = v[2 * i + 1];
        pairs[i] = _mm256_min_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    }
    __m256 fours[2];
    for (int i = 0; i < 2; i++) {
        const __m256 a = pairs[2 * i], b = pairs[2 * i + 1];
        fours[i] = _mm256_min_ps(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 1, 0)),
                                 _mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 2, 3, 2)));
    }
    return _mm256_min_ps(_mm256_permute2f128_ps(fours[0], fours[1], 0x20),
                         _mm256_permute2f128_ps(fours[0], fours[1], 0x31));
}

INLINE void gradients(const float *xyz, const uint32_t *const v[SHL_LANES],
                      const float *inverse, bool inner, shl_gradients *out)
{
    const __m256 sign = _mm256_set1_ps(-0.0f), zero = _mm256_setzero_ps();
    const __m256 share = _mm256_set1_ps(SHL_GRADIENT_SLACK);
    const __m256 limit = _mm256_set1_ps(SHL_GRADIENT_MAX);
    const vec p0 = load_corners(xyz, v, 0, inner), p1 = load_corners(xyz, v, 1, inner);
    const vec p2 = load_corners(xyz, v, 2, inner);
    __m256 good = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    __m256 lo[8] = {[6] = zero, [7] = zero}, hi[8] = {[6] = zero, [7] = zero}; // hi is negated
    for (int k = 0; k < 3; k++) {
        const __m256 one = _mm256_sub_ps(p1.c[k], p0.c[k]);
        const __m256 two = _mm256_sub_ps(p2.c[k], p0.c[k]);
        for (int column = 0; column < 2; column++) {
            const float *r = inverse + column * SHL_LANES;
            const __m256 p = _mm256_mul_ps(one, _mm256_loadu_ps(r));
            const __m256 q = _mm256_mul_ps(two, _mm256_loadu_ps(r + 2 * SHL_LANES));
            const __m256 sum = _mm256_add_ps(p, q);
            const __m256 size =
                _mm256_add_ps(_mm256_andnot_ps(sign, p), _mm256_andnot_ps(sign, q));
            const __m256 slack = _mm256_mul_ps(share, size);
            good = _mm256_and_ps(good, _mm256_cmp_ps(size, limit, _CMP_LT_OQ));
            lo[3 * column + k] = _mm256_add_ps(_mm256_sub_ps(sum, slack), zero);
            hi[3 * column + k] =
                _mm256_xor_ps(_mm256_add_ps(_mm256_add_ps(sum, slack), zero), sign);
        }
    }
    hi[6] = hi[7] = sign;
    const __m256 endless = _mm256_set1_ps(__builtin_inff());
    const bool all = _mm256_movemask_ps(good) == 255;
    _mm256_storeu_ps(out->lo, all ? least_of(lo) : _mm256_xor_ps(endless, sign));
    _mm256_storeu_ps(out->hi, all ? _mm256_xor_ps(least_of(hi), sign) : endless);
}

void shl_leaf_gradients_avx2(const shl_tree *tree, const void *xyz, shoal_scalar scalar,
                             uint32_t leaf, const float *inverse, shl_gradients *out)
{
    if (scalar != SHOAL_F32) {
        shl_leaf_gradients_ref(tree, xyz, scalar, leaf, inverse, out);
        return;
    }
    const uint32_t first = tree->first[leaf], last = tree->count[leaf] - 1u;
    const uint32_t *v[SHL_LANES];
    for (uint32_t lane = 0; lane < SHL_LANES; lane++)
        v[lane] = tree->tri[first + (lane < last ? lane : last)].v;
    if (first + last < tree->last_named)
        gradients(xyz, v, inverse, true, out);
    else
        gradients(xyz, v, inverse, false, out);
}

void shl_join_gradients_avx2(const shl_gradients *rows, const uint32_t *list, uint32_t count,
                             shl_gradients *out)
{
    __m256 lo = _mm256_loadu_ps(rows[list[0]].lo), hi = _mm256_loadu_ps(rows[list[0]].hi);
    for (uint32_t i = 1; i < count; i++) {
        lo = _mm256_min_ps(lo, _mm256_loadu_ps(rows[list[i]].lo));
        hi = _mm256_max_ps(hi, _mm256_loadu_ps(rows[list[i]].hi));
    }
    _mm256_storeu_ps(out->lo, lo);
    _mm256_storeu_ps(out->hi, hi);
}
