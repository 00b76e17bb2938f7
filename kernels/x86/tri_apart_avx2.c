// SPDX-License-Identifier: MIT
#include "kernels/tri_apart.h"

uint32_t shl_tri_apart_avx2(const float a[9], const shl_tri_lanes *b, float limit,
                            uint32_t lanes)
{
    return shl_tri_apart_body(a, b, limit, lanes);
}
