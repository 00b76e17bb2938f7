// SPDX-License-Identifier: MIT
// Exact signs of determinants of point coordinates, for any finite doubles.
//
// A positive factor per axis does not change the sign of an orientation, so every axis is
// scaled by its own power of two until all its coordinates are integers. What remains is
// integer arithmetic of a width known beforehand: nothing rounds, overflows or underflows.
#ifndef SHL_KERNELS_TRI_EXACT_INT_H
#define SHL_KERNELS_TRI_EXACT_INT_H

#include <stdbool.h>
#include <stdint.h>

// 2^-1074 to 2^1024 is 2098 bits; 3 more for differences and determinants make 33 limbs.
enum { SHL_EXACT_POINTS = 6, SHL_EXACT_LIMBS = 33 };

// Up to six points as integers.
typedef struct shl_exact_points {
    double xyz[SHL_EXACT_POINTS][3]; // as given; comparing doubles is exact already
    uint32_t limbs;                  // 64-bit limbs a coordinate, the same for all
    bool one_limb;                   // one limb, and determinants fit two
    // [count][3][limbs], two's complement, low limb first
    uint64_t value[SHL_EXACT_POINTS * 3 * SHL_EXACT_LIMBS];
} shl_exact_points;

// Scale `count` (at most 6) points, xyz [3 * count], all finite.
void shl_exact_load(shl_exact_points *points, const double *xyz, uint32_t count);

// Sign (-1, 0, 1) of det [a - d; b - d; c - d] = (a - d) . ((b - d) x (c - d)).
// Arguments are point numbers.
int shl_exact_orient3d(const shl_exact_points *points, int a, int b, int c, int d);

// Sign of det [a - c; b - c] in the two axes after `axis` (cyclic): the sign of component
// `axis` of (a - c) x (b - c).
int shl_exact_orient2d(const shl_exact_points *points, int axis, int a, int b, int c);

#endif
