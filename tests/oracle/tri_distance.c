// SPDX-License-Identifier: MIT
// Nine pairs of edges, six corners over triangles, and whether an edge pierces the other
// triangle. Where a decision is close, the neighbouring case gives the same distance.
#include "tri_distance.h"

#include <math.h>

static double dot(const double x[3], const double y[3])
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static void minus(const double x[3], const double y[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = x[k] - y[k];
}

static void cross(const double x[3], const double y[3], double out[3])
{
    out[0] = x[1] * y[2] - x[2] * y[1];
    out[1] = x[2] * y[0] - x[0] * y[2];
    out[2] = x[0] * y[1] - x[1] * y[0];
}

static double clamp(double t)
{
    return t > 0 ? t < 1 ? t : 1 : 0;
}

static double point_segment(const double p[3], const double a[3], const double b[3])
{
    double e[3], x[3];
    minus(b, a, e);
    minus(p, a, x);
    const double square = dot(e, e), t = square > 0 ? clamp(dot(x, e) / square) : 0;
    for (int k = 0; k < 3; k++)
        x[k] -= t * e[k];
    return sqrt(dot(x, x));
}

// The ends against the other segment, and the two lines if their nearest points are inside.
static double segments(const double a[3], const double b[3], const double c[3],
                       const double d[3])
{
    double least = fmin(fmin(point_segment(a, c, d), point_segment(b, c, d)),
                        fmin(point_segment(c, a, b), point_segment(d, a, b)));
    double e[3], f[3], n[3], x[3], ef[3], ff[3];
    minus(b, a, e);
    minus(d, c, f);
    minus(c, a, x);
    cross(e, f, n);
    const double square = dot(n, n);
    if (!(square > 1e-26 * dot(e, e) * dot(f, f)))
        return least; // parallel: an end is as near as anything
    cross(x, f, ff);
    cross(x, e, ef);
    const double s = dot(ff, n) / square, t = dot(ef, n) / square;
    if (s > 0 && s < 1 && t > 0 && t < 1)
        least = fmin(least, fabs(dot(x, n)) / sqrt(square));
    return least;
}

// Is the foot of the line through p along `way` inside the triangle? Then *t tells where.
static int hits(const double p[3], const double way[3], const double t[9], double *at)
{
    double e[3], f[3], n[3], x[3], q[3];
    minus(t + 3, t, e);
    minus(t + 6, t, f);
    cross(e, f, n);
    const double down = dot(n, way);
    if (!(fabs(down) > 0))
        return 0;
    minus(t, p, x);
    *at = dot(n, x) / down;
    for (int k = 0; k < 3; k++)
        q[k] = p[k] + *at * way[k];
    for (int i = 0; i < 3; i++) {
        double side[3], to[3], turn[3];
        minus(t + (i + 1) % 3 * 3, t + i * 3, side);
        minus(q, t + i * 3, to);
        cross(side, to, turn);
        if (dot(turn, n) < 0)
            return 0;
    }
    return 1;
}

static double corner_face(const double p[3], const double t[9])
{
    double e[3], f[3], n[3], at;
    minus(t + 3, t, e);
    minus(t + 6, t, f);
    cross(e, f, n);
    const double square = dot(n, n);
    if (!(square > 1e-26 * dot(e, e) * dot(f, f)) || !hits(p, n, t, &at))
        return INFINITY; // an edge is nearer, or there is no face
    return fabs(at) * sqrt(square);
}

double oracle_tri_distance(const double s[9], const double t[9])
{
    double least = INFINITY, at, way[3];
    for (int i = 0; i < 3; i++) {
        const double *a = s + 3 * i, *b = s + (i + 1) % 3 * 3;
        const double *c = t + 3 * i, *d = t + (i + 1) % 3 * 3;
        minus(b, a, way);
        if (hits(a, way, t, &at) && at >= 0 && at <= 1)
            return 0;
        minus(d, c, way);
        if (hits(c, way, s, &at) && at >= 0 && at <= 1)
            return 0;
        least = fmin(least, fmin(corner_face(a, t), corner_face(c, s)));
        for (int j = 0; j < 3; j++)
            least = fmin(least, segments(a, b, t + 3 * j, t + (j + 1) % 3 * 3));
    }
    return least;
}
