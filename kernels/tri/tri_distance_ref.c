// SPDX-License-Identifier: MIT
#include "kernels/tri/tri_distance.h"

#include <float.h>
#include <math.h>

typedef struct vec {
    double x, y, z;
} vec;

// The six corners relative to the first of a, and the power of two they were divided by.
typedef struct corners {
    vec p[3], q[3];
    double extent; // R, after the division
    int exponent;
} corners;

// The nearest points so far.
typedef struct best {
    double square;
    vec on_a; // relative
    vec w;    // from b's point to a's
} best;

static vec add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static vec sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec scaled(double s, vec a)
{
    return (vec){s * a.x, s * a.y, s * a.z};
}

static double dot(vec a, vec b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// As the vector instructions do it: the second if one is NaN.
static double larger(double x, double y)
{
    return x > y ? x : y;
}

static double smaller(double x, double y)
{
    return x < y ? x : y;
}

static double clamped(double x, double top)
{
    return larger(smaller(x, top), 0);
}

static double inverse(double square)
{
    return 1 / larger(square, SHL_DISTANCE_LEAST);
}

static void offer(best *b, vec on_a, vec w)
{
    const double square = dot(w, w);
    if (square < b->square)
        *b = (best){square, on_a, w};
}

static vec corner(const double t[9], int i)
{
    return (vec){t[3 * i], t[3 * i + 1], t[3 * i + 2]};
}

static double coordinate_most(vec a)
{
    return larger(fabs(a.x), larger(fabs(a.y), fabs(a.z)));
}

static void take_from(const double a[9], const double b[9], double factor, corners *c)
{
    const vec first = scaled(factor, corner(a, 0));
    c->extent = 0;
    for (int i = 0; i < 3; i++) {
        c->p[i] = sub(scaled(factor, corner(a, i)), first);
        c->q[i] = sub(scaled(factor, corner(b, i)), first);
        c->extent = larger(coordinate_most(c->p[i]), c->extent);
        c->extent = larger(coordinate_most(c->q[i]), c->extent);
    }
}

static vec shifted(vec a, int exponent)
{
    return (vec){ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent)};
}

static corners relative(const double a[9], const double b[9])
{
    corners c;
    take_from(a, b, 1, &c);
    c.exponent = 0;
    if (c.extent >= SHL_DISTANCE_EXTENT_MIN && c.extent <= SHL_DISTANCE_EXTENT_MAX)
        return c;
    if (c.extent == 0)
        return c;
    if (!(c.extent <= DBL_MAX)) {
        take_from(a, b, 0.25, &c);
        c.exponent = 2;
    }
    const int by = ilogb(c.extent);
    for (int i = 0; i < 3; i++) {
        c.p[i] = shifted(c.p[i], -by);
        c.q[i] = shifted(c.q[i], -by);
    }
    c.extent = ldexp(c.extent, -by);
    c.exponent += by;
    return c;
}

// Corners on edges and edges on edges.
static void by_edges(const corners *c, best *b)
{
    for (int i = 0; i < 3; i++) {
        const vec u = sub(c->p[(i + 1) % 3], c->p[i]);
        const double uu = inverse(dot(u, u));
        for (int j = 0; j < 3; j++) {
            const vec v = sub(c->q[(j + 1) % 3], c->q[j]), r = sub(c->p[i], c->q[j]);
            const double vv = inverse(dot(v, v));
            offer(b, c->p[i], sub(r, scaled(clamped(dot(r, v) * vv, 1), v)));

            const vec back = scaled(clamped(dot(r, u) * -uu, 1), u);
            offer(b, add(c->p[i], back), add(r, back));

            const vec n = cross(u, v);
            const double s = clamped(dot(cross(v, r), n) * inverse(dot(n, n)), 1);
            const vec step = scaled(s, u), x = add(r, step);
            offer(b, add(c->p[i], step), sub(x, scaled(clamped(dot(x, v) * vv, 1), v)));
        }
    }
}

// From the nearest point of face t, by its inside, to point x.
static vec from_face(const vec t[3], vec x)
{
    const vec u = sub(t[1], t[0]), w = sub(t[2], t[0]), r = sub(x, t[0]);
    const vec n = cross(u, w);
    const double s = clamped(dot(cross(u, r), n) * inverse(dot(n, n)), 1);
    const vec at = sub(r, scaled(s, w));
    return sub(at, scaled(clamped(dot(at, u) * inverse(dot(u, u)), 1 - s), u));
}

static void by_faces(const corners *c, best *b)
{
    for (int i = 0; i < 3; i++)
        offer(b, c->p[i], from_face(c->q, c->p[i]));
    for (int i = 0; i < 3; i++) {
        const vec w = from_face(c->p, c->q[i]);
        offer(b, sub(c->q[i], w), scaled(-1, w));
    }
}

// Of triangles that share no point: 0 would say that they do, however near they are.
static double apart(double square, int exponent)
{
    return fmax(ldexp(sqrt(square), exponent), DBL_TRUE_MIN);
}

double shl_tri_distance_apart(const double a[9], const double b[9])
{
    const corners c = relative(a, b);
    best nearest = {.square = INFINITY};
    by_edges(&c, &nearest);
    by_faces(&c, &nearest);
    return apart(nearest.square, c.exponent);
}

bool shl_tris_overlap(const double a[9], const double b[9])
{
    static const shl_tri whole = {{0, 1, 2}, 0};
    const shl_tri_side side_a = {a, &whole, SHOAL_F64}, side_b = {b, &whole, SHOAL_F64};
    const shl_tri_pair pair = {0, 0};
    shl_tri_pair out;
    uint64_t exact = 0;
    return shl_tri_overlap_ref(&side_a, &side_b, &pair, 1, &out, &exact) == 1;
}

void shl_tri_distance_ref(const shl_tri_side *a, const shl_tri_side *b,
                          const shl_tri_pair *pairs, uint32_t count, double *distance,
                          uint64_t *exact_count)
{
    for (uint32_t i = 0; i < count; i++) {
        double p[9], q[9];
        shl_tri_corners(a, pairs[i].a, p);
        shl_tri_corners(b, pairs[i].b, q);
        shl_tri_pair out;
        const bool touch = shl_tri_boxes_meet(p, q) &&
                           shl_tri_overlap_ref(a, b, &pairs[i], 1, &out, exact_count) == 1;
        distance[i] = touch ? 0 : shl_tri_distance_apart(p, q);
    }
}

// Where the edges of s pass through the face t: a common point of triangles that cross.
static void by_piercing(const vec s[3], const vec t[3], bool s_is_a, best *b)
{
    const vec n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    for (int i = 0; i < 3; i++) {
        const vec from = s[i], u = sub(s[(i + 1) % 3], from);
        const double height = dot(sub(from, t[0]), n), rise = dot(u, n);
        const vec x = add(from, scaled(clamped(-height / rise, 1), u));
        const vec w = from_face(t, x);
        offer(b, s_is_a ? x : sub(x, w), s_is_a ? w : scaled(-1, w));
    }
}

// From relative coordinates back to those of the corners, of which `first` is one. Points of
// triangles are finite, wherever rounding would put them.
static double placed(double first, double offset, int exponent)
{
    const double whole = ldexp(offset, exponent);
    const double x = fabs(whole) <= DBL_MAX / 4 ? first + whole
                                                : 4 * (first / 4 + ldexp(offset, exponent - 2));
    return fmin(fmax(x, -DBL_MAX), DBL_MAX);
}

void shl_tri_closest(const double a[9], const double b[9], shl_closest *out)
{
    const corners c = relative(a, b);
    const bool touch = shl_tri_boxes_meet(a, b) && shl_tris_overlap(a, b);
    best nearest = {.square = INFINITY};
    by_edges(&c, &nearest);
    by_faces(&c, &nearest);
    out->distance = touch ? 0 : apart(nearest.square, c.exponent);
    out->error = touch || c.extent == 0
                     ? 0
                     : ldexp(SHL_DISTANCE_ERROR * c.extent, c.exponent) + DBL_TRUE_MIN;
    if (touch) {
        by_piercing(c.p, c.q, true, &nearest);
        by_piercing(c.q, c.p, false, &nearest);
    }
    const vec from = nearest.on_a, to = sub(from, nearest.w);
    const double on_a[3] = {from.x, from.y, from.z}, on_b[3] = {to.x, to.y, to.z};
    for (int k = 0; k < 3; k++) {
        out->on_a[k] = placed(a[k], on_a[k], c.exponent);
        out->on_b[k] = placed(a[k], on_b[k], c.exponent);
    }
}

void shl_tri_closest_rows_ref(const double (*a)[9], const double (*b)[9], uint32_t count,
                              shl_closest *out)
{
    for (uint32_t i = 0; i < count; i++)
        shl_tri_closest(a[i], b[i], &out[i]);
}
