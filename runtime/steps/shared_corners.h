// SPDX-License-Identifier: MIT
// Corners of triangles: where they are, and which two triangles of one mesh have in common.
#ifndef SHL_RUNTIME_STEPS_SHARED_CORNERS_H
#define SHL_RUNTIME_STEPS_SHARED_CORNERS_H

#include "kernels/tri_overlap.h"

static inline bool corners_shared(const shl_tri *x, const shl_tri *y, uint8_t at_x[3],
                                  uint8_t at_y[3], uint32_t *count)
{
    *count = 0;
    for (uint8_t i = 0; i < 3; i++) {
        bool seen = false; // a triangle may name a vertex twice
        for (uint8_t k = 0; k < i; k++)
            seen |= x->v[k] == x->v[i];
        for (uint8_t j = 0; j < 3 && !seen; j++) {
            if (x->v[i] != y->v[j])
                continue;
            at_x[*count] = i;
            at_y[*count] = j;
            ++*count;
            break;
        }
    }
    return *count > 0;
}

static inline void corners(const shl_tri_side *side, uint32_t row, double out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const size_t at = 3 * (size_t)side->tri[row].v[i] + (size_t)k;
            out[3 * i + k] = side->scalar == SHOAL_F32 ? (double)((const float *)side->xyz)[at]
                                                       : ((const double *)side->xyz)[at];
        }
    }
}

#endif
