// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_BROAD_SWEEP_H
#define SHL_KERNELS_BROAD_SWEEP_H

#include "layouts/tree.h"

// Boxes as columns, sorted by lo[0] ascending. Eight rows past `count` are readable and hold
// lo = +inf, hi = -inf.
typedef struct shl_sorted_boxes {
    const float *lo[3], *hi[3]; // [count + 8]
    uint32_t count;
} shl_sorted_boxes;

// Rows j > i whose box overlaps that of row i (brute force: as many rows as start before it
// ends).
//
//   reads    boxes
//   writes   out[0, returned), ascending; up to count - i + 8 rows may be touched
//   equal    exact
typedef uint32_t shl_sweep_fn(const shl_sorted_boxes *boxes, uint32_t i, uint32_t *out);
shl_sweep_fn shl_sweep_ref, shl_sweep_avx2;

#endif
