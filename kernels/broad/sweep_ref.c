// SPDX-License-Identifier: MIT
#include "kernels/broad/sweep.h"

uint32_t shl_sweep_ref(const shl_sorted_boxes *boxes, uint32_t i, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t j = i + 1; j < boxes->count && boxes->lo[0][j] <= boxes->hi[0][i]; j++) {
        bool overlap = boxes->hi[0][j] >= boxes->lo[0][i];
        for (int k = 1; k < 3; k++)
            overlap = overlap && boxes->lo[k][j] <= boxes->hi[k][i] &&
                      boxes->lo[k][i] <= boxes->hi[k][j];
        if (overlap)
            out[count++] = j;
    }
    return count;
}
