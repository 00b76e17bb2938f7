// SPDX-License-Identifier: MIT
// World boxes of a node's children from the maps of the points that act on them: what `open`
// does for a body of kind points.
#ifndef SHL_KERNELS_SKINNED_SKINNED_OPEN_H
#define SHL_KERNELS_SKINNED_SKINNED_OPEN_H

#include "layouts/models/skinned.h"

#define SHL_SKINNED_MAX 1e30    // rest positions, deformed ones relative to base, entries of A
#define SHL_SKINNED_AT_MAX 1e37 // base; beyond both a body has one box for all its nodes

enum { SHL_DUAL_ROUNDS = 2, SHL_KNAPSACK_ROUNDS = 40 };
// Floats of scratch for each point that acts on a node, or for eight points at the root: six
// faces and what a weight may vary by.
enum { SHL_SCRATCH_ROWS = 7, SHL_SCRATCH_FLOATS = SHL_SCRATCH_ROWS * SHL_LANES };

// For each child and each of six faces, with b_j how far point j's map alone takes what it acts
// on, and l_j and h_j its least and largest weight over the child's vertices:
//
//   g(lambda) = lambda + sum l_j (b_j - lambda) + sum (h_j - l_j) max(0, b_j - lambda)
//
//   union      the largest b_j
//   corner     g(the second largest b_j), which is eq. 11 of Steinemann et al. 2007
//   dual       the least of g at SHL_DUAL_ROUNDS lambdas: first what would be right if the b_j
//              were spread evenly, then where the lines meet that are known to be below g
//   knapsack   the same with SHL_KNAPSACK_ROUNDS, which ends in the least of all g
//
// and b_j is, by region,
//
//   boxes        the extent of A_j applied to the child's box at rest, and t_j
//   clipped      the same for its overlap with the box of all that point j acts on
//   directions   the row of A_j as a sum of three of 26 directions, times the child's extents
//                in these, and t_j; or the extent of all that point j acts on, if that is less
//
// All in float32, relative to base; products are added to sums by fma, which rounds once. No
// lambda of an earlier step is used.
//
//   reads    extents and shares of the block, zone, *ready
//   writes   scratch[0, SHL_SCRATCH_FLOATS shares), *out; lanes from `count` on empty
//   equal    exact: terms are added in the order of the shares
//   cost     about 100 operations a share and 40 a round, for eight children
//
// In exact arithmetic the boxes hold the vertices. Let v' = v - middle for a vertex at rest,
// w_j its weights with the sum s, |1 - s| <= off, and a_j = A_j v' + t_j, so that the image of
// v is base + sum w_j a_j + (1 - s)(v - base). As w_j > 0 only where v is among what point j
// acts on, a_j <= b_j along the face wherever it counts; with l_j <= w_j <= h_j,
//
//   sum w_j b_j = s lambda + sum w_j (b_j - lambda) <= g(lambda) + |1 - s| |lambda|
//
// for every lambda. No |a_j| exceeds S = max_j (|A_j| half + |t_j|), `most`, and lambda is kept
// within it; what is beyond S is cut to S, which holds without any lambda, by convexity. So off
// costs at most off (extent + |base| + 2 S).
//
// Rounding, u = 2^-24. A_j, t_j and the parts of a row are off by u each, and the products of a
// row with extents or halves sum to at most S in size, as parts are differences of |entries|
// (|a| - |b|) r_a + (|b| - |c|)(r_a + r_b) + |c| (r_a + r_b + r_c) = |a| r_a + |b| r_b + |c|
// r_c; all in all b_j is off by less than 20 u S, and since sum w_j = s this counts once,
// however many points there are. Weights are multiples of 2^-15 and their sums exact. Of g,
// with m shares: the sum of l_j b_j is off by (m + 2) u S; that of the last terms, which are
// not negative, by (m + 4) u of itself, and it is at most 3 S where g is not cut; the three
// additions by 4 u S. Together that is below (4 m + 40) u S; slack has 48 u S and
// slack_term 4.04 u S for each share. The last addition is off by u (|base| + S), and the
// evaluator by less than `rounding` times `far`, which bounds all numbers that it meets: with n
// weights a sum is off by n 2^-53 of it. What underflows is below 1e-36: middles of boxes lose
// nothing by it, as halves are taken from where they are, and A in float32 at most
// 2^-150 extent, which off covers.
typedef void shl_skinned_open_fn(const shl_skinned *model, uint32_t block,
                                 const shl_skinned_ready *ready, uint32_t count, float *scratch,
                                 shl_block *out);
shl_skinned_open_fn shl_skinned_open_ref, shl_skinned_open_avx2, shl_skinned_open_avx512;

#endif
