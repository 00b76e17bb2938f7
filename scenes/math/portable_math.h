// SPDX-License-Identifier: MIT
// sin, cos and exp with the same bits on every machine: scenes are compared by hash, and the
// C library's functions differ in the last place from one version to the next. Only + - * / in
// a fixed order; errors are below 1e-12 in the stated ranges.
#ifndef SHL_SCENES_MATH_PORTABLE_MATH_H
#define SHL_SCENES_MATH_PORTABLE_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct shl_sincos {
    double sin, cos;
} shl_sincos;

// The integer nearest to x, for |x| < 2^51: beyond 2^52 a double has no fraction left.
static inline double shl_nearest(double x)
{
    const double magic = 6755399441055744.0; // 1.5 * 2^52
    return (x + magic) - magic;
}

// Taylor series, |x| <= pi / 4; the first term left out is 5e-17.
static inline shl_sincos shl_sincos_small(double x)
{
    const double q = x * x;
    double s = -1.0 / 1307674368000.0;
    s = s * q + 1.0 / 6227020800.0;
    s = s * q - 1.0 / 39916800.0;
    s = s * q + 1.0 / 362880.0;
    s = s * q - 1.0 / 5040.0;
    s = s * q + 1.0 / 120.0;
    s = s * q - 1.0 / 6.0;
    double c = 1.0 / 20922789888000.0;
    c = c * q - 1.0 / 87178291200.0;
    c = c * q + 1.0 / 479001600.0;
    c = c * q - 1.0 / 3628800.0;
    c = c * q + 1.0 / 40320.0;
    c = c * q - 1.0 / 720.0;
    c = c * q + 1.0 / 24.0;
    c = c * q - 0.5;
    return (shl_sincos){x + x * q * s, 1.0 + q * c};
}

// |x| < 1e6. Beyond that the angle is less and less exact, and NaN if it is not finite.
static inline shl_sincos shl_sincos_of(double x)
{
    if (!(x > -0x1p50 && x < 0x1p50)) { // no integer would hold its quarters
        x = fmod(x, 6.283185307179586);
        if (isnan(x))
            return (shl_sincos){x, x};
    }
    const double quarter = shl_nearest(x * 0.63661977236758134);
    // pi / 2 in two parts, the first of 33 bits: its product with a quarter is exact
    const double r = (x - quarter * 0x1.921fb544p+0) - quarter * 0x1.0b4611a626331p-34;
    const shl_sincos t = shl_sincos_small(r);
    switch ((int64_t)quarter & 3) {
    case 0:
        return t;
    case 1:
        return (shl_sincos){t.cos, -t.sin};
    case 2:
        return (shl_sincos){-t.sin, -t.cos};
    default:
        return (shl_sincos){-t.cos, t.sin};
    }
}

// x <= 700; 0 below -700, infinite from 710 on. The error is relative.
static inline double shl_exp_of(double x)
{
    if (x < -700)
        return 0;
    if (!(x < 710))
        return isnan(x) ? x : INFINITY;
    const double n = shl_nearest(x * 1.4426950408889634);
    const double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33; // ln 2 in two parts
    double sum = 1;
    for (int i = 14; i > 0; i--)
        sum = 1.0 + sum * r / i;
    const uint64_t bits = (uint64_t)((int64_t)n + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

// The next 64 random bits of a stream that `state` numbers.
static inline uint64_t shl_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// In [-1, 1), a multiple of 2^-52.
static inline double shl_random_signed(uint64_t *state)
{
    return (double)(shl_random(state) >> 11) * 0x1p-52 - 1.0;
}

#endif
