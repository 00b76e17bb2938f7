// SPDX-License-Identifier: MIT
// Which candidate pairs of triangles really share a point.
#ifndef SHL_KERNELS_TRI_TRI_OVERLAP_H
#define SHL_KERNELS_TRI_TRI_OVERLAP_H

#include "layouts/tree.h"

#include <shoal/positions.h>

// The triangles and vertices one half of every pair refers to.
typedef struct shl_tri_side {
    const void *xyz;     // [3 * vertices] packed, not readable past its last scalar
    const shl_tri *tri;  // [triangles]
    shoal_scalar scalar; // what xyz holds; the two sides may differ
} shl_tri_side;

typedef struct shl_tri_pair {
    uint32_t a, b; // rows of a->tri and b->tri
} shl_tri_pair;

// Corner coordinates in float64.
static inline void shl_tri_corners(const shl_tri_side *side, uint32_t row, double out[9])
{
    for (int i = 0; i < 9; i++) {
        const size_t at = 3 * (size_t)side->tri[row].v[i / 3] + (size_t)(i % 3);
        out[i] = side->scalar == SHOAL_F32 ? (double)((const float *)side->xyz)[at]
                                           : ((const double *)side->xyz)[at];
    }
}

// Keep the pairs whose closed triangles share a point: the signs of Guigue & Devillers 2003 in
// floating point, and exact integers (exact_tri.h) for a pair with a sign rounding could
// change.
//
//   reads    pairs[0,count)   tri rows and vertices they name, all finite
//   writes   out[0,result) in the order of `pairs`, which it may alias; out[result,count) is
//            scratch; *exact_count += pairs the float64 filter could not decide
//   equal    exact: every variant returns the same pairs and the same exact_count
//   cost     8 + 32 bytes and six vertices read per pair
typedef uint32_t shl_tri_overlap_fn(const shl_tri_side *a, const shl_tri_side *b,
                                    const shl_tri_pair *pairs, uint32_t count,
                                    shl_tri_pair *out, uint64_t *exact_count);
shl_tri_overlap_fn shl_tri_overlap_ref;
shl_tri_overlap_fn shl_tri_overlap_avx2;

// The float64 filter. Let X, Y, Z be the rounded extents of the six corners per axis, M = XYZ
// and e = 2^-53. A determinant of three coordinate differences among the corners,
//   x (y' z" - z' y") + y (z' x" - x' z") + z (x' y" - y' x"),
// has its computed sign when |computed| > SHL_TRI_FILTER * M:
// * Rounding is monotone, so a computed difference d^ obeys |d^| <= X and |d^ - d| <= e X (and
//   likewise Y, Z). Each of the six products of three thus moves by at most (3e + 4e^2) M.
// * From there each product passes five roundings: two multiplications, one subtraction, two
//   additions. That moves it by at most (5e + 11e^2) M.
// * Together less than 48.1 e M. Rounding the limit itself loses at most a factor 1 - 4e: 50 e
//   leaves room.
// * With X, Y, Z in [FILTER_MIN, FILTER_MAX] nothing overflows, and an underflow adds at most
//   2^-1075 to a product of two or three differences: at most 2^-470 M or 2^-170 M, six and
//   three times. Outside that range the limit is infinite, so that nothing is decided.
#define SHL_TRI_FILTER 0x32p-53
#define SHL_TRI_ROUNDING 13.0f     // as kernels/tri/x86/tri_filter_avx2.h proves
#define SHL_TRI_ROUNDING_F64 2.01f //
#define SHL_TRI_FILTER_MIN 0x1p-300
#define SHL_TRI_FILTER_MAX 0x1p300

// Corner order (p, q, r) of a triangle for the deciding determinants, [reversed][sides]: bit i
// of `sides` is set when corner i lies on the negative side of the other plane. p is the corner
// alone on its side; q and r follow in the triangle's own order or reversed.
//
// Let pa lie on the positive side of plane b and pb on the negative side of plane a. Then both
// triangles cut the planes' common line in intervals from edge pq to edge pr, running the same
// way, and they meet when a begins before b ends and b begins before a ends:
//   det [qa - pa; pb - pa; rb - pa] >= 0  and  det [ra - pa; qb - pa; pb - pa] >= 0.
// Reversing b moves pa to b's other side and leaves pb's side of a alone, and vice versa, so
// the other cases are this one with b reversed when pa is negative, and a when pb is positive.
static const uint32_t shl_tri_order[2][8][4] = {{{0, 1, 2, 3},
                                                 {0, 1, 2, 3},
                                                 {1, 2, 0, 3},
                                                 {2, 0, 1, 3},
                                                 {2, 0, 1, 3},
                                                 {1, 2, 0, 3},
                                                 {0, 1, 2, 3},
                                                 {0, 1, 2, 3}},
                                                {{0, 2, 1, 3},
                                                 {0, 2, 1, 3},
                                                 {1, 0, 2, 3},
                                                 {2, 1, 0, 3},
                                                 {2, 1, 0, 3},
                                                 {1, 0, 2, 3},
                                                 {0, 2, 1, 3},
                                                 {0, 2, 1, 3}}};

// Is p, by the same three bits, on the negative side: is it the only bit set?
static inline uint32_t shl_tri_negative(uint32_t sides)
{
    return 0x16u >> sides & 1;
}

#endif
