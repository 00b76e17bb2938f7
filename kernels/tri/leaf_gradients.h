// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_TRI_LEAF_GRADIENTS_H
#define SHL_KERNELS_TRI_LEAF_GRADIENTS_H

#include "layouts/models/self_cull.h"

#include <shoal/positions.h>

// Bounds of the gradients of a leaf's triangles over the u plane of layouts/models/self_cull.h.
//
//   reads    the leaf's triangles and their vertices, inverse[4 * SHL_LANES]
//   writes   *out; all of it from -INFINITY to INFINITY if a gradient is beyond 2^100
//   equal    exact
//   cost     128 bytes and 24 vertices read
typedef void shl_leaf_gradients_fn(const shl_tree *tree, const void *xyz, shoal_scalar scalar,
                                   uint32_t leaf, const float *inverse, shl_gradients *out);
shl_leaf_gradients_fn shl_leaf_gradients_ref, shl_leaf_gradients_avx2;

// Bounds of several rows of bounds.
//
//   reads    rows[list[0, count)], count at least 1
//   writes   *out
//   equal    exact, as no row holds -0 or NaN
typedef void shl_join_gradients_fn(const shl_gradients *rows, const uint32_t *list,
                                   uint32_t count, shl_gradients *out);
shl_join_gradients_fn shl_join_gradients_ref, shl_join_gradients_avx2;

// A gradient is a sum of two products E r of an edge and an entry of the inverse. With
// u = 2^-24 an edge is off by a factor 1 + u (a little more when it comes from float64), an
// entry by 1 + 1.1 u, product and sum are rounded: at most 4.2 u m in all, m being the sum of
// the products' magnitudes. m itself is off by 5 u m, and adding the slack loses 1.1 u m. 16 u
// leaves room.
// An underflow adds at most 2^-149 to a product, and to an edge from float64, which the entry
// then multiplies: less than 2^-107 in all. Whoever uses the bounds must leave room for that.
#define SHL_GRADIENT_SLACK 0x1p-20f
#define SHL_GRADIENT_MAX 0x1p100f
// Entries are 0 or between these.
#define SHL_INVERSE_MIN 0x1p-100
#define SHL_INVERSE_MAX 0x1p40

#endif
