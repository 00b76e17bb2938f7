// SPDX-License-Identifier: MIT
// Triangles of one mesh that have corners in common.
#ifndef SHL_RUNTIME_QUERIES_OVERLAP_SHARED_CORNERS_H
#define SHL_RUNTIME_QUERIES_OVERLAP_SHARED_CORNERS_H

#include "layouts/tree.h"

// Which corners of x and y are the same vertices; at_x[i] and at_y[i] for i below *count.
static inline bool shl_corners_shared(const shl_tri *x, const shl_tri *y, uint8_t at_x[3],
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

#endif
