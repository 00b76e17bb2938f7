// SPDX-License-Identifier: MIT
// Eight boxes against eight, all at once.
#ifndef SHL_KERNELS_BOXES_X86_LANE_MASK_AVX512_H
#define SHL_KERNELS_BOXES_X86_LANE_MASK_AVX512_H

#include "layouts/tree.h"

#include <immintrin.h>

// Lanes 2 i and 2 i + 1 of eight, eight times each.
static inline __attribute__((always_inline)) __m512 shl_two_lanes(const float *lanes, int i)
{
    const __m512i first = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m512i which = _mm512_add_epi32(first, _mm512_set1_epi32(2 * i));
    return _mm512_permutexvar_ps(which, _mm512_castps256_ps512(_mm256_load_ps(lanes)));
}

static inline __attribute__((always_inline)) __m512 shl_twice(const float *lanes)
{
    return _mm512_broadcast_f32x8(_mm256_load_ps(lanes));
}

// Bit 8 i + j: lane i of a overlaps lane j of b.
static inline __attribute__((always_inline)) uint64_t shl_lane_mask(const shl_block *a,
                                                                    const shl_block *b)
{
    const __m512 lo[3] = {shl_twice(b->lo[0]), shl_twice(b->lo[1]), shl_twice(b->lo[2])};
    const __m512 hi[3] = {shl_twice(b->hi[0]), shl_twice(b->hi[1]), shl_twice(b->hi[2])};
    __mmask16 part[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        // two chains, so that neither is long
        __mmask16 m = _mm512_cmp_ps_mask(lo[0], shl_two_lanes(a->hi[0], i), _CMP_LE_OQ);
        __mmask16 n = _mm512_cmp_ps_mask(hi[0], shl_two_lanes(a->lo[0], i), _CMP_GE_OQ);
        for (int k = 1; k < 3; k++) {
            m = _mm512_mask_cmp_ps_mask(m, lo[k], shl_two_lanes(a->hi[k], i), _CMP_LE_OQ);
            n = _mm512_mask_cmp_ps_mask(n, hi[k], shl_two_lanes(a->lo[k], i), _CMP_GE_OQ);
        }
        part[i] = _kand_mask16(m, n);
    }
    const __mmask32 low = _mm512_kunpackw(part[1], part[0]);
    const __mmask32 high = _mm512_kunpackw(part[3], part[2]);
    return _cvtmask64_u64(_mm512_kunpackd(high, low));
}

// Bits 8 i + j with j > i.
static const uint64_t shl_lanes_above = 0x0080c0e0f0f8fcfeu;

#endif
