// SPDX-License-Identifier: MIT
// Axes do not matter, so the coordinates are one long row. Absolute values as integers have the
// order of the floats, with infinity and then NaN above all others.
#include "kernels/boxes/displacement.h"

#include "kernels/boxes/displacement_bound.h"

#include <immintrin.h>
#include <string.h>

static inline __m256i distance_f32(const float *p, const float *q)
{
    const __m256 d = _mm256_sub_ps(_mm256_loadu_ps(p), _mm256_loadu_ps(q));
    return _mm256_and_si256(_mm256_castps_si256(d), _mm256_set1_epi32(0x7fffffff));
}

double shl_displacement_f32_avx2(const void *now, const void *then, uint32_t begin,
                                 uint32_t end)
{
    const float *p = (const float *)now + 3 * (size_t)begin;
    const float *q = (const float *)then + 3 * (size_t)begin;
    const size_t count = 3 * (size_t)(end - begin);
    __m256i most0 = _mm256_setzero_si256(), most1 = most0;
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        most0 = _mm256_max_epi32(most0, distance_f32(p + i, q + i));
        most1 = _mm256_max_epi32(most1, distance_f32(p + i + 8, q + i + 8));
    }
    int32_t lanes[8], most = 0;
    _mm256_storeu_si256((__m256i *)lanes, _mm256_max_epi32(most0, most1));
    for (int lane = 0; lane < 8; lane++)
        most = lanes[lane] > most ? lanes[lane] : most;
    for (; i < count; i++) {
        const float d = fabsf(p[i] - q[i]);
        int32_t bits;
        memcpy(&bits, &d, sizeof bits);
        most = bits > most ? bits : most;
    }
    float value;
    memcpy(&value, &most, sizeof value);
    return shl_displacement_bound_f32(value, most < 0x7f800000);
}

// There is no maximum of 64-bit integers. max_pd gives its second operand if one is NaN, so the
// sum of all differences' signs of trouble is kept apart: d - d is 0 or NaN.
static inline __m256d distance_f64(const double *p, const double *q, __m256d *odd)
{
    const __m256d d = _mm256_sub_pd(_mm256_loadu_pd(p), _mm256_loadu_pd(q));
    *odd = _mm256_or_pd(*odd, _mm256_sub_pd(d, d));
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), d);
}

double shl_displacement_f64_avx2(const void *now, const void *then, uint32_t begin,
                                 uint32_t end)
{
    const double *p = (const double *)now + 3 * (size_t)begin;
    const double *q = (const double *)then + 3 * (size_t)begin;
    const size_t count = 3 * (size_t)(end - begin);
    __m256d most0 = _mm256_setzero_pd(), most1 = most0, odd = most0;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        most0 = _mm256_max_pd(distance_f64(p + i, q + i, &odd), most0);
        most1 = _mm256_max_pd(distance_f64(p + i + 4, q + i + 4, &odd), most1);
    }
    double lanes[4], most = 0;
    bool finite = _mm256_movemask_pd(_mm256_cmp_pd(odd, odd, _CMP_UNORD_Q)) == 0;
    _mm256_storeu_pd(lanes, _mm256_max_pd(most0, most1));
    for (int lane = 0; lane < 4; lane++)
        most = lanes[lane] > most ? lanes[lane] : most;
    for (; i < count; i++) {
        const double d = fabs(p[i] - q[i]);
        most = d > most ? d : most;
        finite = finite && isfinite(d);
    }
    return shl_displacement_bound_f64(most, finite);
}
