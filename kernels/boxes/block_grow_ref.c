// SPDX-License-Identifier: MIT
#include "kernels/boxes/block_grow.h"

void shl_block_grow_ref(const shl_block *block, float margin, shl_block *out)
{
    for (int k = 0; k < 3; k++) {
        for (int lane = 0; lane < SHL_LANES; lane++) {
            out->lo[k][lane] = shl_grow_down(block->lo[k][lane], margin);
            out->hi[k][lane] = shl_grow_up(block->hi[k][lane], margin);
        }
    }
}
