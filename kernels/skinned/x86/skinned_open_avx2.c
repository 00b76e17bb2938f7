// SPDX-License-Identifier: MIT
// Sixteen registers.
enum { AT_ONCE = 3 };
#include "kernels/skinned/x86/skinned_open_lanes.h"

void shl_points_open_avx2(const shl_points *model, uint32_t block,
                          const shl_points_ready *ready, uint32_t count, float *scratch,
                          shl_block *out)
{
    points_open(model, block, ready, count, scratch, out);
}
