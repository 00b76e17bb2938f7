// SPDX-License-Identifier: MIT
#include "kernels/boxes/block_merge.h"

#include <immintrin.h>

void shl_block_merge_avx2(const shl_block *block, shl_box *out)
{
    __m128 lo[4], hi[4];
    for (int k = 0; k < 3; k++) {
        lo[k] = _mm_min_ps(_mm_load_ps(&block->lo[k][0]), _mm_load_ps(&block->lo[k][4]));
        hi[k] = _mm_max_ps(_mm_load_ps(&block->hi[k][0]), _mm_load_ps(&block->hi[k][4]));
    }
    lo[3] = lo[2];
    hi[3] = hi[2];
    _MM_TRANSPOSE4_PS(lo[0], lo[1], lo[2], lo[3]);
    _MM_TRANSPOSE4_PS(hi[0], hi[1], hi[2], hi[3]);
    float l[4], h[4];
    _mm_storeu_ps(l, _mm_min_ps(_mm_min_ps(lo[0], lo[1]), _mm_min_ps(lo[2], lo[3])));
    _mm_storeu_ps(h, _mm_max_ps(_mm_max_ps(hi[0], hi[1]), _mm_max_ps(hi[2], hi[3])));
    *out = (shl_box){{l[0], l[1], l[2]}, {h[0], h[1], h[2]}};
}
