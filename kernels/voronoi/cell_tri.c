// SPDX-License-Identifier: MIT
#include "kernels/voronoi/cell_tri.h"

#include <math.h>

static double length(const double e[3])
{
    return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

// The error of one distance; `p` are the corners in cells.
static double error_of(double p[3][3], double cutoff)
{
    double edge[3][3], longest = 0, around = 0, most = 0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            edge[i][k] = p[(i + 2) % 3][k] - p[(i + 1) % 3][k];
            most = fmax(most, fabs(p[i][k]));
        }
        longest = fmax(longest, length(edge[i]));
        around += length(edge[i]);
    }
    const double *x = edge[1], *y = edge[2]; // the two at corner 0
    const double n[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                         x[0] * y[1] - x[1] * y[0]};
    const double twice_area = length(n), sides = length(x) * length(y);
    const double r = longest + cutoff, u = 0x1p-24;
    const double sine = sides > 0 ? twice_area / sides : 0;
    const double inradius = around > 0 ? twice_area / around : 0;
    const double inner = sine > 0 ? fmin(16 * u * r / (sine * sine), inradius) : 0;
    return 2 * (2 * u * most + 18 * u * r + inner);
}

double shl_cell_tri_set(const double corners[9], const double origin[3], double cell,
                        double cutoff, uint32_t owner, shl_cell_tri *out)
{
    double p[3][3], squares[3];
    bool good = true;
    for (int i = 0; i < 9; i++) {
        p[i / 3][i % 3] = (corners[i] - origin[i % 3]) / cell;
        good = good && fabs(p[i / 3][i % 3]) <= SHL_CELL_MOST;
    }
    for (int i = 0; i < 3; i++) {
        squares[i] = 0;
        for (int k = 0; k < 3; k++) {
            const double d = p[(i + 2) % 3][k] - p[(i + 1) % 3][k];
            squares[i] += d * d;
        }
    }
    int first = squares[1] > squares[0];
    if (squares[2] > squares[first])
        first = 2;
    double turned[3][3];
    for (int i = 0; i < 9; i++)
        turned[i / 3][i % 3] = p[(first + i / 3) % 3][i % 3];
    *out = (shl_cell_tri){.owner = owner};
    for (int k = 0; k < 3; k++) {
        out->a[k] = (float)turned[0][k];
        out->b[k] = (float)turned[1][k];
        out->c[k] = (float)turned[2][k];
    }
    return good ? error_of(turned, cutoff) : INFINITY;
}
