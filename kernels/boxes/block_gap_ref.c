// SPDX-License-Identifier: MIT
#include "kernels/boxes/block_gap.h"

// As the vector instructions do it: the second if one is NaN.
static float larger(float x, float y)
{
    return x > y ? x : y;
}

void shl_block_gap_ref(const shl_box *box, const shl_block *block, float gap[SHL_LANES])
{
    for (int lane = 0; lane < SHL_LANES; lane++) {
        float g[3];
        for (int k = 0; k < 3; k++) {
            const float above = block->lo[k][lane] - box->hi[k];
            const float below = box->lo[k] - block->hi[k][lane];
            g[k] = larger(larger(above, below), 0);
        }
        gap[lane] = (g[0] * g[0] + g[1] * g[1]) + g[2] * g[2];
    }
}
