// SPDX-License-Identifier: MIT
#include "kernels/boxes/to_f32.h"

#include <stddef.h>

void shl_to_f32_ref(const double *xyz, uint32_t count, const double origin[3], float *out)
{
    for (size_t i = 0; i < 3 * (size_t)count; i++)
        out[i] = (float)(xyz[i] - origin[i % 3]);
}
