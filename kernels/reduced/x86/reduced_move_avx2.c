// SPDX-License-Identifier: MIT
#include "kernels/reduced/reduced_move.h"

#include <immintrin.h>

static inline __m256 magnitude(__m256 v)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
}

static inline __m256 dot(__m256 ax, __m256 ay, __m256 az, const __m256 b[3])
{
    return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(ax, b[0]), _mm256_mul_ps(ay, b[1])),
                         _mm256_mul_ps(az, b[2]));
}

void shl_reduced_move_avx2(const shl_block *from, const float *delta, float away,
                           const shl_reduced_ready *ready, uint32_t count, shl_block *out)
{
    __m256 m[3], h[3], size[3];
    for (int k = 0; k < 3; k++) {
        const __m256 lo = _mm256_load_ps(from->lo[k]), hi = _mm256_load_ps(from->hi[k]);
        m[k] = _mm256_mul_ps(_mm256_set1_ps(0.5f), _mm256_add_ps(lo, hi));
        h[k] = _mm256_max_ps(_mm256_sub_ps(hi, m[k]), _mm256_sub_ps(m[k], lo));
        size[k] = _mm256_add_ps(magnitude(m[k]), h[k]);
    }
    const __m256 e = _mm256_mul_ps(_mm256_mul_ps(_mm256_loadu_ps(delta), _mm256_set1_ps(away)),
                                   _mm256_set1_ps(ready->stretch));
    const __m256 all = _mm256_add_ps(_mm256_add_ps(size[0], size[1]), size[2]);
    const __m256 pad =
        _mm256_add_ps(e, _mm256_mul_ps(_mm256_set1_ps(0x1p-20f), _mm256_add_ps(all, e)));
    const __m256i empty = _mm256_cmpgt_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                             _mm256_set1_epi32((int)count - 1));
    const __m256 none = _mm256_castsi256_ps(empty), most = _mm256_set1_ps(__builtin_inff());
    for (int k = 0; k < 3; k++) {
        const __m256 x = _mm256_set1_ps(ready->turn[3 * k]),
                     y = _mm256_set1_ps(ready->turn[3 * k + 1]),
                     z = _mm256_set1_ps(ready->turn[3 * k + 2]),
                     base = _mm256_set1_ps(ready->base[k]);
        const __m256 w = dot(x, y, z, m);
        const __m256 half =
            _mm256_add_ps(dot(magnitude(x), magnitude(y), magnitude(z), h), pad);
        const __m256 lo = _mm256_add_ps(
            base, _mm256_add_ps(_mm256_set1_ps(ready->lo[k]), _mm256_sub_ps(w, half)));
        const __m256 hi = _mm256_add_ps(
            base, _mm256_add_ps(_mm256_set1_ps(ready->hi[k]), _mm256_add_ps(w, half)));
        _mm256_store_ps(out->lo[k], _mm256_blendv_ps(lo, most, none));
        _mm256_store_ps(out->hi[k],
                        _mm256_blendv_ps(hi, _mm256_sub_ps(_mm256_setzero_ps(), most), none));
    }
}
