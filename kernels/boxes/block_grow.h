// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_BOXES_BLOCK_GROW_H
#define SHL_KERNELS_BOXES_BLOCK_GROW_H

#include "layouts/tree.h"

#include <math.h>

// Boxes grown by `margin` on every side, rounded outwards. `margin` is >= 0 and may be
// infinite.
//
//   reads    *block
//   writes   *out, which may be *block
//   equal    exact; empty lanes stay empty, infinite ends stay infinite
//
// A box inside another one stays inside it when both are grown, as shl_grow_down() never
// decreases where its argument increases.
typedef void shl_block_grow_fn(const shl_block *block, float margin, shl_block *out);
shl_block_grow_fn shl_block_grow_ref, shl_block_grow_avx2;

// At most lo - margin. The subtraction is off by half a unit of its last place, 2^-24 of
// its value; taking 2^-22 of it away leaves room for the rounding of that step too. Differences
// so small that the product underflows are exact.
static inline float shl_grow_down(float lo, float margin)
{
    const float t = lo - margin;
    return lo == INFINITY ? lo : t - fabsf(t) * 0x1p-22f; // +inf: an empty lane
}

// At least hi + margin.
static inline float shl_grow_up(float hi, float margin)
{
    return -shl_grow_down(-hi, margin);
}

static inline void shl_grow_box(shl_box *box, float margin)
{
    for (int k = 0; k < 3; k++) {
        box->lo[k] = shl_grow_down(box->lo[k], margin);
        box->hi[k] = shl_grow_up(box->hi[k], margin);
    }
}

#endif
