// SPDX-License-Identifier: MIT
#include "scenes/math/eigen.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { SWEEPS = 40 }; // each squares what is left; a dozen are enough

// Rows p and q of a matrix become cos p - sin q and sin p + cos q.
static void turn_rows(double *p, double *q, uint32_t n, double cos, double sin)
{
    for (uint32_t k = 0; k < n; k++) {
        const double x = p[k], y = q[k];
        p[k] = cos * x - sin * y;
        q[k] = sin * x + cos * y;
    }
}

static void turn_columns(double *a, uint32_t n, uint32_t p, uint32_t q, double cos, double sin)
{
    for (size_t k = 0; k < n; k++) {
        const double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = cos * x - sin * y;
        a[k * n + q] = sin * x + cos * y;
    }
}

// The rotation that makes a_pq vanish, the smaller of two.
static void turn(double *a, double *vectors, uint32_t n, uint32_t p, uint32_t q)
{
    const double apq = a[(size_t)p * n + q];
    const double half = (a[(size_t)q * n + q] - a[(size_t)p * n + p]) / (2 * apq);
    const double tan = (half < 0 ? -1 : 1) / (fabs(half) + sqrt(half * half + 1));
    const double cos = 1 / sqrt(tan * tan + 1), sin = tan * cos;
    turn_rows(a + (size_t)p * n, a + (size_t)q * n, n, cos, sin);
    turn_columns(a, n, p, q, cos, sin);
    a[(size_t)p * n + q] = a[(size_t)q * n + p] = 0;
    turn_rows(vectors + (size_t)p * n, vectors + (size_t)q * n, n, cos, sin);
}

static void sort(double *values, double *vectors, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = i;
        for (uint32_t k = i + 1; k < n; k++)
            best = values[k] > values[best] ? k : best;
        const double value = values[i];
        values[i] = values[best];
        values[best] = value;
        for (size_t k = 0; k < n && best != i; k++) {
            const double x = vectors[(size_t)i * n + k];
            vectors[(size_t)i * n + k] = vectors[(size_t)best * n + k];
            vectors[(size_t)best * n + k] = x;
        }
    }
}

void shl_eigen(double *a, uint32_t n, double *values, double *vectors)
{
    double scale = 0;
    for (size_t i = 0; i < (size_t)n * n; i++) {
        scale = fmax(scale, fabs(a[i]));
        vectors[i] = i % (n + 1) == 0;
    }
    bool turned = true;
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = false;
        for (uint32_t p = 0; p < n; p++) {
            for (uint32_t q = p + 1; q < n; q++) {
                if (fabs(a[(size_t)p * n + q]) <= 1e-17 * scale)
                    continue;
                turn(a, vectors, n, p, q);
                turned = true;
            }
        }
    }
    for (size_t i = 0; i < n; i++)
        values[i] = a[i * n + i];
    sort(values, vectors, n);
}
