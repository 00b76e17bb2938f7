// SPDX-License-Identifier: MIT
// World boxes of a node's children from bounds that hold for any q: what `open` does for a
// reduced body.
#ifndef SHL_KERNELS_REDUCED_OPEN_H
#define SHL_KERNELS_REDUCED_OPEN_H

#include "layouts/reduced.h"

// For every field j in turn, with s = ready->share and a child's rows from `block`:
//
//   all       m = c + sum s_j u_j,  w = T m
//   spheres   half_k = (r + sum |s_j| d_j) stretch
//   boxes     half = |T| (h + sum |s_j| d_j)
//   affine    half = |T (I + sum s_j G_j)| h + (sum |s_j| d_j) stretch
//
// and the box is [lo + (w - half), hi + (w + half)], lo and hi being those of `ready`. All in
// float32 but the last addition, which is float64 and rounded to the nearest.
//
//   reads    block[0, block_floats), *ready
//   writes   *out, all lanes; those from `count` on empty
//   equal    exact: terms are added in the order of the fields
//   cost     a load, a multiplication and an addition a row of a field; bound by loads
//
// The rows contain the node's rest positions and fields (layouts/reduced.h), so in exact
// arithmetic the boxes contain the vertices. Rounding is covered by lo and hi alone. Let u =
// 2^-24, S = reach + sum field_reach_j |q_j| and M fields. With the limits that the builder
// keeps, |u_j| <= 3 field_reach_j, |G_j| h <= 2 field_reach_j and d_j <= 5.2 field_reach_j for
// affine bounds, no coordinate of m and (I + H) h exceeds 3 S and no radius 5.2 S; for boxes
// and spheres it is S, 2 S and 3.5 S. A sum of M + 1 products passes M + 2 roundings, one more
// for that of q, and T, whose rows have the length 1 but for rounding, adds four and a factor
// of sqrt 3. Centre and half together are thus off by less than SHL_SLACK[bounds] (M + 10) u S;
// the last rounding adds u times the coordinate itself; what underflows is below
// 2^-136 (1 + S + sum field_reach_j). The vertex evaluator's own error, some 2^-53 (M + 6) S,
// is lost in it.
typedef void shl_reduced_open_fn(const float *block, uint32_t field_count,
                                 const shl_reduced_ready *ready, uint32_t count,
                                 shl_block *out);
shl_reduced_open_fn shl_reduced_spheres_ref, shl_reduced_spheres_avx2;
shl_reduced_open_fn shl_reduced_boxes_ref, shl_reduced_boxes_avx2;
shl_reduced_open_fn shl_reduced_affine_ref, shl_reduced_affine_avx2;

static const double SHL_SLACK[SHL_BOUNDS_COUNT] = {6, 6, 16};

// What float32 can do: beyond it a body has one box for all its nodes.
#define SHL_REDUCED_MAX 1e30    // S
#define SHL_REDUCED_Q_MAX 1e15  // |q_j|; also for entries of G
#define SHL_REDUCED_AT_MAX 1e37 // |t|

#endif
