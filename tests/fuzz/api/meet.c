// SPDX-License-Identifier: MIT
// Whether triangles meet, by doubles where these leave no doubt, which is nearly always, and
// else by the oracle's integers, which take a hundred times as long.
#include "play.h"

#include "tests/oracle/mesh_oracle.h"
#include "tests/oracle/tri_distance.h"
#include "tests/oracle/tri_oracle.h"

#include <math.h>
#include <string.h>

// Of the largest coordinate; doubles are a thousand times better than that.
static const double doubt = 1e-8;

// The largest coordinate; 0: too large or small to compute with.
static double scale_of(const double a[9], const double b[9])
{
    double most = 0;
    for (int i = 0; i < 9; i++)
        most = fmax(most, fmax(fabs(a[i]), fabs(b[i])));
    return most > 1e-80 && most < 1e80 ? most : 0;
}

static bool boxes_meet(const double a[9], const double b[9])
{
    for (int k = 0; k < 3; k++) {
        if (fmax(fmax(a[k], a[k + 3]), a[k + 6]) < fmin(fmin(b[k], b[k + 3]), b[k + 6]) ||
            fmax(fmax(b[k], b[k + 3]), b[k + 6]) < fmin(fmin(a[k], a[k + 3]), a[k + 6]))
            return false;
    }
    return true;
}

// Six times the volume of a tetrahedron.
static double volume(const double *a, const double *b, const double *c, const double *d)
{
    double x[3], y[3], z[3];
    for (int k = 0; k < 3; k++) {
        x[k] = b[k] - a[k];
        y[k] = c[k] - a[k];
        z[k] = d[k] - a[k];
    }
    return x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0]) +
           x[2] * (y[0] * z[1] - y[1] * z[0]);
}

// An edge of `a` goes through the inside of `b`, by far.
static bool pierces(const double a[9], const double b[9], double scale)
{
    const double sure = doubt * scale * scale * scale;
    for (size_t i = 0; i < 3; i++) {
        const double *p = a + 3 * i, *q = a + 3 * ((i + 1) % 3);
        const double above = volume(b, b + 3, b + 6, p), below_it = volume(b, b + 3, b + 6, q);
        const double x = volume(p, q, b, b + 3), y = volume(p, q, b + 3, b + 6);
        const double z = volume(p, q, b + 6, b);
        if (fmin(fabs(above), fabs(below_it)) > sure && (above > 0) != (below_it > 0) &&
            ((x > sure && y > sure && z > sure) || (x < -sure && y < -sure && z < -sure)))
            return true;
    }
    return false;
}

bool triangles_meet(const double a[9], const double b[9])
{
    if (!boxes_meet(a, b))
        return false;
    const double scale = scale_of(a, b);
    if (scale > 0 && oracle_tri_distance(a, b) > doubt * scale)
        return false;
    if (scale > 0 && (pierces(a, b, scale) || pierces(b, a, scale)))
        return true;
    return oracle_tri_tri(a, b);
}

// A part of a triangle, as a triangle: corners by number.
static void part_of(const double t[9], int i, int k, double out[9])
{
    memcpy(out, t + 3 * (size_t)i, 3 * sizeof *out);
    memcpy(out + 3, t + 3 * (size_t)k, 3 * sizeof *out);
    memcpy(out + 6, t + 3 * (size_t)k, 3 * sizeof *out);
}

static bool parts_far(const double a[9], int i, int k, const double b[9], int l, int m,
                      double by)
{
    double x[9], y[9];
    part_of(a, i, k, x);
    part_of(b, l, m, y);
    return oracle_tri_distance(x, y) > by;
}

static bool edge_far(const double a[9], int corner, const double b[9], double by)
{
    double x[9];
    part_of(a, (corner + 1) % 3, (corner + 2) % 3, x);
    return oracle_tri_distance(x, b) > by;
}

static bool corner_far(const double a[9], int corner, const double b[9], double by)
{
    double x[9];
    part_of(a, corner, corner, x);
    return oracle_tri_distance(x, b) > by;
}

bool neighbours_meet(const double a[9], const double b[9], int shared, const int in_a[3],
                     const int in_b[3])
{
    const double scale = scale_of(a, b), by = doubt * scale;
    if (shared == 3)
        return true;
    if (scale > 0 && shared == 1 && edge_far(a, in_a[0], b, by) && edge_far(b, in_b[0], a, by))
        return false;
    if (shared == 1)
        return oracle_tri_tri_adjacent(a, b, shared, in_a, in_b);
    const int p = 3 - in_a[0] - in_a[1], q = 3 - in_b[0] - in_b[1]; // what is not shared
    if (scale > 0 && corner_far(a, p, b, by) && corner_far(b, q, a, by) &&
        parts_far(a, in_a[0], p, b, in_b[1], q, by) &&
        parts_far(a, in_a[1], p, b, in_b[0], q, by))
        return false;
    return oracle_tri_tri_adjacent(a, b, shared, in_a, in_b);
}
