// SPDX-License-Identifier: MIT
#include "kernels/boxes/block_grow.h"

#include <immintrin.h>

static inline __m256 grow_down(__m256 lo, __m256 margin)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    const __m256 t = _mm256_sub_ps(lo, margin);
    const __m256 less = _mm256_mul_ps(_mm256_andnot_ps(sign, t), _mm256_set1_ps(0x1p-22f));
    const __m256 empty = _mm256_cmp_ps(lo, _mm256_set1_ps(INFINITY), _CMP_EQ_OQ);
    return _mm256_blendv_ps(_mm256_sub_ps(t, less), lo, empty);
}

void shl_block_grow_avx2(const shl_block *block, float margin, shl_block *out)
{
    const __m256 s = _mm256_set1_ps(margin), sign = _mm256_set1_ps(-0.0f);
    for (int k = 0; k < 3; k++) {
        const __m256 lo = _mm256_load_ps(block->lo[k]), hi = _mm256_load_ps(block->hi[k]);
        _mm256_store_ps(out->lo[k], grow_down(lo, s));
        const __m256 up = grow_down(_mm256_xor_ps(hi, sign), s);
        _mm256_store_ps(out->hi[k], _mm256_xor_ps(up, sign));
    }
}
