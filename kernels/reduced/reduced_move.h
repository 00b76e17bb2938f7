// SPDX-License-Identifier: MIT
// World boxes of a node's children from boxes that were made for another state: the update of
// James & Pai 2004 (3.5), whose price does not depend on the number of fields.
#ifndef SHL_KERNELS_REDUCED_REDUCED_MOVE_H
#define SHL_KERNELS_REDUCED_REDUCED_MOVE_H

#include "layouts/models/reduced.h"

// `from` holds boxes of the children, not turned and not moved, for coordinates q' at a
// distance of at most `away` from q. No vertex below child k moves farther than
// delta[k] |q - q'|. With m and h the middle and the half of a box of `from`:
//
//   e      = delta away stretch
//   half_k = |T|_k h + (e + 2^-20 (|m|_1 + |h|_1 + e))
//
// and the box is [base + (lo + (T m - half)), base + (hi + (T m + half))] with the members of
// `ready`. All in float32.
//
//   reads    *from, delta[0, SHL_LANES), *ready but its shares
//   writes   *out, all lanes; those from `count` on empty
//   equal    exact
//
// m, h, T, two sums of three products, e and w -+ half take fewer than 14 roundings of numbers
// that are at most |m|_1 + |h|_1 + e; 16 are added. Adding lo, hi and base, and the vertex
// evaluator's own error, are covered by lo and hi as in reduced_open.h.
typedef void shl_reduced_move_fn(const shl_block *from, const float *delta, float away,
                                 const shl_reduced_ready *ready, uint32_t count,
                                 shl_block *out);
shl_reduced_move_fn shl_reduced_move_ref, shl_reduced_move_avx2;

#endif
