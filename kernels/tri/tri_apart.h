// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_TRI_TRI_APART_H
#define SHL_KERNELS_TRI_TRI_APART_H

#include "layouts/tree.h"

// Corners of eight triangles.
typedef struct shl_tri_lanes {
    float x[3][3][SHL_LANES]; // by corner and axis
} shl_tri_lanes;

// Which of the eight triangles may be within `limit` of the triangle a: a lane is left out only
// if its distance is above limit.
//
//   reads    a[0, 9), *b, lanes of which the bit in `lanes` is set. Coordinates are off by at
//            most 2^-24, and none is above 1; limit is not negative, and may be infinite
//   returns  the lanes that stay
//   equal    exact
//
// For any v, v . (y - x) / |v| bounds the distance of all points x of a and y of b from below,
// if its least value over the corners is taken. Gilbert's method brings v near the shortest
// difference: v moves towards the corner of the difference body that had the least value. (E.
// G. Gilbert, "An iterative procedure for computing the minimum of a quadratic form on a convex
// set", 1966.)
//
// With u = 2^-24 a product v . x is off by 4 sqrt(3) u |v| for what is rounded in it and
// sqrt(3) u |v| for what was rounded in x, the difference of two by 10 sqrt(3) u |v| and its
// own rounding: below 2^-18 |v| = 64 u |v|, which is added to the limit. Squares are off by
// some u of themselves; 1 + 2^-18 is more. As |v|^2 > 2^-40, nothing here underflows.
typedef uint32_t shl_tri_apart_fn(const float a[9], const shl_tri_lanes *b, float limit,
                                  uint32_t lanes);
shl_tri_apart_fn shl_tri_apart_ref, shl_tri_apart_avx2;

enum { SHL_APART_TURNS = 5 }; // more hardly leave out more

#endif
