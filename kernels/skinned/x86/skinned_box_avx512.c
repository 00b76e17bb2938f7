// SPDX-License-Identifier: MIT
// The same lanes, in thirty-two registers.
enum { AXES = 3, AT_ONCE = 6 };
#include "kernels/skinned/x86/skinned_box_lanes.h"

void shl_skinned_box_avx512(const shl_skinned *m, const shl_skinned_ready *r, float *scratch,
                            shl_box *out)
{
    skinned_box(m, r, scratch, out);
}
