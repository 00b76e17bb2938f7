// SPDX-License-Identifier: MIT
// Slanted boxes of a node's children, and which pairs of them a plane parts: flat pieces of
// surface that lie askew have boxes that overlap long before they do.
#ifndef SHL_KERNELS_REDUCED_REDUCED_SLANT_H
#define SHL_KERNELS_REDUCED_REDUCED_SLANT_H

#include "kernels/boxes/block_pairs.h"
#include "layouts/models/reduced.h"

// One lane a child. Every vertex below it is c + x_0 e_0 + x_1 e_1 + x_2 e_2 + y with |x_i| <=
// 1 and |y| <= r. The normal n is that of the two longer edges, of length 1 or 0, and |n . (v -
// c)| <= s for all of these vertices v.
typedef struct shl_slants {
    _Alignas(64) float c[3][SHL_LANES];
    float e[3][3][SHL_LANES]; // [edge][axis]
    float r[SHL_LANES];
    float n[3][3][SHL_LANES]; // [normal][axis]
    float s[3][SHL_LANES];
} shl_slants;

// As the affine body of shl_reduced_open_fn, whose A = T (I + sum s_j G_j) it keeps:
//
//   c = base + (mid + w),  e_i = h_i (column i of A),  u = 2^-24
//   r = (1 + 2^-14) ((rest + 1.7320509 slack) + 2^-20 sum |e|)
//   n_i = normal of e_j and e_k,  s_i = sum |n_i . e_l| + r
//
// with mid = (hi + lo) / 2, slack = max (hi - lo) / 2 of `ready` and rest = (sum |s_j| d_j)
// stretch.
//
//   writes   *out as the affine body, *slants
//   equal    exact
//
// Why it holds in floating point. kernels/reduced/reduced_open.h bounds all errors of w,
// |A| h and rest along an axis by the slack of that axis together, so what c and the e_i lack
// is a vector shorter than sqrt 3 slack. T may lengthen a vector by some 1e-6 more than its
// rows say: 2^-14 covers that, and the roundings of r. Rounding takes at most 5 u |n| |e_i|
// from n . e_i, which 2^-20 sum |e| covers, and what underflows is far below slack.
typedef void shl_reduced_slant_fn(const float *block, uint32_t field_count,
                                  const shl_reduced_ready *ready, uint32_t count,
                                  shl_block *out, shl_slants *slants);
shl_reduced_slant_fn shl_reduced_slant_ref, shl_reduced_slant_avx2;

// Keeps those of `count` pairs of lanes, named first_a + lane and first_b + lane, that the
// normals of neither lane part. With D = c_b - c_a, a normal of a parts them if
//
//   |n_a . D| > (1 + 2^-18) (sum |n_a . e_bi| + (s_a + r_b)) + 2^-20 |D|_1
//
// and one of b likewise. The last term is more than rounding can add to |n . D|, the factor
// more than it can take from the sum: pairs that share a point are always kept.
//
//   reads    *a, *b, pairs[0, count); up to 7 rows more may be read
//   writes   pairs[0, returned), in order
//   equal    exact
typedef uint32_t shl_slant_filter_fn(const shl_slants *a, const shl_slants *b, uint32_t first_a,
                                     uint32_t first_b, shl_node_pair *pairs, uint32_t count);
shl_slant_filter_fn shl_slant_filter_ref, shl_slant_filter_avx2;

#define SHL_SLANT_ROUND 0x1p-20f        // of |D|, and of edges
#define SHL_SLANT_GROW (1 + 0x1p-18f)   // of a sum of distances
#define SHL_SLANT_RADIUS (1 + 0x1p-14f) //
#define SHL_SLANT_LEAST 0x1p-80f        // square of a normal's length before it is made 1
#define SHL_SLANT_EDGE_LEAST 0x1p-100f  // no normal below it
#define SHL_SLANT_SLACK 1.7320509f      // sqrt 3, rounded up

#endif
