// SPDX-License-Identifier: MIT
#include "kernels/skinned/skinned_eval.h"

#include <immintrin.h>

typedef struct sums {
    __m256d x, y, z;
} sums;

static inline __m256d add_mul(__m256d sum, __m256d w, const double *map)
{
    return _mm256_add_pd(sum, _mm256_mul_pd(w, _mm256_loadu_pd(map)));
}

// One axis of a map a register.
static inline void blend(const shl_skinned *model, const double *maps, uint32_t e, sums *s)
{
    const double *map = maps + 12 * (size_t)model->weight_point[e];
    const __m256d w = _mm256_set1_pd((double)model->weight[e]);
    s->x = add_mul(s->x, w, map);
    s->y = add_mul(s->y, w, map + 4);
    s->z = add_mul(s->z, w, map + 8);
}

static inline void finish(const double *p, const sums *s, double *xyz)
{
    const __m256d at = _mm256_set_pd(1, p[2], p[1], p[0]);
    const __m256d x = _mm256_mul_pd(s->x, at), y = _mm256_mul_pd(s->y, at),
                  z = _mm256_mul_pd(s->z, at);
    // pairs of x, y | x, y, then z, z: their halves are the two inner sums
    const __m256d xy = _mm256_hadd_pd(x, y), zz = _mm256_hadd_pd(z, z);
    const __m128d moved_xy =
        _mm_add_pd(_mm256_castpd256_pd128(xy), _mm256_extractf128_pd(xy, 1));
    const __m128d moved_z =
        _mm_add_sd(_mm256_castpd256_pd128(zz), _mm256_extractf128_pd(zz, 1));
    _mm_storeu_pd(xyz, _mm_add_pd(_mm_loadu_pd(p), moved_xy));
    _mm_store_sd(xyz + 2, _mm_add_sd(_mm_load_sd(p + 2), moved_z));
}

// Two vertices at once, because each is a chain of additions.
void shl_skinned_eval_avx2(const shl_skinned *model, const double *maps, const uint32_t *rows,
                           uint32_t count, double *xyz)
{
    const __m256d zero = _mm256_setzero_pd();
    for (uint32_t i = 0; i < count; i += 2, xyz += 6) {
        const bool two = i + 1 < count;
        const uint32_t a = rows[i], b = rows[two ? i + 1 : i];
        uint32_t at_a = model->weight_begin[a], at_b = model->weight_begin[b];
        const uint32_t end_a = model->weight_begin[a + 1], end_b = model->weight_begin[b + 1];
        sums of_a = {zero, zero, zero}, of_b = of_a;
        while (at_a < end_a && at_b < end_b) {
            blend(model, maps, at_a++, &of_a);
            blend(model, maps, at_b++, &of_b);
        }
        while (at_a < end_a)
            blend(model, maps, at_a++, &of_a);
        while (at_b < end_b)
            blend(model, maps, at_b++, &of_b);
        finish(model->rest + 3 * (size_t)a, &of_a, xyz);
        if (two)
            finish(model->rest + 3 * (size_t)b, &of_b, xyz + 3);
    }
}
