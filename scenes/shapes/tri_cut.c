// SPDX-License-Identifier: MIT
#include "scenes/shapes/tri_cut.h"

#include "scenes/math/vec.h"

// The normal, as long as twice the area.
static void normal_of(const double t[9], double out[3])
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = t[3 + k] - t[k];
        v[k] = t[6 + k] - t[k];
    }
    shl_cross(u, v, out);
}

// Shares of the corners in a point of the triangle's plane.
static void shares(const double t[9], const double normal[3], const double p[3], double out[3])
{
    const double square = shl_dot(normal, normal);
    for (int c = 0; c < 3; c++) {
        double u[3], v[3], part[3];
        for (int k = 0; k < 3; k++) {
            u[k] = t[(c + 1) % 3 * 3 + k] - p[k];
            v[k] = t[(c + 2) % 3 * 3 + k] - p[k];
        }
        shl_cross(u, v, part);
        out[c] = shl_dot(part, normal) / square;
    }
}

// Points where edges of `a` go through `b`.
static int pierce(const double a[9], const double b[9], const double normal[3],
                  double out[6][3], int count)
{
    double height[3];
    for (int c = 0; c < 3; c++) {
        double from[3];
        for (int k = 0; k < 3; k++)
            from[k] = a[3 * c + k] - b[k];
        height[c] = shl_dot(from, normal);
    }
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3;
        if ((height[c] < 0) == (height[d] < 0))
            continue;
        const double t = height[c] / (height[c] - height[d]);
        double at[3], s[3];
        for (int k = 0; k < 3; k++)
            at[k] = a[3 * c + k] + t * (a[3 * d + k] - a[3 * c + k]);
        shares(b, normal, at, s);
        if (s[0] >= 0 && s[1] >= 0 && s[2] >= 0)
            memcpy(out[count++], at, sizeof at);
    }
    return count;
}

bool shl_cut_triangles(const double a[9], const double b[9], shl_tri_cut *out)
{
    double normal[2][3], point[6][3], best = 0;
    normal_of(a, normal[0]);
    normal_of(b, normal[1]);
    const double area[2] = {sqrt(shl_dot(normal[0], normal[0])),
                            sqrt(shl_dot(normal[1], normal[1]))};
    if (!(area[0] > 0 && area[1] > 0))
        return false;
    const int count = pierce(b, a, normal[0], point, pierce(a, b, normal[1], point, 0));
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            double square = 0;
            for (int k = 0; k < 3; k++)
                square += (point[i][k] - point[j][k]) * (point[i][k] - point[j][k]);
            if (square <= best)
                continue;
            best = square;
            for (int k = 0; k < 3; k++)
                out->middle[k] = 0.5 * (point[i][k] + point[j][k]);
        }
    }
    if (!(best > 0))
        return false;
    out->length = sqrt(best);
    shares(a, normal[0], out->middle, out->share[0]);
    shares(b, normal[1], out->middle, out->share[1]);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 3; k++)
            out->normal[side][k] = normal[side][k] / area[side];
    }
    return true;
}
