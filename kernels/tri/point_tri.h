// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_TRI_POINT_TRI_H
#define SHL_KERNELS_TRI_POINT_TRI_H

#include "kernels/tri/tri_distance.h"

// What squared distances of many points from one triangle share, in float64.
//
// A distance is the least of four candidates, three edges and the face by its height, as in
// kernels/tri/tri_distance.h, and the proof there holds. The height is
// (p - corner 0) . (n x u) / n.n here, which only reorders the product: its error grows
// from 5.7 e |u| |r| |n| to less than 8, and the sum by 12 e R. So the root is off by less than
// SHL_DISTANCE_ERROR R, with R the largest coordinate of point and triangle from corner 0, at
// most SHL_DISTANCE_EXTENT_MAX. Points nearer than SHL_DISTANCE_EXTENT_MIN may be told to be 0
// away.
typedef struct shl_face {
    double from[3][3]; // corners
    double edge[3][3]; // from corner i to the next one
    double over[3][3]; // the same over its squared length
    double last[3];    // from corner 0 to corner 2
    double height[3];  // (p - corner 0) . height: how far p is on the way from edge 0 to 2
} shl_face;

static inline double shl_face_dot(const double x[3], const double y[3])
{
    return (x[0] * y[0] + x[1] * y[1]) + x[2] * y[2];
}

static inline double shl_face_inverse(double square)
{
    return 1 / (square > SHL_DISTANCE_LEAST ? square : SHL_DISTANCE_LEAST);
}

static inline double shl_face_clamp(double x, double top)
{
    x = x < top ? x : top;
    return x > 0 ? x : 0;
}

static inline void shl_face_cross(const double x[3], const double y[3], double out[3])
{
    out[0] = x[1] * y[2] - x[2] * y[1];
    out[1] = x[2] * y[0] - x[0] * y[2];
    out[2] = x[0] * y[1] - x[1] * y[0];
}

// Corners xyz xyz xyz.
static inline void shl_face_set(const double t[9], shl_face *f)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            f->from[i][k] = t[3 * i + k];
            f->edge[i][k] = t[3 * ((i + 1) % 3) + k] - t[3 * i + k];
        }
        const double factor = shl_face_inverse(shl_face_dot(f->edge[i], f->edge[i]));
        for (int k = 0; k < 3; k++)
            f->over[i][k] = f->edge[i][k] * factor;
    }
    double n[3];
    for (int k = 0; k < 3; k++)
        f->last[k] = t[6 + k] - t[k];
    shl_face_cross(f->edge[0], f->last, n);
    shl_face_cross(n, f->edge[0], f->height);
    const double factor = shl_face_inverse(shl_face_dot(n, n));
    for (int k = 0; k < 3; k++)
        f->height[k] *= factor;
}

static inline double shl_face_square(const shl_face *f, const double p[3])
{
    double r[3], w[3], least = 0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            r[k] = p[k] - f->from[i][k];
        const double s = shl_face_clamp(shl_face_dot(r, f->over[i]), 1);
        for (int k = 0; k < 3; k++)
            w[k] = r[k] - s * f->edge[i][k];
        const double square = shl_face_dot(w, w);
        least = i > 0 && least < square ? least : square;
    }
    for (int k = 0; k < 3; k++)
        r[k] = p[k] - f->from[0][k];
    const double s = shl_face_clamp(shl_face_dot(r, f->height), 1);
    for (int k = 0; k < 3; k++)
        r[k] -= s * f->last[k];
    const double t = shl_face_clamp(shl_face_dot(r, f->over[0]), 1 - s);
    for (int k = 0; k < 3; k++)
        w[k] = r[k] - t * f->edge[0][k];
    const double square = shl_face_dot(w, w);
    return square < least ? square : least;
}

#endif
