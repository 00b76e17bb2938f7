// SPDX-License-Identifier: MIT
// World boxes of a node's children from bounds that hold for any q: what `open` does for a
// reduced body.
#ifndef SHL_KERNELS_REDUCED_REDUCED_OPEN_H
#define SHL_KERNELS_REDUCED_REDUCED_OPEN_H

#include "layouts/models/reduced.h"

// For every field j in turn, with s = ready->share and a child's rows from `block`:
//
//   all       m = c + sum s_j u_j,  w = T m
//   spheres   half_k = (r + sum |s_j| d_j) stretch
//   boxes     half = |T| (h + sum |s_j| d_j)
//   affine    half = |T (I + sum s_j G_j)| h + (sum |s_j| d_j) stretch
//
// and the box is [base + (lo + (w - half)), base + (hi + (w + half))] with base, lo and hi of
// `ready`. All in float32.
//
//   reads    block[0, block_floats), *ready
//   writes   *out, all lanes; those from `count` on empty
//   equal    exact: terms are added in the order of the fields
//   cost     a load, a multiplication and an addition a row of a field; bound by loads
//
// The rows contain the node's rest positions and fields (layouts/models/reduced.h), so in exact
// arithmetic the boxes contain the vertices. Rounding is covered by lo and hi alone. Let u =
// 2^-24, S = extent + sum field_extent_j |q_j| and M fields. With the limits that the builder
// keeps for affine bounds, |u_j| <= 3 field_extent_j, |G_j| h <= 2 field_extent_j and d_j
// <= 5.2 field_extent_j, no coordinate of m and (I + H) h exceeds 3 S and no radius 5.2 S; it
// is S and S for boxes, S and 3.5 S for spheres. A sum of M + 1 products is off by M + 3
// roundings, that of q among them, and T, whose rows have the length 1 but for rounding, adds
// four or eight and a factor of sqrt 3. In units of u S, that is for
//
//   spheres   1.74 (M + 7) + 3.5 (M + 5)
//   boxes     1.74 (M + 7) + 1.74 (M + 7)
//   affine    5.22 (M + 7) + 5.22 (M + 11) + 5.2 (M + 4)
//
// and the last three additions are off by at most 16 S u each, the outermost also by u |t|.
// All together that is less than SHL_SLACK (M + 12) u S + u |t|. What underflows is below
// 2^-136 (1 + S + sum field_extent_j). The vertex evaluator's own error, some 2^-53 (M + 6) S
// + 2^-53 |t|, is lost in the 1 % that is added on top.
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
