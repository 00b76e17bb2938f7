// SPDX-License-Identifier: MIT
#include "kernels/tri/tri_slack.h"

#include <math.h>

// As the vector instructions do it: the second if one is NaN.
static double larger(double x, double y)
{
    return x > y ? x : y;
}

static double smaller(double x, double y)
{
    return x < y ? x : y;
}

// The gap between two sets of three numbers; negative if they overlap.
static double gap(const double s[3], const double t[3])
{
    const double s_lo = smaller(smaller(s[0], s[1]), s[2]);
    const double s_hi = larger(larger(s[0], s[1]), s[2]);
    const double t_lo = smaller(smaller(t[0], t[1]), t[2]);
    const double t_hi = larger(larger(t[0], t[1]), t[2]);
    return larger(t_lo - s_hi, s_lo - t_hi);
}

// Slack along the normal of the triangle with edges u and v.
static double along(const double u[3], const double v[3], const double p[9], const double q[9],
                    double extent)
{
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                         u[0] * v[1] - u[1] * v[0]};
    double s[3], t[3];
    for (int i = 0; i < 3; i++) {
        s[i] = n[0] * p[3 * i] + n[1] * p[3 * i + 1] + n[2] * p[3 * i + 2];
        t[i] = n[0] * q[3 * i] + n[1] * q[3 * i + 1] + n[2] * q[3 * i + 2];
    }
    const double length = fabs(n[0]) + fabs(n[1]) + fabs(n[2]);
    return length * extent > SHL_SLACK_PRODUCT ? gap(s, t) / length : 0;
}

static float slack_of(const double corners_a[9], const double corners_b[9])
{
    double p[9], q[9], extent = 0, best = 0;
    for (int i = 0; i < 9; i++) {
        p[i] = corners_a[i] - corners_a[i % 3];
        q[i] = corners_b[i] - corners_a[i % 3];
        extent = larger(fabs(p[i]), extent);
        extent = larger(fabs(q[i]), extent);
    }
    for (int k = 0; k < 3; k++) {
        const double s[3] = {p[k], p[k + 3], p[k + 6]}, t[3] = {q[k], q[k + 3], q[k + 6]};
        best = larger(gap(s, t), best);
    }
    const double u[3] = {q[3] - q[0], q[4] - q[1], q[5] - q[2]};
    const double v[3] = {q[6] - q[0], q[7] - q[1], q[8] - q[2]};
    best = larger(along(p + 3, p + 6, p, q, extent), best);
    best = larger(along(u, v, p, q, extent), best);
    const double slack = best * (1 - 0x1p-50) - 0x1p-48 * extent;
    if (!(extent < SHL_SLACK_MOST && slack > SHL_SLACK_LEAST))
        return 0;
    return (float)(slack * (1 - 0x1p-22)); // the nearest float is not above the slack itself
}

void shl_tri_slack_ref(const shl_tri_side *a, const shl_tri_side *b, const shl_tri_pair *pairs,
                       uint32_t count, float *slack)
{
    for (uint32_t i = 0; i < count; i++) {
        double p[9], q[9];
        shl_tri_corners(a, pairs[i].a, p);
        shl_tri_corners(b, pairs[i].b, q);
        slack[i] = slack_of(p, q);
    }
}
