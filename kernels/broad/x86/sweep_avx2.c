// SPDX-License-Identifier: MIT
#include "kernels/broad/sweep.h"

#include <immintrin.h>

uint32_t shl_sweep_avx2(const shl_sorted_boxes *boxes, uint32_t i, uint32_t *out)
{
    __m256 lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = _mm256_set1_ps(boxes->lo[k][i]);
        hi[k] = _mm256_set1_ps(boxes->hi[k][i]);
    }
    uint32_t count = 0;
    for (uint32_t j = i + 1; j < boxes->count; j += 8) {
        const __m256 start =
            _mm256_cmp_ps(_mm256_loadu_ps(boxes->lo[0] + j), hi[0], _CMP_LE_OQ);
        __m256 all = start;
        all = _mm256_and_ps(
            all, _mm256_cmp_ps(_mm256_loadu_ps(boxes->hi[0] + j), lo[0], _CMP_GE_OQ));
        for (int k = 1; k < 3; k++) {
            const __m256 l = _mm256_loadu_ps(boxes->lo[k] + j);
            const __m256 h = _mm256_loadu_ps(boxes->hi[k] + j);
            all = _mm256_and_ps(all, _mm256_cmp_ps(l, hi[k], _CMP_LE_OQ));
            all = _mm256_and_ps(all, _mm256_cmp_ps(h, lo[k], _CMP_GE_OQ));
        }
        uint32_t hits = (uint32_t)_mm256_movemask_ps(all);
        if (boxes->count - j < 8) // an unbounded box reaches even the empty rows past the end
            hits &= (1u << (boxes->count - j)) - 1;
        for (; hits; hits &= hits - 1)
            out[count++] = j + (uint32_t)__builtin_ctz(hits);
        if (_mm256_movemask_ps(start) != 0xff) // sorted: nothing further starts in time
            break;
    }
    return count;
}
