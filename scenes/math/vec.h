// SPDX-License-Identifier: MIT
// Vectors of three, matrices of nine (row by row) and unit quaternions (w, x, y, z), with the
// same bits everywhere.
#ifndef SHL_SCENES_MATH_VEC_H
#define SHL_SCENES_MATH_VEC_H

#include "scenes/math/portable_math.h"

#include <math.h>

static inline double shl_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void shl_cross(const double a[3], const double b[3], double out[3])
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    const double z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

// to += share * a
static inline void shl_add(double to[3], double share, const double a[3])
{
    for (int k = 0; k < 3; k++)
        to[k] += share * a[k];
}

// out = m a; out is not a
static inline void shl_apply(const double m[9], const double a[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = m[3 * k] * a[0] + m[3 * k + 1] * a[1] + m[3 * k + 2] * a[2];
}

// out = a b, which it is not. Matrices row by row.
static inline void shl_multiply(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 9; i++)
        out[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[i % 3 + 3] +
                 a[i / 3 * 3 + 2] * b[i % 3 + 6];
}

// out = transposed m a; out is not a
static inline void shl_apply_back(const double m[9], const double a[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = m[k] * a[0] + m[3 + k] * a[1] + m[6 + k] * a[2];
}

// out = r m transposed r, how a tensor of the body looks in the world
static inline void shl_turn_tensor(const double r[9], const double m[9], double out[9])
{
    double half[9];
    shl_multiply(r, m, half);
    for (int i = 0; i < 3; i++)
        shl_apply(r, half + 3 * i, out + 3 * i);
}

// The inverse of a symmetric matrix that has one.
static inline void shl_invert(const double m[9], double out[9])
{
    double rows[3][3];
    for (int k = 0; k < 3; k++)
        shl_cross(m + 3 * ((k + 1) % 3), m + 3 * ((k + 2) % 3), rows[k]);
    const double det = shl_dot(m, rows[0]);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = rows[i][k] / det;
    }
}

// to = to turned further by the vector `by`, in radians
static inline void shl_turn_further(double to[4], const double by[3])
{
    const double angle = sqrt(shl_dot(by, by));
    const shl_sincos t = shl_sincos_of(0.5 * angle);
    const double s = angle > 0 ? t.sin / angle : 0.5, c = t.cos;
    const double a[3] = {s * by[0], s * by[1], s * by[2]};
    double q[4] = {c * to[0] - a[0] * to[1] - a[1] * to[2] - a[2] * to[3],
                   c * to[1] + a[0] * to[0] + a[1] * to[3] - a[2] * to[2],
                   c * to[2] + a[1] * to[0] + a[2] * to[1] - a[0] * to[3],
                   c * to[3] + a[2] * to[0] + a[0] * to[2] - a[1] * to[1]};
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        to[k] = q[k] / length;
}

static inline void shl_quaternion_matrix(const double q[4], double out[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(out, m, sizeof m);
}

#endif
