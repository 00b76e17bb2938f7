// SPDX-License-Identifier: MIT
// Where the vertices of a reduced body are. Triangle pairs are exact for these numbers.
#ifndef SHL_KERNELS_REDUCED_REDUCED_EVAL_H
#define SHL_KERNELS_REDUCED_REDUCED_EVAL_H

#include "layouts/models/reduced.h"

// The canonical evaluator. In float64, each operation rounded to the nearest and none fused,
// for a vertex with rest position p and fields U_0 to U_{M-1}, along each axis k:
//
//   d_k = (..((p_k + U_0k q_0) + U_1k q_1) + ..) + U_{M-1}k q_{M-1}
//   x_k = ((R_k0 d_0 + R_k1 d_1) + R_k2 d_2) + t_k
//
//   reads    rest and fields of the `count` rows, rotation, translation and q of *ready
//   writes   xyz[0, 3 count)
//   equal    exact
//   cost     3 M multiplications and additions a vertex
//
// `count` is a multiple of 4.
typedef void shl_reduced_eval_fn(const shl_reduced *model, const shl_reduced_ready *ready,
                                 const uint32_t *rows, uint32_t count, double *xyz);
shl_reduced_eval_fn shl_reduced_eval_ref, shl_reduced_eval_avx2;

#endif
