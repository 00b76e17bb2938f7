// SPDX-License-Identifier: MIT
// Two random numbers are never drawn in one expression whose order C leaves open.
// Where a family needs an exact coincidence it builds it from small integers and sixteenths, so
// that no rounding happens.
#include "tri_shapes.h"

#include <float.h>
#include <math.h>
#include <string.h>

// splitmix64: a counter and a mixing function, so neighbouring seeds are unrelated.
uint64_t tri_bits(tri_source *s)
{
    uint64_t x = s->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

int tri_between(tri_source *s, int lo, int hi)
{
    return lo + (int)(tri_bits(s) % (uint64_t)(hi - lo + 1));
}

bool tri_chance(tri_source *s, int percent)
{
    return tri_between(s, 0, 99) < percent;
}

// In [-1, 1), 53 bits.
double tri_unit(tri_source *s)
{
    return ldexp((double)(tri_bits(s) >> 11), -52) - 1;
}

double tri_sized(tri_source *s, int lowest, int highest)
{
    const double x = tri_unit(s);
    return ldexp(x, tri_between(s, lowest, highest));
}

static void units(tri_source *s, double *out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = tri_unit(s);
}

static void integers(tri_source *s, double *out, int count, int reach)
{
    for (int i = 0; i < count; i++)
        out[i] = tri_between(s, -reach, reach);
}

static double dot(const double *u, const double *v)
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static void cross(const double *u, const double *v, double out[3])
{
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

static void minus(const double *u, const double *v, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = u[i] - v[i];
}

static void plus(const double *u, double factor, const double *v, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = u[i] + factor * v[i];
}

static void copy_point(double *to, const double *from)
{
    memmove(to, from, 3 * sizeof *to);
}

// A point of the triangle in sixteenths; `corners` of them have a share.
static void point_of(tri_source *s, const double t[9], int corners, double out[3])
{
    const int first = corners == 1 ? 16 : tri_between(s, 1, corners == 2 ? 15 : 14);
    const int second = corners == 3 ? tri_between(s, 1, 15 - first) : 16 - first;
    const int third = 16 - first - second;
    for (int i = 0; i < 3; i++)
        out[i] = (first * t[i] + second * t[3 + i] + third * t[6 + i]) / 16;
}

void tri_nudge(tri_source *s, double t[9], int count)
{
    for (int i = 0; i < count; i++) {
        double *x = &t[tri_between(s, 0, 8)];
        *x = nextafter(*x, tri_chance(s, 50) ? DBL_MAX : -DBL_MAX);
    }
}

static void random_pair(tri_source *s, double a[9], double b[9])
{
    units(s, a, 9);
    units(s, b, 9);
}

// Some point of b is moved near some point of a.
static void random_close(tri_source *s, double a[9], double b[9])
{
    double p[3], q[3], shift[3];
    random_pair(s, a, b);
    point_of(s, a, 3, p);
    point_of(s, b, 3, q);
    minus(p, q, shift);
    const double size = ldexp(1, -tri_between(s, 0, 8));
    for (int i = 0; i < 9; i++)
        b[i] = size * (b[i] + shift[i % 3] - p[i % 3]) + p[i % 3] + 0.25 * size * tri_unit(s);
}

static void lattice_tiny(tri_source *s, double a[9], double b[9])
{
    integers(s, a, 9, 1);
    integers(s, b, 9, 1);
}

static void lattice_small(tri_source *s, double a[9], double b[9])
{
    integers(s, a, 9, 3);
    integers(s, b, 9, 3);
}

static void coplanar_axis(tri_source *s, double a[9], double b[9])
{
    const double height = tri_chance(s, 50) ? tri_between(s, -3, 3) : tri_unit(s);
    if (tri_chance(s, 50))
        lattice_small(s, a, b);
    else
        random_pair(s, a, b);
    for (int i = 2; i < 9; i += 3)
        a[i] = b[i] = height;
}

static void coplanar_skew(tri_source *s, double a[9], double b[9])
{
    double origin[3], u[3], v[3];
    integers(s, origin, 3, 9);
    integers(s, u, 3, 3);
    integers(s, v, 3, 3);
    for (int i = 0; i < 6; i++) {
        double *p = i < 3 ? a + 3 * i : b + 3 * (i - 3);
        plus(origin, tri_between(s, -5, 5), u, p);
        plus(p, tri_between(s, -5, 5), v, p);
    }
}

static void any_pair(tri_source *s, double a[9], double b[9])
{
    static tri_family_fn *const kinds[] = {random_pair, lattice_tiny, lattice_small,
                                           coplanar_skew};
    kinds[tri_between(s, 0, 3)](s, a, b);
}

static void shared_one(tri_source *s, double a[9], double b[9])
{
    any_pair(s, a, b);
    copy_point(b, a);
}

static void shared_two(tri_source *s, double a[9], double b[9])
{
    shared_one(s, a, b);
    copy_point(b + 3, a + 3);
}

static void shared_three(tri_source *s, double a[9], double b[9])
{
    any_pair(s, a, b);
    memcpy(b, a, 9 * sizeof *b);
}

// b touches a in its first corner, on the face, an edge or a corner of a. Half of the time the
// rest of b is held on one side of a's plane, or one step off it, so that contact may vanish.
static void touch(tri_source *s, double a[9], double b[9], int corners)
{
    double u[3], v[3], n[3], d[3];
    integers(s, a, 9, 100);
    point_of(s, a, corners, b);
    minus(a + 3, a, u);
    minus(a + 6, a, v);
    cross(u, v, n);
    const bool one_side = tri_chance(s, 70);
    for (int i = 3; i < 9; i += 3) {
        integers(s, d, 3, 100);
        plus(b, one_side && dot(d, n) < 0 ? -1 : 1, d, b + i);
    }
    if (one_side && tri_chance(s, 50)) {
        const int axis = tri_between(s, 0, 2);
        const double step = ldexp(n[axis] < 0 ? -1 : 1, -tri_between(s, 0, 40));
        for (int i = axis; i < 9; i += 3)
            b[i] += step;
    }
}

static void vertex_on_face(tri_source *s, double a[9], double b[9])
{
    touch(s, a, b, 3);
}

static void vertex_on_edge(tri_source *s, double a[9], double b[9])
{
    touch(s, a, b, 2);
}

static void vertex_on_vertex(tri_source *s, double a[9], double b[9])
{
    touch(s, a, b, 1);
}

// Edges through one point c, often with the third corners on either side of both edges' plane.
static void edge_on_edge(tri_source *s, double a[9], double b[9])
{
    double c[3], u[3], v[3], n[3], d[3];
    integers(s, c, 3, 50);
    integers(s, u, 3, 20);
    integers(s, v, 3, 20);
    cross(u, v, n);
    plus(c, -tri_between(s, 0, 4), u, a);
    plus(c, tri_between(s, 0, 4), u, a + 3);
    plus(c, -tri_between(s, 0, 4), v, b);
    plus(c, tri_between(s, 0, 4), v, b + 3);
    const bool apart = tri_chance(s, 70);
    integers(s, d, 3, 60);
    plus(c, apart && dot(d, n) > 0 ? -1 : 1, d, a + 6);
    integers(s, d, 3, 60);
    plus(c, apart && dot(d, n) < 0 ? -1 : 1, d, b + 6);
    if (apart && tri_chance(s, 50)) {
        for (int i = 0; i < 9; i++)
            b[i] += ldexp(n[i % 3], -30);
    }
}

static void sliver(tri_source *s, double a[9], double b[9])
{
    if (tri_chance(s, 50))
        random_close(s, a, b);
    else
        edge_on_edge(s, a, b);
    double *t[2] = {a, b};
    const int count = tri_between(s, 1, 2);
    for (int k = 0; k < count; k++) {
        const double thin = ldexp(1, -tri_between(s, 4, 60));
        double along[3];
        minus(t[k] + 3, t[k], along);
        plus(t[k], 0.5 + 0.5 * tri_unit(s), along, t[k] + 6);
        for (int i = 6; i < 9; i++)
            t[k][i] += thin * tri_unit(s);
    }
}

// The third corner becomes one of the others or a point between them.
static void flatten(tri_source *s, double t[9])
{
    if (tri_chance(s, 50))
        copy_point(t + 6, t + 3 * tri_between(s, 0, 1));
    else
        point_of(s, t, 2, t + 6);
}

static void segment_triangle(tri_source *s, double a[9], double b[9])
{
    static tri_family_fn *const kinds[] = {lattice_small, vertex_on_face, edge_on_edge,
                                           coplanar_skew};
    kinds[tri_between(s, 0, 3)](s, a, b);
    flatten(s, b);
}

static void segment_segment(tri_source *s, double a[9], double b[9])
{
    static tri_family_fn *const kinds[] = {edge_on_edge, lattice_tiny, coplanar_skew,
                                           shared_one};
    kinds[tri_between(s, 0, 3)](s, a, b);
    flatten(s, a);
    flatten(s, b);
}

static void point_triangle(tri_source *s, double a[9], double b[9])
{
    integers(s, a, 9, 8);
    if (tri_chance(s, 30))
        flatten(s, a);
    point_of(s, a, tri_between(s, 1, 3), b);
    if (tri_chance(s, 50)) {
        const int axis = tri_between(s, 0, 2);
        b[axis] += tri_sized(s, -40, 0);
    }
    copy_point(b + 3, b);
    copy_point(b + 6, b);
}

static void point_point(tri_source *s, double a[9], double b[9])
{
    any_pair(s, a, b);
    copy_point(a + 3, a);
    copy_point(a + 6, a);
    if (tri_chance(s, 60))
        copy_point(b, a);
    copy_point(b + 3, b);
    copy_point(b + 6, b);
    if (tri_chance(s, 30))
        tri_nudge(s, b, 1);
}

// Corners of one small set, so that they repeat within and across the triangles.
static void duplicates(tri_source *s, double a[9], double b[9])
{
    double pool[12];
    if (tri_chance(s, 50))
        units(s, pool, 12);
    else
        integers(s, pool, 12, 2);
    for (int i = 0; i < 9; i += 3) {
        copy_point(a + i, pool + 3 * tri_between(s, 0, 2));
        copy_point(b + i, pool + 3 * tri_between(s, tri_chance(s, 70) ? 3 : 0, 3));
    }
}

// An exact coincidence, then steps of one unit in the last place.
static void near_miss(tri_source *s, double a[9], double b[9])
{
    static tri_family_fn *const kinds[] = {vertex_on_face, vertex_on_edge, vertex_on_vertex,
                                           edge_on_edge,   coplanar_axis,  shared_two};
    kinds[tri_between(s, 0, 5)](s, a, b);
    tri_nudge(s, b, tri_between(s, 1, 4));
}

// Points of a plane with rounded directions: coplanar but for the last bits.
static void near_coplanar(tri_source *s, double a[9], double b[9])
{
    double u[3], v[3];
    units(s, u, 3);
    units(s, v, 3);
    for (int i = 0; i < 6; i++) {
        double *p = i < 3 ? a + 3 * i : b + 3 * (i - 3);
        const double origin[3] = {0, 0, 0};
        plus(origin, tri_unit(s), u, p);
        plus(p, tri_unit(s), v, p);
    }
    tri_nudge(s, b, tri_between(s, 0, 2));
}

void tri_coincidence(tri_source *s, double a[9], double b[9])
{
    static tri_family_fn *const kinds[] = {random_close,   lattice_small, coplanar_skew,
                                           vertex_on_face, edge_on_edge,  near_coplanar,
                                           vertex_on_edge, sliver,        segment_triangle};
    kinds[tri_between(s, 0, 8)](s, a, b);
}

const tri_family tri_shape_families[TRI_SHAPE_FAMILIES] = {
    {"random pair", random_pair},
    {"random close", random_close},
    {"lattice tiny", lattice_tiny},
    {"lattice small", lattice_small},
    {"coplanar axis", coplanar_axis},
    {"coplanar skew", coplanar_skew},
    {"shared one", shared_one},
    {"shared two", shared_two},
    {"shared three", shared_three},
    {"vertex on face", vertex_on_face},
    {"vertex on edge", vertex_on_edge},
    {"vertex on vertex", vertex_on_vertex},
    {"edge on edge", edge_on_edge},
    {"sliver", sliver},
    {"segment triangle", segment_triangle},
    {"segment segment", segment_segment},
    {"point triangle", point_triangle},
    {"point point", point_point},
    {"duplicates", duplicates},
    {"near miss", near_miss},
    {"near coplanar", near_coplanar},
};
