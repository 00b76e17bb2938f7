// SPDX-License-Identifier: MIT
#include "kernels/boxes/block_join.h"

#include <immintrin.h>

// Two registers become one whose halves hold, for four of eight columns, the less of two
// elements; after three rounds each element is the least of a column. The order of the columns
// comes out right.
#define FOLD(name, op)                                                                         \
    static inline __m256 name(const float *columns[SHL_LANES])                                 \
    {                                                                                          \
        __m256 two[4], four[2];                                                                \
        for (int i = 0; i < 4; i++) {                                                          \
            const __m256 a = _mm256_load_ps(columns[2 * i]);                                   \
            const __m256 b = _mm256_load_ps(columns[2 * i + 1]);                               \
            two[i] = op(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));                   \
        }                                                                                      \
        for (int i = 0; i < 2; i++) {                                                          \
            const __m256 a = two[2 * i], b = two[2 * i + 1];                                   \
            four[i] = op(_mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 1, 0)),                     \
                         _mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 2, 3, 2)));                    \
        }                                                                                      \
        return op(_mm256_permute2f128_ps(four[0], four[1], 0x20),                              \
                  _mm256_permute2f128_ps(four[0], four[1], 0x31));                             \
    }

FOLD(least, _mm256_min_ps)
FOLD(most, _mm256_max_ps)

void shl_block_join_avx2(const shl_block *children, uint32_t count, shl_block *out)
{
    const __m256 unused = _mm256_castsi256_ps(_mm256_cmpgt_epi32(
        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)count - 1)));
    const __m256 above = _mm256_set1_ps(__builtin_inff());
    const __m256 below = _mm256_set1_ps(-__builtin_inff());
    for (int k = 0; k < 3; k++) {
        const float *lo[SHL_LANES], *hi[SHL_LANES];
        for (uint32_t i = 0; i < SHL_LANES; i++) { // missing ones repeat the last
            const shl_block *child = children + (i < count ? i : count - 1);
            lo[i] = child->lo[k];
            hi[i] = child->hi[k];
        }
        _mm256_store_ps(out->lo[k], _mm256_blendv_ps(least(lo), above, unused));
        _mm256_store_ps(out->hi[k], _mm256_blendv_ps(most(hi), below, unused));
    }
}
