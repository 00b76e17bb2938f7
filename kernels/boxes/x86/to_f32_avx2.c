// SPDX-License-Identifier: MIT
#include "kernels/boxes/to_f32.h"

#include <immintrin.h>

// Four vertices are three registers, in which the axes take turns.
void shl_to_f32_avx2(const double *xyz, uint32_t count, const double origin[3], float *out)
{
    const double x = origin[0], y = origin[1], z = origin[2];
    const __m256d from[3] = {_mm256_setr_pd(x, y, z, x), _mm256_setr_pd(y, z, x, y),
                             _mm256_setr_pd(z, x, y, z)};
    for (uint32_t i = 0; i < count; i += 4, xyz += 12, out += 12) {
        for (int k = 0; k < 3; k++)
            _mm_storeu_ps(out + 4 * k, _mm256_cvtpd_ps(_mm256_sub_pd(
                                           _mm256_loadu_pd(xyz + 4 * k), from[k])));
    }
}
