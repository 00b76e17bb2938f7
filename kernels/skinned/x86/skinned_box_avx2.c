// SPDX-License-Identifier: MIT
// Sixteen registers.
enum { AXES = 1, AT_ONCE = 3 };
#include "kernels/skinned/x86/skinned_box_lanes.h"

void shl_points_root_avx2(const shl_points *m, const shl_points_ready *r, float *scratch,
                          shl_box *out)
{
    points_root(m, r, scratch, out);
}
