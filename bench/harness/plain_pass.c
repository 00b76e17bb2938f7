// SPDX-License-Identifier: MIT
#include "bench/harness/plain_pass.h"

#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>

// 24 floats are eight vertices; lanes keep their axis from one group to the next.
__attribute__((target("avx2"))) static size_t vector_part(const float *xyz, size_t vertices,
                                                          float lo[24], float hi[24])
{
    __m256 l[3], h[3];
    for (int k = 0; k < 3; k++) {
        l[k] = _mm256_set1_ps(INFINITY);
        h[k] = _mm256_set1_ps(-INFINITY);
    }
    size_t i = 0;
    for (; i + 8 <= vertices; i += 8) {
        for (int k = 0; k < 3; k++) {
            const __m256 v = _mm256_loadu_ps(xyz + 3 * i + 8 * k);
            l[k] = _mm256_min_ps(l[k], v);
            h[k] = _mm256_max_ps(h[k], v);
        }
    }
    for (int k = 0; k < 3; k++) {
        _mm256_storeu_ps(lo + 8 * k, l[k]);
        _mm256_storeu_ps(hi + 8 * k, h[k]);
    }
    return i;
}

static size_t many(const float *xyz, size_t vertices, float lo[24], float hi[24])
{
    return __builtin_cpu_supports("avx2") ? vector_part(xyz, vertices, lo, hi) : 0;
}
#else
static size_t many(const float *xyz, size_t vertices, float lo[24], float hi[24])
{
    (void)xyz, (void)vertices, (void)lo, (void)hi;
    return 0;
}
#endif

void bench_plain_pass(const float *xyz, size_t vertices, float box[6])
{
    float lo[24], hi[24];
    for (int k = 0; k < 24; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (size_t i = many(xyz, vertices, lo, hi); i < vertices; i++) {
        for (int k = 0; k < 3; k++) {
            lo[k] = xyz[3 * i + k] < lo[k] ? xyz[3 * i + k] : lo[k];
            hi[k] = xyz[3 * i + k] > hi[k] ? xyz[3 * i + k] : hi[k];
        }
    }
    for (int k = 0; k < 24; k++) {
        box[k % 3] = k < 3 || lo[k] < box[k % 3] ? lo[k] : box[k % 3];
        box[3 + k % 3] = k < 3 || hi[k] > box[3 + k % 3] ? hi[k] : box[3 + k % 3];
    }
}
