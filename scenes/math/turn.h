// SPDX-License-Identifier: MIT
// Rotations with the same bits everywhere.
#ifndef SHL_SCENES_MATH_TURN_H
#define SHL_SCENES_MATH_TURN_H

#include "scenes/math/portable_math.h"

#include <math.h>

static inline void shl_random_axis(uint64_t *state, double out[3])
{
    double square;
    do {
        for (int i = 0; i < 3; i++)
            out[i] = shl_random_signed(state);
        square = out[0] * out[0] + out[1] * out[1] + out[2] * out[2];
    } while (square > 1 || square < 0.01);
    for (int i = 0; i < 3; i++)
        out[i] /= sqrt(square);
}

// The matrix of a turn about a unit axis, row by row.
static inline void shl_turn(const double a[3], double angle, double out[9])
{
    const shl_sincos t = shl_sincos_of(angle);
    const double v = 1 - t.cos;
    const double m[9] = {
        t.cos + a[0] * a[0] * v,        a[0] * a[1] * v - a[2] * t.sin,
        a[0] * a[2] * v + a[1] * t.sin, a[1] * a[0] * v + a[2] * t.sin,
        t.cos + a[1] * a[1] * v,        a[1] * a[2] * v - a[0] * t.sin,
        a[2] * a[0] * v - a[1] * t.sin, a[2] * a[1] * v + a[0] * t.sin,
        t.cos + a[2] * a[2] * v,
    };
    memcpy(out, m, sizeof m);
}

#endif
