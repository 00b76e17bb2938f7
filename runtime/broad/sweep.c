// SPDX-License-Identifier: MIT
// Boxes sorted along the axis on which they spread most; each is tested against those that
// begin before it ends.
#include "layouts/radix.h"
#include "runtime/broad/broad.h"

#include <math.h>

enum { ROWS = 64 }; // a portion

// The axis along which box centres spread most; a pure function of the boxes. The pairs found
// do not depend on it.
static int widest_axis(const shl_broad *b)
{
    const shl_box *boxes = shl_broad_boxes(b);
    double best = -1;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double sum = 0, squares = 0, n = 0;
        for (uint32_t i = 0; i < b->rows; i++) {
            const double c = 0.5 * boxes[i].lo[k] + 0.5 * boxes[i].hi[k];
            if (!shl_broad_live(&boxes[i]) || !isfinite(c))
                continue;
            sum += c;
            squares += c * c;
            n++;
        }
        const double variance = n > 0 ? squares / n - sum / n * (sum / n) : 0;
        if (variance > best) {
            best = variance;
            axis = k;
        }
    }
    return axis;
}

shoal_status shl_broad_sweep(shl_broad *b)
{
    const shl_box *boxes = shl_broad_boxes(b);
    const size_t rows = ((size_t)b->live + 8 + 15) / 16 * 16;
    shoal_status st = SHL_RESERVE(b->allocator, {&b->columns, 6 * rows * sizeof(float)},
                                  {&b->ids, rows * sizeof(uint32_t)},
                                  {&b->keys, 2 * rows * sizeof(uint64_t)});
    if (st == SHOAL_OK)
        st = shl_broad_expect(b, b->live, ROWS, rows * sizeof(uint32_t));
    if (st != SHOAL_OK)
        return st;
    const int axis = widest_axis(b);
    uint64_t *keys = b->keys.data;
    uint32_t n = 0, *ids = b->ids.data;
    for (uint32_t i = 0; i < b->rows; i++) {
        if (shl_broad_live(&boxes[i]))
            keys[n++] = (uint64_t)shl_ordered_bits(boxes[i].lo[axis]) << 32 | i;
    }
    shl_radix_sort(keys, keys + rows, n, 32);
    for (uint32_t i = 0; i < n; i++)
        ids[i] = (uint32_t)keys[i];
    for (int k = 0; k < 3; k++) { // the sorted axis comes first
        const int from = (axis + k) % 3;
        float *lo = (float *)b->columns.data + 2 * (size_t)k * rows, *hi = lo + rows;
        for (uint32_t i = 0; i < n + 8; i++) {
            lo[i] = i < n ? boxes[ids[i]].lo[from] : INFINITY;
            hi[i] = i < n ? boxes[ids[i]].hi[from] : -INFINITY;
        }
        b->sorted.lo[k] = lo;
        b->sorted.hi[k] = hi;
    }
    b->sorted.count = n;
    return SHOAL_OK;
}
