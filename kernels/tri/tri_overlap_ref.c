// SPDX-License-Identifier: MIT
#include "kernels/tri/tri_overlap.h"

#include "kernels/tri/exact_tri.h"

#include <math.h>

typedef struct vec {
    double x, y, z;
} vec;

// The filter's three answers.
typedef enum answer { APART, OVERLAP, UNSURE } answer;

static vec sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

// a . (b x c)
static double det(vec a, vec b, vec c)
{
    double x = b.y * c.z - b.z * c.y;
    double y = b.z * c.x - b.x * c.z;
    double z = b.x * c.y - b.y * c.x;
    return (a.x * x + a.y * y) + a.z * z;
}

// Four corners at one x, y or z: their determinant is 0 whatever rounding does, since
// differences are 0 only of equal numbers. Regular meshes are full of these.
static bool in_axis_plane(vec a, vec b, vec c)
{
    return (a.x == 0 && b.x == 0 && c.x == 0) || (a.y == 0 && b.y == 0 && c.y == 0) ||
           (a.z == 0 && b.z == 0 && c.z == 0);
}

// Is a determinant at least 0? OVERLAP if so.
static answer not_negative(vec a, vec b, vec c, double limit)
{
    const double d = det(a, b, c);
    if (d > limit || in_axis_plane(a, b, c))
        return OVERLAP;
    return d < -limit ? APART : UNSURE;
}

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

static double most_of(double a, double b)
{
    return a > b ? a : b;
}

static vec corner(const double t[9], uint32_t i)
{
    return (vec){t[3 * i], t[3 * i + 1], t[3 * i + 2]};
}

static double filter_limit(const double a[9], const double b[9])
{
    double size[3];
    for (int k = 0; k < 3; k++) {
        double lo = a[k], hi = a[k];
        for (int i = k; i < 9; i += 3) {
            lo = least_of(lo, least_of(a[i], b[i]));
            hi = most_of(hi, most_of(a[i], b[i]));
        }
        size[k] = hi - lo;
        if (!(size[k] >= SHL_TRI_FILTER_MIN && size[k] <= SHL_TRI_FILTER_MAX))
            return INFINITY;
    }
    return size[0] * size[1] * size[2] * SHL_TRI_FILTER;
}

// Sides of p's corners against the plane of t. APART when all are surely on one side; otherwise
// OVERLAP when all are sure, with a bit set in *negative for each corner on the negative side.
static answer plane_sides(const double p[9], const double t[9], double limit,
                          uint32_t *negative)
{
    vec t0 = corner(t, 0), t1 = sub(corner(t, 1), t0), t2 = sub(corner(t, 2), t0);
    uint32_t above = 0, below = 0;
    for (uint32_t i = 0; i < 3; i++) {
        double d = det(sub(corner(p, i), t0), t1, t2);
        above |= (uint32_t)(d > limit) << i;
        below |= (uint32_t)(d < -limit) << i;
    }
    *negative = below;
    if (above == 7 || below == 7)
        return APART;
    return (above | below) == 7 ? OVERLAP : UNSURE;
}

static answer filter(const double a[9], const double b[9])
{
    double limit = filter_limit(a, b);
    uint32_t negative_a, negative_b;
    answer plane_b = plane_sides(a, b, limit, &negative_a);
    answer plane_a = plane_sides(b, a, limit, &negative_b);
    if (plane_a == APART || plane_b == APART)
        return APART;
    if (plane_a == UNSURE || plane_b == UNSURE)
        return UNSURE;
    const uint32_t *oa = shl_tri_order[!shl_tri_negative(negative_b)][negative_a];
    const uint32_t *ob = shl_tri_order[shl_tri_negative(negative_a)][negative_b];
    vec pa = corner(a, oa[0]);
    vec qa = sub(corner(a, oa[1]), pa), ra = sub(corner(a, oa[2]), pa);
    vec pb = sub(corner(b, ob[0]), pa);
    vec qb = sub(corner(b, ob[1]), pa), rb = sub(corner(b, ob[2]), pa);
    const answer one = not_negative(qa, pb, rb, limit), two = not_negative(ra, qb, pb, limit);
    if (one == APART || two == APART)
        return APART;
    return one == OVERLAP && two == OVERLAP ? OVERLAP : UNSURE;
}

uint32_t shl_tri_overlap_ref(const shl_tri_side *a, const shl_tri_side *b,
                             const shl_tri_pair *pairs, uint32_t count, shl_tri_pair *out,
                             uint64_t *exact_count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const shl_tri_pair pair = pairs[i];
        double ta[9], tb[9];
        shl_tri_corners(a, pair.a, ta);
        shl_tri_corners(b, pair.b, tb);
        answer found = filter(ta, tb);
        if (found == UNSURE) {
            ++*exact_count;
            found = shl_exact_tri_tri(ta, tb) ? OVERLAP : APART;
        }
        if (found == OVERLAP)
            out[kept++] = pair;
    }
    return kept;
}
