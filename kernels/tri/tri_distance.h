// SPDX-License-Identifier: MIT
// How far apart two triangles are.
#ifndef SHL_KERNELS_TRI_TRI_DISTANCE_H
#define SHL_KERNELS_TRI_TRI_DISTANCE_H

#include "kernels/tri/tri_overlap.h"

// Distances of pairs of closed triangles; 0 if they share a point, which tri_overlap decides
// exactly. A triangle without area is the segment or point its corners span.
//
//   reads    pairs[0, count), corners of the named triangles, which are finite
//   writes   distance[0, count): never NaN; infinite if it is beyond the doubles;
//            0 only if they share a point
//            *exact_count += pairs that tri_overlap could not decide by its filter
//   equal    exact
//
// Let R be the largest coordinate of the six corners taken from the first of a, and e = 2^-53.
// The result is off by less than SHL_DISTANCE_ERROR R = 512 e R (and, beside the least double,
// by its rounding). It is the least |w| of 33 differences w of a point of a and one of b:
//   18  a corner and its foot on an edge,
//    9  an edge and an edge: the first's point s nearest to the second's line, by
//       s = ((v x r) . n) / n.n with n = u x v, clamped to [0, 1], and its foot on the second,
//    6  a corner and a face with edges u, w from a corner: the height s of the corner above u
//       by the same formula, clamped, and its foot on the segment of the face at that height.
//
// Never too small. Any s in [0, 1] gives points of the triangles, but for rounding: taking
// coordinates from a's corner moves a distance by 2 sqrt(3) e R, a computed w is off by 7
// roundings of numbers below 2 R an axis, 14 sqrt(3) e R, a foot lies outside its face by
// 2 sqrt(3) e R at most, and |w| <= 2 sqrt(3) R has 2.5 e of its own: below 40 e R in all.
//
// Never too large. Let d be the distance, of apart triangles, and D = 2 sqrt(3) R the most that
// corners differ. Where the nearest points are a corner and an edge, or corners, the foot is
// off by at most 18 e D = 63 e R along the edge. Else let them be inside an edge and an edge,
// or a corner and a face; u and w are the edges with n = u x w, h = |n| / |u| the height of w's
// end above u, and the true s belongs to a point at h s above u.
// * u, w and r are rounded coordinate by coordinate, so a computed u x r is off by at most
//   4 sqrt(2) e |u| |r| < 5.7 e |u| |r|, and n by c |n| with c = 5.7 e |w| / h.
// * If c > 1/8, then h < 46 e D < 160 e R, and a corner or edge of the other kind of candidates
//   lies within h of the nearest point.
// * Else, as r is at most d + h from the line of u, h s is off by
//     1.31 (e (5.7 |r| + 17 |w| + 3 (d + h) + 5 h) + 5.7 e d |w| / h) <= 1.31 (31 e D + B),
//   where 1.31 = 1 / (1 - c)^2 holds all higher terms, and 31 D e < 108 e R. The foot is exact
//   but for 63 e R, or clamped, and then an edge lies between it and the nearest point.
//   So w is off along the planes by A + B with A < 142 e R + 63 e R and B = 7.5 e d |w| / h,
//   or, by the corners' and edges' own candidates, by h. As
//     min(sqrt(d^2 + B^2), sqrt(d^2 + h^2)) <= d + B h / (2 d) <= d + 3.8 e |w|,
//   the result exceeds d by at most (205 + 14 + 40) e R < 512 e R.
// * Where n.n or u.u underflow, h or |u| is below 2^-250 R, and other candidates are that near.
// R is in [2^-200, 2^200]; pairs outside are scaled to it first. A distance that comes out as 0
// although the triangles are apart is the least double.
typedef void shl_tri_distance_fn(const shl_tri_side *a, const shl_tri_side *b,
                                 const shl_tri_pair *pairs, uint32_t count, double *distance,
                                 uint64_t *exact_count);
shl_tri_distance_fn shl_tri_distance_ref, shl_tri_distance_avx2;

#define SHL_DISTANCE_ERROR 0x1p-44
#define SHL_DISTANCE_EXTENT_MIN 0x1p-200
#define SHL_DISTANCE_EXTENT_MAX 0x1p200
#define SHL_DISTANCE_LEAST 0x1p-1022 // what squares of lengths are divided by at least

// Where two triangles are nearest.
typedef struct shl_closest {
    double distance;         // as shl_tri_distance_fn gives it
    double error;            // how far it may be from the truth; 0 if the triangles overlap
    double on_a[3], on_b[3]; // nearest points, which differ by the distance but for rounding
} shl_closest;

// Corners xyz xyz xyz.
void shl_tri_closest(const double a[9], const double b[9], shl_closest *out);

// Nearest points of many pairs.
//
//   reads    a[0, count), b[0, count): corners xyz xyz xyz, finite
//   writes   out[0, count): what shl_tri_closest() gives
//   equal    exact
typedef void shl_tri_closest_rows_fn(const double (*a)[9], const double (*b)[9], uint32_t count,
                                     shl_closest *out);
shl_tri_closest_rows_fn shl_tri_closest_rows_ref, shl_tri_closest_rows_avx2;

// Whether two triangles share a point.
bool shl_tris_overlap(const double a[9], const double b[9]);

// Distance of one pair that does not overlap; what bodies do with numbers they cannot take.
double shl_tri_distance_apart(const double a[9], const double b[9]);

// Whether the boxes of two triangles overlap; if not, neither do they.
static inline bool shl_tri_boxes_meet(const double a[9], const double b[9])
{
    for (int k = 0; k < 3; k++) {
        const double a_lo = a[k] < a[k + 3] ? a[k] : a[k + 3];
        const double a_hi = a[k] > a[k + 3] ? a[k] : a[k + 3];
        const double b_lo = b[k] < b[k + 3] ? b[k] : b[k + 3];
        const double b_hi = b[k] > b[k + 3] ? b[k] : b[k + 3];
        if ((a_hi > a[k + 6] ? a_hi : a[k + 6]) < (b_lo < b[k + 6] ? b_lo : b[k + 6]) ||
            (b_hi > b[k + 6] ? b_hi : b[k + 6]) < (a_lo < a[k + 6] ? a_lo : a[k + 6]))
            return false;
    }
    return true;
}

#endif
