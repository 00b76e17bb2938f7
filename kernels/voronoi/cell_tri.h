// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_VORONOI_CELL_TRI_H
#define SHL_KERNELS_VORONOI_CELL_TRI_H

#include <stdbool.h>
#include <stdint.h>

// A triangle in units of grid cells, as the discrete Voronoi stage reads it on the CPU and on
// the GPU: three texels of four floats.
typedef struct shl_cell_tri {
    float a[3]; // the corner opposite to the longest edge
    uint32_t owner;
    float b[3], unused_b;
    float c[3], unused_c;
} shl_cell_tri;
_Static_assert(sizeof(shl_cell_tri) == 48, "three texels");

// Larger coordinates, in cells, are refused.
#define SHL_CELL_MOST 0x1p20
// Squared lengths below this are no lengths: their reciprocals could overflow.
#define SHL_CELL_TINY 1e-30f

// Writes corners (x - origin) / cell, rounded to float32. Returns by how much a distance that
// shl_site_square() or a shader computes from a sample to this triangle may be wrong, in
// cells, if sample and triangle are at most `cutoff` apart; infinite if a corner is not finite
// or too far away.
//
// With u = 2^-24 and corners at most M from the origin, rounding moves a corner by sqrt(3) u M.
// L is the longest edge, R = L + cutoff bounds every difference that is formed.
//  * Every candidate is the length of p - q, where q is a point of the triangle up to u R, so a
//    distance is never below the true one by more than some 16 u R.
//  * If the nearest point is on an edge, its parameter is off by 8 u R / |edge|: 18 u R.
//  * If it is inside, the barycentric coordinates are off by 16 u R / (s^2 |edge|), s the sine
//    of the angle at a, which is the largest of the three; the candidate is then 16 u R / s^2
//    too far, and never farther than by the inradius, since the edges are tried too.
// Twice that is returned, for divisions and square roots of GPUs that are off by a few units.
double shl_cell_tri_set(const double corners[9], const double origin[3], double cell,
                        double cutoff, uint32_t owner, shl_cell_tri *out);

// What all samples of a triangle share.
typedef struct shl_site {
    float a[3], b[3];             // corners
    float ab[3], ac[3], bc[3];    // edges
    float tab[3], tac[3], tbc[3]; // edges over their squared length, 0 if there is none
    float v[3], w[3];             // barycentric coordinates are (p - a) . v and (p - a) . w
    float inside;                 // whose sum is at most this; -1: the triangle has no inside
} shl_site;

static inline void shl_site_edge(const float from[3], const float to[3], float e[3], float t[3])
{
    for (int k = 0; k < 3; k++)
        e[k] = to[k] - from[k];
    const float square = e[0] * e[0] + (e[1] * e[1] + e[2] * e[2]);
    const float factor = square > SHL_CELL_TINY ? 1 / square : 0;
    for (int k = 0; k < 3; k++)
        t[k] = e[k] * factor;
}

static inline void shl_site_cross(const float x[3], const float y[3], float out[3])
{
    out[0] = x[1] * y[2] - x[2] * y[1];
    out[1] = x[2] * y[0] - x[0] * y[2];
    out[2] = x[0] * y[1] - x[1] * y[0];
}

static inline shl_site shl_site_of(const shl_cell_tri *tri)
{
    shl_site s = {.inside = 1};
    for (int k = 0; k < 3; k++) {
        s.a[k] = tri->a[k];
        s.b[k] = tri->b[k];
    }
    shl_site_edge(tri->a, tri->b, s.ab, s.tab);
    shl_site_edge(tri->a, tri->c, s.ac, s.tac);
    shl_site_edge(tri->b, tri->c, s.bc, s.tbc);
    float n[3];
    shl_site_cross(s.ab, s.ac, n);
    const float square = n[0] * n[0] + (n[1] * n[1] + n[2] * n[2]);
    const bool flat = !(square > SHL_CELL_TINY);
    const float factor = flat ? 0 : 1 / square;
    shl_site_cross(s.ac, n, s.v);
    shl_site_cross(n, s.ab, s.w);
    for (int k = 0; k < 3; k++) {
        s.v[k] *= factor;
        s.w[k] *= factor;
    }
    if (flat)
        s.inside = -1;
    return s;
}

static inline float shl_site_dot(const float x[3], const float y[3])
{
    return x[0] * y[0] + (x[1] * y[1] + x[2] * y[2]);
}

// Squared distance of p from the segment of edge e that begins at p - x.
static inline float shl_site_segment(const float x[3], const float e[3], const float t[3])
{
    float s = shl_site_dot(x, t);
    s = s > 0 ? s : 0;
    s = s < 1 ? s : 1;
    const float r[3] = {x[0] - s * e[0], x[1] - s * e[1], x[2] - s * e[2]};
    return shl_site_dot(r, r);
}

// Squared distance from p to the triangle: the reference of all vector bodies.
static inline float shl_site_square(const shl_site *s, const float p[3])
{
    const float x[3] = {p[0] - s->a[0], p[1] - s->a[1], p[2] - s->a[2]};
    const float y[3] = {p[0] - s->b[0], p[1] - s->b[1], p[2] - s->b[2]};
    const float ab = shl_site_segment(x, s->ab, s->tab);
    const float ac = shl_site_segment(x, s->ac, s->tac);
    const float bc = shl_site_segment(y, s->bc, s->tbc);
    float least = ab < ac ? ab : ac;
    least = least < bc ? least : bc;
    const float v = shl_site_dot(x, s->v), w = shl_site_dot(x, s->w);
    if (v >= 0 && w >= 0 && v + w <= s->inside) {
        float r[3];
        for (int k = 0; k < 3; k++)
            r[k] = (x[k] - v * s->ab[k]) - w * s->ac[k];
        const float square = shl_site_dot(r, r);
        least = square < least ? square : least;
    }
    return least;
}

#endif
