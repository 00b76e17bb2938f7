// SPDX-License-Identifier: MIT
#include "kernels/tri/exact_int.h"

#include <string.h>

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

#define INLINE static inline __attribute__((always_inline))

// |x| = mantissa * 2^exponent with an odd mantissa; a zero mantissa for zero.
typedef struct split_double {
    uint64_t mantissa;
    int exponent;
    bool negative;
} split_double;

static split_double split(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int field = (int)(bits >> 52 & 0x7ff);
    split_double p = {fraction, -1074, bits >> 63};
    if (field) {
        p.mantissa |= UINT64_C(1) << 52;
        p.exponent = field - 1075;
    }
    if (p.mantissa) {
        int zeros = __builtin_ctzll(p.mantissa);
        p.mantissa >>= zeros;
        p.exponent += zeros;
    }
    return p;
}

static void store(uint64_t *value, uint32_t limbs, split_double p, int shift)
{
    if (limbs == 1) {
        uint64_t magnitude = p.mantissa << shift;
        value[0] = p.negative ? -magnitude : magnitude;
        return;
    }
    memset(value, 0, limbs * sizeof *value);
    uint32_t at = (uint32_t)shift / 64, bit = (uint32_t)shift % 64;
    value[at] = p.mantissa << bit;
    if (bit && at + 1 < limbs)
        value[at + 1] = p.mantissa >> (64 - bit);
    if (!p.negative)
        return;
    uint64_t carry = 1;
    for (uint32_t i = 0; i < limbs; i++) {
        value[i] = ~value[i] + carry;
        carry = carry && !value[i];
    }
}

void shl_exact_load(shl_exact_points *points, const double *xyz, uint32_t count)
{
    split_double number[SHL_EXACT_POINTS][3];
    int lowest[3] = {2000, 2000, 2000}, highest[3] = {-2000, -2000, -2000};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            points->xyz[i][k] = xyz[3 * i + k];
            split_double p = number[i][k] = split(xyz[3 * i + k]);
            if (!p.mantissa)
                continue;
            int top = p.exponent + 64 - __builtin_clzll(p.mantissa);
            lowest[k] = p.exponent < lowest[k] ? p.exponent : lowest[k];
            highest[k] = top > highest[k] ? top : highest[k];
        }
    int width = 0; // |coordinate| < 2^width
    for (uint32_t k = 0; k < 3; k++)
        width = highest[k] - lowest[k] > width ? highest[k] - lowest[k] : width;
    // Differences stay below 2^(w+1), 2x2 minors at or below 2^(2w+3) and 3x3 determinants
    // below 2^(3w+6), so with w + 3 <= 64 n they fit n, 2n and 3n limbs with a sign.
    points->limbs = ((uint32_t)width + 3 + 63) / 64;
    points->one_limb = 3 * width + 6 <= 127;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++)
            store(&points->value[(3 * i + k) * points->limbs], points->limbs, number[i][k],
                  number[i][k].mantissa ? number[i][k].exponent - lowest[k] : 0);
}

// Turn a two's complement number into its magnitude; returns its sign.
INLINE int take_sign(uint64_t *value, uint32_t n)
{
    const uint64_t top = value[n - 1]; // NOLINT: n is at least 1
    uint64_t negative = top >> 63, any = 0, carry = negative;
    for (uint32_t i = 0; i < n; i++) {
        u128 sum = (u128)(value[i] ^ -negative) + carry;
        value[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
        any |= value[i];
    }
    return any ? 1 - 2 * (int)negative : 0;
}

// Magnitude of x - y in `out`; returns the sign.
INLINE int subtract(uint64_t *out, const uint64_t *x, const uint64_t *y, uint32_t n)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < n; i++) {
        u128 t = (u128)x[i] - y[i] - borrow;
        out[i] = (uint64_t)t;
        borrow = (uint64_t)(t >> 64) & 1;
    }
    return take_sign(out, n);
}

// acc += sign * x * y; x has nx limbs, y ny, acc (two's complement) nx + ny.
INLINE void add_product(uint64_t *acc, const uint64_t *x, uint32_t nx, const uint64_t *y,
                        uint32_t ny, int sign)
{
    if (!sign)
        return;
    uint64_t product[3 * SHL_EXACT_LIMBS];
    for (uint32_t i = 0; i < nx + ny; i++)
        product[i] = 0;
    for (uint32_t i = 0; i < nx; i++) {
        if (!x[i]) // coordinates far apart in size are mostly zero limbs
            continue;
        uint64_t carry = 0;
        for (uint32_t j = 0; j < ny; j++) {
            u128 t = (u128)x[i] * y[j] + product[i + j] + carry; // NOLINT: all zeroed above
            product[i + j] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        product[i + ny] = carry;
    }
    uint64_t negative = sign < 0, carry = negative;
    for (uint32_t i = 0; i < nx + ny; i++) {
        u128 sum = (u128)acc[i] + (product[i] ^ -negative) + carry;
        acc[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

// Magnitude of p s - q r in `out` [2 n]; signs[] are those of p, q, r, s. Returns the sign.
INLINE int minor(uint64_t *out, const uint64_t *p, const uint64_t *q, const uint64_t *r,
                 const uint64_t *s, const int signs[4], uint32_t n)
{
    for (uint32_t i = 0; i < 2 * n; i++)
        out[i] = 0;
    add_product(out, p, n, s, n, signs[0] * signs[3]);
    add_product(out, q, n, r, n, -signs[1] * signs[2]);
    return take_sign(out, 2 * n);
}

INLINE int orient3d(const uint64_t *value, const int point[4], uint32_t n)
{
    uint64_t diff[3][3][SHL_EXACT_LIMBS];
    int sign[3][3];
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 3; k++)
            sign[i][k] = subtract(diff[i][k], &value[(3 * (uint32_t)point[i] + k) * n],
                                  &value[(3 * (uint32_t)point[3] + k) * n], n);
    uint64_t det[3 * SHL_EXACT_LIMBS];
    for (uint32_t i = 0; i < 3 * n; i++)
        det[i] = 0;
    for (uint32_t k = 0; k < 3; k++) {
        if (!sign[0][k])
            continue;
        uint32_t u = k == 2 ? 0 : k + 1, v = k == 0 ? 2 : k - 1;
        uint64_t m[2 * SHL_EXACT_LIMBS];
        const int signs[4] = {sign[1][u], sign[1][v], sign[2][u], sign[2][v]};
        int s = minor(m, diff[1][u], diff[1][v], diff[2][u], diff[2][v], signs, n);
        add_product(det, diff[0][k], n, m, 2 * n, s * sign[0][k]);
    }
    return take_sign(det, 3 * n);
}

// Float32 coordinates of one scene: no carries, no signs apart.
static int orient3d_one_limb(const uint64_t *value, const int point[4])
{
    int64_t diff[3][3];
    for (int i = 0; i < 9; i++)
        diff[i / 3][i % 3] =
            (int64_t)(value[3 * point[i / 3] + i % 3] - value[3 * point[3] + i % 3]);
    i128 det = 0;
    for (int k = 0; k < 3; k++) {
        const int u = (k + 1) % 3, v = (k + 2) % 3;
        det += diff[0][k] * ((i128)diff[1][u] * diff[2][v] - (i128)diff[1][v] * diff[2][u]);
    }
    return (det > 0) - (det < 0);
}

INLINE int orient2d(const uint64_t *value, int axis, const int point[3], uint32_t n)
{
    const uint32_t axes[2] = {((uint32_t)axis + 1) % 3, ((uint32_t)axis + 2) % 3};
    uint64_t diff[4][SHL_EXACT_LIMBS], m[2 * SHL_EXACT_LIMBS];
    int signs[4];
    for (uint32_t i = 0; i < 4; i++)
        signs[i] = subtract(diff[i], &value[(3 * (uint32_t)point[i / 2] + axes[i % 2]) * n],
                            &value[(3 * (uint32_t)point[2] + axes[i % 2]) * n], n);
    return minor(m, diff[0], diff[1], diff[2], diff[3], signs, n);
}

// One or two limbs are all that real scenes need: there the compiler knows the width.
int shl_exact_orient3d(const shl_exact_points *points, int a, int b, int c, int d)
{
    const int point[4] = {a, b, c, d};
    if (points->one_limb)
        return orient3d_one_limb(points->value, point);
    if (points->limbs == 1)
        return orient3d(points->value, point, 1);
    if (points->limbs == 2)
        return orient3d(points->value, point, 2);
    return orient3d(points->value, point, points->limbs);
}

int shl_exact_orient2d(const shl_exact_points *points, int axis, int a, int b, int c)
{
    const int point[3] = {a, b, c};
    if (points->limbs == 1)
        return orient2d(points->value, axis, point, 1);
    if (points->limbs == 2)
        return orient2d(points->value, axis, point, 2);
    return orient2d(points->value, axis, point, points->limbs);
}
