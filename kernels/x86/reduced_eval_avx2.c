// SPDX-License-Identifier: MIT
#include "kernels/reduced_eval.h"

#include <immintrin.h>

// One vertex a register; four at once, because each is a chain of additions.
void shl_reduced_eval_avx2(const shl_reduced *model, const shl_reduced_ready *ready,
                           const uint32_t *rows, uint32_t count, double *xyz)
{
    const uint32_t fields = model->field_count;
    const double *r = ready->rotation, *t = ready->translation;
    const __m256d column[3] = {_mm256_setr_pd(r[0], r[3], r[6], 0),
                               _mm256_setr_pd(r[1], r[4], r[7], 0),
                               _mm256_setr_pd(r[2], r[5], r[8], 0)};
    const __m256d at = _mm256_setr_pd(t[0], t[1], t[2], 0);
    const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
    // rows are apart, and most are not in the nearest cache: all misses at once
    for (uint32_t i = 0; i < count; i++) {
        const char *u = (const char *)(model->fields + 3 * (size_t)rows[i] * fields);
        for (uint32_t byte = 0; byte < 12 * fields; byte += 64)
            _mm_prefetch(u + byte, _MM_HINT_T0);
        _mm_prefetch(model->rest + 3 * (size_t)rows[i], _MM_HINT_T0);
    }
    for (uint32_t i = 0; i < count; i += 4, xyz += 12) {
        const float *u[4];
        __m256d d[4];
        for (int v = 0; v < 4; v++) {
            u[v] = model->fields + 3 * (size_t)rows[i + (uint32_t)v] * fields;
            d[v] = _mm256_loadu_pd(model->rest + 3 * (size_t)rows[i + (uint32_t)v]);
        }
        for (uint32_t j = 0; j < fields; j++) {
            const __m256d q = _mm256_broadcast_sd(&ready->q[j]);
            for (int v = 0; v < 4; v++)
                d[v] = _mm256_add_pd(
                    d[v], _mm256_mul_pd(_mm256_cvtps_pd(_mm_loadu_ps(u[v] + 3 * j)), q));
        }
        for (int v = 0; v < 4; v++) {
            const __m256d low = _mm256_permute2f128_pd(d[v], d[v], 0x00);
            const __m256d high = _mm256_permute2f128_pd(d[v], d[v], 0x11);
            const __m256d x = _mm256_permute_pd(low, 0x0), y = _mm256_permute_pd(low, 0xf);
            const __m256d z = _mm256_permute_pd(high, 0x0);
            const __m256d sum = _mm256_add_pd(
                _mm256_add_pd(_mm256_mul_pd(column[0], x), _mm256_mul_pd(column[1], y)),
                _mm256_mul_pd(column[2], z));
            _mm256_maskstore_pd(xyz + 3 * v, three, _mm256_add_pd(sum, at));
        }
    }
}
