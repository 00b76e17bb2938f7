// SPDX-License-Identifier: MIT
#include "kernels/boxes/block_merge.h"

void shl_block_merge_ref(const shl_block *block, shl_box *out)
{
    for (int k = 0; k < 3; k++) {
        float lo = block->lo[k][0], hi = block->hi[k][0];
        for (int lane = 1; lane < SHL_LANES; lane++) {
            lo = block->lo[k][lane] < lo ? block->lo[k][lane] : lo;
            hi = block->hi[k][lane] > hi ? block->hi[k][lane] : hi;
        }
        out->lo[k] = lo;
        out->hi[k] = hi;
    }
}
