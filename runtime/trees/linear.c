// SPDX-License-Identifier: MIT
#include "runtime/trees/linear.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLES = 64, // triangles looked at in a group; the fields are smooth or it does not matter
    SHAPE = 10,   // sums of 1, p, and the six products of p
    FIELD = 13,   // of U p^T, U, and U . U, for each field
};

static size_t numbers(const shl_linear *l)
{
    return SHAPE + FIELD * (size_t)l->in->field_count;
}

shoal_status shl_linear_begin(shl_linear *l, const shl_build_input *in,
                              const shoal_allocator *allocator)
{
    *l = (shl_linear){.in = in};
    l->bytes = (SHL_LINEAR_GROUPS + 2) * numbers(l) * sizeof *l->sums;
    l->sums = shl_alloc(allocator, l->bytes);
    if (!l->sums)
        return SHOAL_ERR_MEMORY;
    double size = 1e-300;
    for (int k = 0; k < 3; k++) { // halves: the difference of two finite doubles may not be
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < 3 * (size_t)in->triangle_count; i++) {
            const double x = 0.5 * in->xyz[3 * (size_t)in->triangles[i] + (size_t)k];
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        l->origin[k] = 0.5 * lo + 0.5 * hi;
        size = hi - lo > size ? hi - lo : size;
    }
    l->scale = 1 / size;
    return SHOAL_OK;
}

void shl_linear_end(shl_linear *l, const shoal_allocator *allocator)
{
    shl_free(allocator, l->sums, l->bytes);
    l->sums = NULL;
}

// One triangle's middle.
static void add_triangle(const shl_linear *l, uint32_t triangle, double *sums)
{
    const shl_build_input *in = l->in;
    const uint32_t *corner = in->triangles + 3 * (size_t)triangle;
    double p[3] = {0};
    for (size_t i = 0; i < 9; i++)
        p[i % 3] +=
            (0.5 * in->xyz[3 * (size_t)corner[i / 3] + i % 3] - l->origin[i % 3]) * l->scale;
    const double shape[SHAPE] = {1,           p[0],        p[1],        p[2],
                                 p[0] * p[0], p[0] * p[1], p[0] * p[2], p[1] * p[1],
                                 p[1] * p[2], p[2] * p[2]};
    for (int i = 0; i < SHAPE; i++)
        sums[i] += shape[i];
    sums += SHAPE;
    for (size_t j = 0; j < in->field_count; j++, sums += FIELD) {
        const float *field = in->fields + 3 * j * in->vertex_count;
        double u[3] = {0};
        for (size_t i = 0; i < 9; i++)
            u[i % 3] += (double)field[3 * (size_t)corner[i / 3] + i % 3];
        for (int i = 0; i < 9; i++)
            sums[i] += u[i / 3] * p[i % 3];
        for (int k = 0; k < 3; k++)
            sums[9 + k] += u[k];
        sums[12] += u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    }
}

static void add(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

// The lower triangle of a matrix whose square is the covariance of positions. A flat or
// straight piece has no slope across itself.
static void root_of(const double *sums, double out[6])
{
    const double part = 1 / sums[0];
    const double x = sums[1] * part, y = sums[2] * part, z = sums[3] * part;
    double xx = sums[4] * part - x * x, yy = sums[7] * part - y * y,
           zz = sums[9] * part - z * z;
    const double xy = sums[5] * part - x * y, xz = sums[6] * part - x * z,
                 yz = sums[8] * part - y * z, least = 1e-6 * (xx + yy + zz) + 1e-30;
    xx += least, yy += least, zz += least;
    out[0] = sqrt(fmax(xx, least));
    out[1] = xy / out[0];
    out[2] = sqrt(fmax(yy - out[1] * out[1], least));
    out[3] = xz / out[0];
    out[4] = (yz - out[3] * out[1]) / out[2];
    out[5] = sqrt(fmax(zz - out[3] * out[3] - out[4] * out[4], least));
}

// Root mean square of what least squares leave of all fields, times the root of the weight.
// Roots of these, added up for both sides, favour splits that leave one side nearly linear.
static float rest_of(const shl_linear *l, const double *sums)
{
    double root[6], rest = 0;
    const double part = 1 / sums[0];
    root_of(sums, root);
    for (size_t j = 0; j < l->in->field_count; j++) {
        const double *field = sums + SHAPE + FIELD * j;
        double left = field[12] * part;
        for (int k = 0; k < 3; k++) {
            const double mean = field[9 + k] * part;
            const double x = field[3 * k] * part - mean * sums[1] * part,
                         y = field[3 * k + 1] * part - mean * sums[2] * part,
                         z = field[3 * k + 2] * part - mean * sums[3] * part;
            const double a = x / root[0], b = (y - root[1] * a) / root[2],
                         c = (z - root[3] * a - root[4] * b) / root[5];
            left -= mean * mean + (a * a + b * b + c * c);
        }
        rest += fmax(left, 0);
    }
    return (float)sqrt(sqrt(rest * sums[0]));
}

void shl_linear_rest(shl_linear *l, const uint32_t *list, uint32_t count,
                     float out[SHL_LINEAR_GROUPS - 1])
{
    const size_t n = numbers(l);
    double *groups = l->sums, *left = groups + SHL_LINEAR_GROUPS * n, *right = left + n;
    memset(groups, 0, (SHL_LINEAR_GROUPS + 2) * n * sizeof *groups);
    for (uint32_t g = 0; g < SHL_LINEAR_GROUPS; g++) {
        const uint32_t begin = (uint32_t)((uint64_t)count * g / SHL_LINEAR_GROUPS);
        const uint32_t end = (uint32_t)((uint64_t)count * (g + 1) / SHL_LINEAR_GROUPS);
        const uint32_t step = (end - begin) / SAMPLES + 1;
        double *group = groups + g * n, had = 0;
        for (uint32_t i = begin; i < end; i += step, had++)
            add_triangle(l, list[i], group);
        const double weight = had > 0 ? (end - begin) / had : 0;
        for (size_t i = 0; i < n; i++)
            group[i] *= weight;
    }
    for (uint32_t p = SHL_LINEAR_GROUPS - 1; p-- > 0;) {
        add(right, groups + (p + 1) * n, n);
        out[p] = rest_of(l, right);
    }
    for (uint32_t p = 0; p + 1 < SHL_LINEAR_GROUPS; p++) {
        add(left, groups + p * n, n);
        out[p] += rest_of(l, left);
    }
}
