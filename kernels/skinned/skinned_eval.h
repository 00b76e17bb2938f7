// SPDX-License-Identifier: MIT
// Where the vertices of a body of kind points are. Triangle pairs are exact for these numbers.
#ifndef SHL_KERNELS_SKINNED_SKINNED_EVAL_H
#define SHL_KERNELS_SKINNED_SKINNED_EVAL_H

#include "layouts/models/skinned.h"

// The canonical evaluator. In float64, each operation rounded to the nearest and none fused,
// for a vertex with rest position p and weights w_0 to w_{m-1} of points j_0 to j_{m-1}, along
// each axis k, where G and s stand for a point's map (include/shoal/skinned.h):
//
//   g_kl = (..((0 + w_0 G_j0kl) + w_1 G_j1kl) + ..) + w_{m-1} G_j{m-1}kl, and so s_k
//   x_k  = p_k + ((g_k0 p_0 + g_k1 p_1) + (g_k2 p_2 + s_k))
//
//   reads    rest and weights of the `count` rows, `maps`
//   writes   xyz[0, 3 count)
//   equal    exact
//   cost     12 multiplications and additions a weight
//
// `maps` has 12 numbers a point: G_k0 G_k1 G_k2 s_k for each axis.
typedef void shl_skinned_eval_fn(const shl_skinned *model, const double *maps,
                                 const uint32_t *rows, uint32_t count, double *xyz);
shl_skinned_eval_fn shl_skinned_eval_ref, shl_skinned_eval_avx2;

#endif
