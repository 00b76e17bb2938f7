// SPDX-License-Identifier: MIT
// Four pairs at a time, operation by operation as the reference does it.
#include "kernels/tri/tri_slack.h"

#include <immintrin.h>

typedef __m256d v4;

static inline v4 larger(v4 x, v4 y)
{
    return _mm256_max_pd(x, y);
}

static inline v4 smaller(v4 x, v4 y)
{
    return _mm256_min_pd(x, y);
}

static inline v4 size_of(v4 x)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

static inline v4 gap(v4 s0, v4 s1, v4 s2, v4 t0, v4 t1, v4 t2)
{
    const v4 s_lo = smaller(smaller(s0, s1), s2), s_hi = larger(larger(s0, s1), s2);
    const v4 t_lo = smaller(smaller(t0, t1), t2), t_hi = larger(larger(t0, t1), t2);
    return larger(_mm256_sub_pd(t_lo, s_hi), _mm256_sub_pd(s_lo, t_hi));
}

static inline v4 minor(v4 a, v4 b, v4 c, v4 d)
{
    return _mm256_sub_pd(_mm256_mul_pd(a, b), _mm256_mul_pd(c, d));
}

static inline v4 dot(const v4 n[3], const v4 p[3])
{
    return _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(n[0], p[0]), _mm256_mul_pd(n[1], p[1])),
                         _mm256_mul_pd(n[2], p[2]));
}

static inline v4 along(const v4 u[3], const v4 v[3], const v4 p[9], const v4 q[9], v4 extent)
{
    const v4 n[3] = {minor(u[1], v[2], u[2], v[1]), minor(u[2], v[0], u[0], v[2]),
                     minor(u[0], v[1], u[1], v[0])};
    const v4 length = _mm256_add_pd(_mm256_add_pd(size_of(n[0]), size_of(n[1])), size_of(n[2]));
    const v4 g =
        gap(dot(n, p), dot(n, p + 3), dot(n, p + 6), dot(n, q), dot(n, q + 3), dot(n, q + 6));
    const v4 safe = _mm256_cmp_pd(_mm256_mul_pd(length, extent),
                                  _mm256_set1_pd(SHL_SLACK_PRODUCT), _CMP_GT_OQ);
    return _mm256_and_pd(_mm256_div_pd(g, length), safe);
}

static inline __m128 slack_of(const v4 a[9], const v4 b[9])
{
    v4 p[9], q[9], extent = _mm256_setzero_pd(), best = extent, u[3], v[3];
    for (int i = 0; i < 9; i++) {
        p[i] = _mm256_sub_pd(a[i], a[i % 3]);
        q[i] = _mm256_sub_pd(b[i], a[i % 3]);
        extent = larger(size_of(p[i]), extent);
        extent = larger(size_of(q[i]), extent);
    }
    for (int k = 0; k < 3; k++) {
        best = larger(gap(p[k], p[k + 3], p[k + 6], q[k], q[k + 3], q[k + 6]), best);
        u[k] = _mm256_sub_pd(q[k + 3], q[k]);
        v[k] = _mm256_sub_pd(q[k + 6], q[k]);
    }
    best = larger(along(p + 3, p + 6, p, q, extent), best);
    best = larger(along(u, v, p, q, extent), best);
    const v4 slack = _mm256_sub_pd(_mm256_mul_pd(best, _mm256_set1_pd(1 - 0x1p-50)),
                                   _mm256_mul_pd(_mm256_set1_pd(0x1p-48), extent));
    const v4 good =
        _mm256_and_pd(_mm256_cmp_pd(extent, _mm256_set1_pd(SHL_SLACK_MOST), _CMP_LT_OQ),
                      _mm256_cmp_pd(slack, _mm256_set1_pd(SHL_SLACK_LEAST), _CMP_GT_OQ));
    return _mm256_cvtpd_ps(
        _mm256_and_pd(_mm256_mul_pd(slack, _mm256_set1_pd(1 - 0x1p-22)), good));
}

void shl_tri_slack_avx2(const shl_tri_side *a, const shl_tri_side *b, const shl_tri_pair *pairs,
                        uint32_t count, float *slack)
{
    for (uint32_t i = 0; i < count; i += 4) {
        const uint32_t rows = count - i < 4 ? count - i : 4;
        double columns[2][9][4];
        for (uint32_t lane = 0; lane < 4; lane++) {
            const shl_tri_pair pair = pairs[i + (lane < rows ? lane : 0)];
            double p[9], q[9];
            shl_tri_corners(a, pair.a, p);
            shl_tri_corners(b, pair.b, q);
            for (int k = 0; k < 9; k++) {
                columns[0][k][lane] = p[k];
                columns[1][k][lane] = q[k];
            }
        }
        v4 corners[2][9];
        for (int k = 0; k < 9; k++) {
            corners[0][k] = _mm256_loadu_pd(columns[0][k]);
            corners[1][k] = _mm256_loadu_pd(columns[1][k]);
        }
        float out[4];
        _mm_storeu_ps(out, slack_of(corners[0], corners[1]));
        for (uint32_t lane = 0; lane < rows; lane++)
            slack[i + lane] = out[lane];
    }
}
