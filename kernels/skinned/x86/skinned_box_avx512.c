// SPDX-License-Identifier: MIT
// The same lanes, in thirty-two registers.
enum { AXES = 3, AT_ONCE = 6 };
#include "kernels/skinned/x86/skinned_box_lanes.h"

void shl_points_root_avx512(const shl_points *m, const shl_points_ready *r, float *scratch,
                            shl_box *out)
{
    points_root(m, r, scratch, out);
}
