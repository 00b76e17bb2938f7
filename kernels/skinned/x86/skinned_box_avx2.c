// SPDX-License-Identifier: MIT
// Sixteen registers.
enum { AXES = 1, AT_ONCE = 3 };
#include "kernels/skinned/x86/skinned_box_lanes.h"

void shl_skinned_box_avx2(const shl_skinned *m, const shl_skinned_ready *r, float *scratch,
                          shl_box *out)
{
    skinned_box(m, r, scratch, out);
}
