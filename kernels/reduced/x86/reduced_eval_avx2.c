// SPDX-License-Identifier: MIT
#include "kernels/reduced/reduced_eval.h"

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

typedef struct turn {
    __m256d column[3], at;
} turn;

INLINE turn turn_of(const shl_reduced_ready *ready)
{
    const double *r = ready->rotation, *t = ready->translation;
    return (turn){{_mm256_setr_pd(r[0], r[3], r[6], 0), _mm256_setr_pd(r[1], r[4], r[7], 0),
                   _mm256_setr_pd(r[2], r[5], r[8], 0)},
                  _mm256_setr_pd(t[0], t[1], t[2], 0)};
}

INLINE void store_turned(const turn *t, __m256d d, double *xyz)
{
    const __m256d low = _mm256_permute2f128_pd(d, d, 0x00);
    const __m256d z = _mm256_permute4x64_pd(d, 0xaa);
    const __m256d x = _mm256_permute_pd(low, 0x0), y = _mm256_permute_pd(low, 0xf);
    const __m256d sum = _mm256_add_pd(
        _mm256_add_pd(_mm256_mul_pd(t->column[0], x), _mm256_mul_pd(t->column[1], y)),
        _mm256_mul_pd(t->column[2], z));
    const __m256d moved = _mm256_add_pd(sum, t->at);
    // in two, as some CPUs take a dozen cycles for a store with a mask
    _mm_storeu_pd(xyz, _mm256_castpd256_pd128(moved));
    _mm_storel_pd(xyz + 2, _mm256_extractf128_pd(moved, 1));
}

INLINE __m256d add_field(__m256d d, const float *u, __m256d q)
{
    return _mm256_add_pd(d, _mm256_mul_pd(_mm256_cvtps_pd(_mm_loadu_ps(u)), q));
}

// One vertex a register; four at once, because each is a chain of additions.
void shl_reduced_eval_avx2(const shl_reduced *model, const shl_reduced_ready *ready,
                           const uint32_t *rows, uint32_t count, double *xyz)
{
    const size_t row_floats = 3 * (size_t)model->field_count;
    const double *q_end = ready->q + model->field_count;
    const turn t = turn_of(ready);
    // rows are apart, and most are not in the nearest cache: all misses at once
    for (size_t line = 0; line < row_floats; line += 16) {
        const float *from = model->fields + line;
        for (uint32_t i = 0; i < count; i += 4) {
            _mm_prefetch((const char *)(from + rows[i] * row_floats), _MM_HINT_T0);
            _mm_prefetch((const char *)(from + rows[i + 1] * row_floats), _MM_HINT_T0);
            _mm_prefetch((const char *)(from + rows[i + 2] * row_floats), _MM_HINT_T0);
            _mm_prefetch((const char *)(from + rows[i + 3] * row_floats), _MM_HINT_T0);
        }
    }
    for (uint32_t i = 0; i < count; i += 4, xyz += 12) {
        const float *u0 = model->fields + rows[i] * row_floats;
        const float *u1 = model->fields + rows[i + 1] * row_floats;
        const float *u2 = model->fields + rows[i + 2] * row_floats;
        const float *u3 = model->fields + rows[i + 3] * row_floats;
        __m256d d0 = _mm256_loadu_pd(model->rest + 3 * (size_t)rows[i]);
        __m256d d1 = _mm256_loadu_pd(model->rest + 3 * (size_t)rows[i + 1]);
        __m256d d2 = _mm256_loadu_pd(model->rest + 3 * (size_t)rows[i + 2]);
        __m256d d3 = _mm256_loadu_pd(model->rest + 3 * (size_t)rows[i + 3]);
#pragma GCC unroll 2
        for (const double *at = ready->q; at < q_end;
             at++, u0 += 3, u1 += 3, u2 += 3, u3 += 3) {
            const __m256d q = _mm256_broadcast_sd(at);
            d0 = add_field(d0, u0, q);
            d1 = add_field(d1, u1, q);
            d2 = add_field(d2, u2, q);
            d3 = add_field(d3, u3, q);
        }
        store_turned(&t, d0, xyz);
        store_turned(&t, d1, xyz + 3);
        store_turned(&t, d2, xyz + 6);
        store_turned(&t, d3, xyz + 9);
    }
}
