// SPDX-License-Identifier: MIT
#include "kernels/tri/exact_tri.h"

#include "kernels/tri/exact_int.h"

#include <string.h>

// Points are numbers into shl_exact_points: a's corners are 0, 1, 2 and b's 3, 4, 5.
typedef struct corners {
    int v[3];
    int axis; // one along which the normal is not zero; -1 when the triangle has no area
} corners;

static int normal_axis(const shl_exact_points *s, int a, int b, int c)
{
    for (int axis = 0; axis < 3; axis++)
        if (shl_exact_orient2d(s, axis, a, b, c))
            return axis;
    return -1;
}

static corners make_corners(const shl_exact_points *s, int first)
{
    return (corners){{first, first + 1, first + 2},
                     normal_axis(s, first, first + 1, first + 2)};
}

static void load_both(shl_exact_points *s, const double a[9], const double b[9])
{
    double xyz[18];
    memcpy(xyz, a, 9 * sizeof *a);
    memcpy(xyz + 9, b, 9 * sizeof *b);
    shl_exact_load(s, xyz, 6);
}

static bool between(double x, double end0, double end1)
{
    return end0 < end1 ? end0 <= x && x <= end1 : end1 <= x && x <= end0;
}

// r is known to lie on the line of pq in the plane without `axis`: does it lie on the segment?
static bool within(const shl_exact_points *s, int axis, int p, int q, int r)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return between(s->xyz[r][u], s->xyz[p][u], s->xyz[q][u]) &&
           between(s->xyz[r][v], s->xyz[p][v], s->xyz[q][v]);
}

// Closed segments pq and rt in the plane without `axis`: they cross, or an end of one lies on
// the other. Holds for points as well.
static bool seg_seg_flat(const shl_exact_points *s, int axis, int p, int q, int r, int t)
{
    int pqr = shl_exact_orient2d(s, axis, p, q, r), pqt = shl_exact_orient2d(s, axis, p, q, t);
    if (pqr * pqt > 0)
        return false;
    int rtp = shl_exact_orient2d(s, axis, r, t, p), rtq = shl_exact_orient2d(s, axis, r, t, q);
    if (pqr * pqt < 0 && rtp * rtq < 0)
        return true;
    return (!pqr && within(s, axis, p, q, r)) || (!pqt && within(s, axis, p, q, t)) ||
           (!rtp && within(s, axis, r, t, p)) || (!rtq && within(s, axis, r, t, q));
}

static bool not_after(const double *p, const double *q)
{
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k])
            return p[k] < q[k];
    return true;
}

// All four points lie on one line, along which the order of (x, y, z) is monotone.
static bool seg_seg_line(const shl_exact_points *s, int p, int q, int r, int t)
{
    if (!not_after(s->xyz[p], s->xyz[q]))
        return seg_seg_line(s, q, p, r, t);
    if (!not_after(s->xyz[r], s->xyz[t]))
        return seg_seg_line(s, p, q, t, r);
    return not_after(s->xyz[p], s->xyz[t]) && not_after(s->xyz[r], s->xyz[q]);
}

static bool seg_seg(const shl_exact_points *s, int p, int q, int r, int t)
{
    if (shl_exact_orient3d(s, p, q, r, t))
        return false;
    const int triple[4][3] = {{p, q, r}, {p, q, t}, {p, r, t}, {q, r, t}};
    for (int i = 0; i < 4; i++) {
        int axis = normal_axis(s, triple[i][0], triple[i][1], triple[i][2]);
        if (axis >= 0) // the common plane does not collapse when `axis` is dropped
            return seg_seg_flat(s, axis, p, q, r, t);
    }
    return seg_seg_line(s, p, q, r, t);
}

static bool same_way(const int sign[3])
{
    return (sign[0] >= 0 && sign[1] >= 0 && sign[2] >= 0) ||
           (sign[0] <= 0 && sign[1] <= 0 && sign[2] <= 0);
}

// p lies in the plane of t, which has area.
static bool inside_flat(const shl_exact_points *s, int p, const corners *t)
{
    int sign[3];
    for (int i = 0; i < 3; i++)
        sign[i] = shl_exact_orient2d(s, t->axis, t->v[i], t->v[(i + 1) % 3], p);
    return same_way(sign);
}

static int side_of(const shl_exact_points *s, int p, const corners *t)
{
    return shl_exact_orient3d(s, t->v[0], t->v[1], t->v[2], p);
}

// Closed segment pq against closed t. side_p and side_q, of the ends against t's plane, count
// only when t has area.
static bool seg_tri_sided(const shl_exact_points *s, int p, int q, int side_p, int side_q,
                          const corners *t)
{
    const int *v = t->v;
    if (t->axis < 0)
        return seg_seg(s, p, q, v[0], v[1]) || seg_seg(s, p, q, v[1], v[2]) ||
               seg_seg(s, p, q, v[2], v[0]);
    if (side_p * side_q > 0)
        return false;
    if (!side_p && !side_q)
        return inside_flat(s, p, t) || seg_seg_flat(s, t->axis, p, q, v[0], v[1]) ||
               seg_seg_flat(s, t->axis, p, q, v[1], v[2]) ||
               seg_seg_flat(s, t->axis, p, q, v[2], v[0]);
    // The line meets the plane in one point, which lies on pq; it is in t when the line passes
    // all three edges on the same side.
    int sign[3];
    for (int i = 0; i < 3; i++) {
        sign[i] = shl_exact_orient3d(s, p, q, v[i], v[(i + 1) % 3]);
        if (i && sign[i] * sign[0] < 0)
            return false;
    }
    return same_way(sign);
}

static bool seg_tri(const shl_exact_points *s, int p, int q, const corners *t)
{
    int side_p = t->axis < 0 ? 0 : side_of(s, p, t);
    int side_q = t->axis < 0 || p == q ? side_p : side_of(s, q, t);
    return seg_tri_sided(s, p, q, side_p, side_q, t);
}

// An edge of `from` meets t; side[] belongs to from's corners.
static bool edges_meet(const shl_exact_points *s, const corners *from, const int side[3],
                       const corners *t)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (seg_tri_sided(s, from->v[i], from->v[j], side[i], side[j], t))
            return true;
    }
    return false;
}

// Sides of from's corners against t's plane, 0 when there is none; false when all are strictly
// on one side.
static bool reaches_plane(const shl_exact_points *s, const corners *from, const corners *t,
                          int side[3])
{
    if (t->axis < 0) {
        side[0] = side[1] = side[2] = 0;
        return true;
    }
    for (int i = 0; i < 3; i++)
        side[i] = side_of(s, from->v[i], t);
    return !(side[0] && side[0] == side[1] && side[0] == side[2]);
}

bool shl_exact_tri_tri(const double a[9], const double b[9])
{
    shl_exact_points s;
    load_both(&s, a, b);
    const corners ta = make_corners(&s, 0), tb = make_corners(&s, 3);
    int side_a[3], side_b[3];
    if (!reaches_plane(&s, &ta, &tb, side_a) || !reaches_plane(&s, &tb, &ta, side_b))
        return false;
    // Where two triangles with area meet, an edge of one meets the other; a triangle without
    // area is nothing but its edges.
    if (ta.axis < 0)
        return edges_meet(&s, &ta, side_a, &tb);
    if (tb.axis < 0)
        return edges_meet(&s, &tb, side_b, &ta);
    return edges_meet(&s, &ta, side_a, &tb) || edges_meet(&s, &tb, side_b, &ta);
}

bool shl_exact_tri_adjacent(const double a[9], const double b[9], uint32_t shared_count,
                            const uint8_t shared_a[3], const uint8_t shared_b[3])
{
    if (shared_count >= 3)
        return true;
    shl_exact_points s;
    load_both(&s, a, b);
    const corners ta = make_corners(&s, 0), tb = make_corners(&s, 3);
    const int av = shared_a[0], bv = shared_b[0];
    if (shared_count == 1)
        return seg_tri(&s, (av + 1) % 3, (av + 2) % 3, &tb) ||
               seg_tri(&s, 3 + (bv + 1) % 3, 3 + (bv + 2) % 3, &ta);
    const int aw = shared_a[1], bw = shared_b[1];
    const int p = 3 - av - aw, q = 3 + (3 - bv - bw);
    return seg_tri(&s, p, p, &tb) || seg_tri(&s, q, q, &ta) || seg_seg(&s, av, p, 3 + bw, q) ||
           seg_seg(&s, aw, p, 3 + bv, q);
}
