// SPDX-License-Identifier: MIT
// The same lanes, in thirty-two registers.
enum { AT_ONCE = 6 };
#include "kernels/skinned/x86/skinned_open_lanes.h"

void shl_skinned_open_avx512(const shl_skinned *model, uint32_t block,
                             const shl_skinned_ready *ready, uint32_t count, float *scratch,
                             shl_block *out)
{
    skinned_open(model, block, ready, count, scratch, out);
}
