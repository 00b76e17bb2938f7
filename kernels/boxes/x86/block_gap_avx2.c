// SPDX-License-Identifier: MIT
#include "kernels/boxes/block_gap.h"

#include <immintrin.h>

static inline __m256 square_along(const shl_box *box, const shl_block *block, int k)
{
    const __m256 above =
        _mm256_sub_ps(_mm256_load_ps(block->lo[k]), _mm256_set1_ps(box->hi[k]));
    const __m256 below =
        _mm256_sub_ps(_mm256_set1_ps(box->lo[k]), _mm256_load_ps(block->hi[k]));
    const __m256 gap = _mm256_max_ps(_mm256_max_ps(above, below), _mm256_setzero_ps());
    return _mm256_mul_ps(gap, gap);
}

void shl_block_gap_avx2(const shl_box *box, const shl_block *block, float gap[SHL_LANES])
{
    const __m256 xy = _mm256_add_ps(square_along(box, block, 0), square_along(box, block, 1));
    _mm256_storeu_ps(gap, _mm256_add_ps(xy, square_along(box, block, 2)));
}
