// SPDX-License-Identifier: MIT
// shl_site_square() of eight samples at once, operation by operation.
#ifndef SHL_KERNELS_VORONOI_X86_CELL_LANES_AVX2_H
#define SHL_KERNELS_VORONOI_X86_CELL_LANES_AVX2_H

#include "kernels/voronoi/cell_tri.h"

#include <immintrin.h>

static inline __m256 shl_lanes_dot(const __m256 x[3], const float y[3])
{
    const __m256 p = _mm256_mul_ps(x[1], _mm256_set1_ps(y[1]));
    const __m256 q = _mm256_mul_ps(x[2], _mm256_set1_ps(y[2]));
    return _mm256_add_ps(_mm256_mul_ps(x[0], _mm256_set1_ps(y[0])), _mm256_add_ps(p, q));
}

static inline __m256 shl_lanes_square(const __m256 r[3])
{
    const __m256 p = _mm256_mul_ps(r[1], r[1]), q = _mm256_mul_ps(r[2], r[2]);
    return _mm256_add_ps(_mm256_mul_ps(r[0], r[0]), _mm256_add_ps(p, q));
}

static inline __m256 shl_lanes_segment(const __m256 x[3], const float e[3], const float t[3])
{
    __m256 s = _mm256_max_ps(shl_lanes_dot(x, t), _mm256_setzero_ps());
    s = _mm256_min_ps(s, _mm256_set1_ps(1));
    __m256 r[3];
    for (int k = 0; k < 3; k++)
        r[k] = _mm256_sub_ps(x[k], _mm256_mul_ps(s, _mm256_set1_ps(e[k])));
    return shl_lanes_square(r);
}

static inline __m256 shl_site_lanes(const shl_site *s, const __m256 p[3])
{
    __m256 x[3], y[3];
    for (int k = 0; k < 3; k++) {
        x[k] = _mm256_sub_ps(p[k], _mm256_set1_ps(s->a[k]));
        y[k] = _mm256_sub_ps(p[k], _mm256_set1_ps(s->b[k]));
    }
    __m256 least =
        _mm256_min_ps(shl_lanes_segment(x, s->ab, s->tab), shl_lanes_segment(x, s->ac, s->tac));
    least = _mm256_min_ps(least, shl_lanes_segment(y, s->bc, s->tbc));
    const __m256 v = shl_lanes_dot(x, s->v), w = shl_lanes_dot(x, s->w);
    const __m256 zero = _mm256_setzero_ps();
    __m256 in =
        _mm256_and_ps(_mm256_cmp_ps(v, zero, _CMP_GE_OQ), _mm256_cmp_ps(w, zero, _CMP_GE_OQ));
    in = _mm256_and_ps(
        in, _mm256_cmp_ps(_mm256_add_ps(v, w), _mm256_set1_ps(s->inside), _CMP_LE_OQ));
    if (!_mm256_movemask_ps(in)) // most samples are beside a small triangle
        return least;
    __m256 r[3];
    for (int k = 0; k < 3; k++) {
        r[k] = _mm256_sub_ps(x[k], _mm256_mul_ps(v, _mm256_set1_ps(s->ab[k])));
        r[k] = _mm256_sub_ps(r[k], _mm256_mul_ps(w, _mm256_set1_ps(s->ac[k])));
    }
    return _mm256_blendv_ps(least, _mm256_min_ps(shl_lanes_square(r), least), in);
}

#endif
