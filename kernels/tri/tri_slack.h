// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_TRI_TRI_SLACK_H
#define SHL_KERNELS_TRI_TRI_SLACK_H

#include "kernels/tri/tri_overlap.h"

// How far triangles may move before they can touch: while no coordinate of pair i's triangles
// has moved by more than Da and Db, and Da + Db < slack[i], they share no point. 0: they may
// touch now, or nothing better is known.
//
//   reads    pairs[0, count), corners of the named triangles, which are finite
//   writes   slack[0, count)
//   equal    exact
//
// Three box axes and two normals are tried. For any vector n a gap of the projections n.x
// closes by at most |n|1 (Da + Db), so gap / |n|1 is a slack; n need not be a true normal.
// With all coordinates taken from one corner and R the largest of them, a computed n.d is off
// by less than 5 e |n|1 R (e = 2^-53), a gap by 10 e |n|1 R and the quotient by 3 e of itself:
// 2^-48 R and 2^-50 of the slack are taken off. Where products could overflow or underflow, the
// slack is 0.
typedef void shl_tri_slack_fn(const shl_tri_side *a, const shl_tri_side *b,
                              const shl_tri_pair *pairs, uint32_t count, float *slack);
shl_tri_slack_fn shl_tri_slack_ref, shl_tri_slack_avx2;

#define SHL_SLACK_MOST 1e75      // larger coordinates could overflow
#define SHL_SLACK_LEAST 1e-30    // smaller slacks are none: floats end soon below
#define SHL_SLACK_PRODUCT 1e-290 // smaller |n|1 R: products could underflow

#endif
