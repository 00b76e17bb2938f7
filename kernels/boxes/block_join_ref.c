// SPDX-License-Identifier: MIT
#include "kernels/boxes/block_join.h"

#include <math.h>

void shl_block_join_ref(const shl_block *children, uint32_t count, shl_block *out)
{
    for (uint32_t i = 0; i < SHL_LANES; i++) {
        for (int k = 0; k < 3; k++) {
            float lo = INFINITY, hi = -INFINITY;
            for (int lane = 0; lane < SHL_LANES && i < count; lane++) {
                lo = children[i].lo[k][lane] < lo ? children[i].lo[k][lane] : lo;
                hi = children[i].hi[k][lane] > hi ? children[i].hi[k][lane] : hi;
            }
            out->lo[k][i] = lo;
            out->hi[k][i] = hi;
        }
    }
}
