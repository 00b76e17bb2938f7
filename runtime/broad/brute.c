// SPDX-License-Identifier: MIT
// Every box against every other.
#include "runtime/broad/broad.h"

shoal_status shl_broad_brute(shl_broad *b)
{
    const shl_box *boxes = shl_broad_boxes(b);
    size_t n = 0;
    for (uint32_t a = 0; a < b->rows; a++) {
        // at most that many more
        shoal_status st = shl_array_reserve(&b->pairs, (n + b->rows - a) * sizeof(uint64_t),
                                            n * sizeof(uint64_t), b->allocator);
        if (st != SHOAL_OK)
            return st;
        if (!shl_broad_live(&boxes[a]))
            continue;
        uint64_t *pairs = b->pairs.data;
        for (uint32_t c = a + 1; c < b->rows; c++) {
            pairs[n] = (uint64_t)a << 32 | c;
            n += shl_broad_live(&boxes[c]) && shl_broad_overlap(&boxes[a], &boxes[c]);
        }
    }
    b->pair_count = n;
    return n > UINT32_MAX ? SHOAL_ERR_LIMIT : SHOAL_OK;
}
