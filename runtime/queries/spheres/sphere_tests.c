// SPDX-License-Identifier: MIT
// All in float64. What decides is the computed distance; boxes only cull, with more margin than
// rounding can need.
#include "runtime/queries/spheres/sphere_tests.h"

#include "kernels/round.h"

#include <math.h>

static const double margin = 1e-12; // relative; every formula here is good to 1e-14

shl_box shl_sphere_box(const shl_sphere *s)
{
    shl_box box;
    for (int k = 0; k < 3; k++) {
        const double extent = s->r + margin * (s->r + fabs(s->c[k])) + 0x1p-1000;
        box.lo[k] = shl_round_down(s->c[k] - extent);
        box.hi[k] = shl_round_up(s->c[k] + extent);
    }
    return box;
}

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// What lengths are divided by, as a power of two, so that their fourth powers are doubles: 0
// but for very large or small ones.
static int scale_of(double largest)
{
    int exponent = 0;
    if (largest > 0x1p200 || (largest > 0 && largest < 0x1p-200))
        frexp(largest, &exponent);
    return exponent;
}

bool shl_sphere_sphere(const shl_sphere *a, const shl_sphere *b, shoal_sphere_contact *out)
{
    double d[3] = {b->c[0] - a->c[0], b->c[1] - a->c[1], b->c[2] - a->c[2]};
    const int scale =
        scale_of(fmax(fmax(fabs(d[0]), fabs(d[1])), fmax(fabs(d[2]), a->r + b->r)));
    for (int k = 0; k < 3; k++)
        d[k] = ldexp(d[k], -scale);
    const double distance = sqrt(dot(d, d)), sum = ldexp(a->r + b->r, -scale);
    if (!(distance <= sum))
        return false;
    out->depth = ldexp(sum - distance, scale);
    for (int axis = 0; axis < 3; axis++) {
        out->normal[axis] = distance > 0 ? d[axis] / distance : axis == 0;
        out->position[axis] = a->c[axis] + out->normal[axis] * (a->r - 0.5 * out->depth);
    }
    return true;
}

// The nearest point of a segment to the origin replaces `best` if it is nearer.
static void try_segment(const double a[3], const double b[3], double best[3], double *square)
{
    const double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double length = dot(ab, ab);
    double t = length > 0 ? -dot(a, ab) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const double p[3] = {a[0] + t * ab[0], a[1] + t * ab[1], a[2] + t * ab[2]};
    const double s = dot(p, p);
    if (s < *square) {
        *square = s;
        for (int k = 0; k < 3; k++)
            best[k] = p[k];
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

bool shl_sphere_triangle(const shl_sphere *sphere, const double corners[9],
                         shoal_sphere_contact *out)
{
    double p[3][3], ab[3], ac[3], normal[3], best[3] = {0}, square = INFINITY;
    double largest = sphere->r;
    for (int i = 0; i < 9; i++) {
        p[i / 3][i % 3] = corners[i] - sphere->c[i % 3];
        largest = fmax(largest, fabs(p[i / 3][i % 3]));
    }
    const int scale = scale_of(largest);
    for (int i = 0; i < 9; i++)
        p[i / 3][i % 3] = ldexp(p[i / 3][i % 3], -scale);
    for (int i = 0; i < 3; i++)
        try_segment(p[i], p[(i + 1) % 3], best, &square);
    for (int k = 0; k < 3; k++) {
        ab[k] = p[1][k] - p[0][k];
        ac[k] = p[2][k] - p[0][k];
    }
    cross(ab, ac, normal);
    const double area = dot(normal, normal);
    bool above = area > 0; // the origin, along the normal, meets the inside
    for (int i = 0; i < 3 && above; i++) {
        double edge[3], side[3];
        for (int k = 0; k < 3; k++)
            edge[k] = p[(i + 1) % 3][k] - p[i][k];
        cross(p[i], edge, side);
        above = dot(side, normal) > 0;
    }
    const double height = above ? dot(p[0], normal) / area : 0;
    for (int k = 0; k < 3 && above; k++)
        best[k] = height * normal[k];
    if (above)
        square = dot(best, best);
    const double distance = sqrt(square), radius = ldexp(sphere->r, -scale);
    if (!(distance <= radius))
        return false;
    out->depth = ldexp(radius - distance, scale);
    for (int k = 0; k < 3; k++) {
        // a centre on the triangle leaves it along the triangle's own normal
        out->normal[k] = distance > 0 ? best[k] / distance
                         : area > 0   ? normal[k] / sqrt(area)
                                      : k == 0;
        out->position[k] = sphere->c[k] + ldexp(best[k], scale);
    }
    return true;
}

static bool before(const shoal_sphere_contact *a, const shoal_sphere_contact *b)
{
    return a->sphere_a != b->sphere_a ? a->sphere_a < b->sphere_a : a->element_b < b->element_b;
}

// Sinks row `i` of a heap of `count` rows.
static void sink(shoal_sphere_contact *rows, size_t i, size_t count)
{
    const shoal_sphere_contact row = rows[i];
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && before(&rows[child], &rows[child + 1]))
            child++;
        if (!before(&row, &rows[child]))
            break;
        rows[i] = rows[child];
    }
    rows[i] = row;
}

void shl_sort_contacts(shoal_sphere_contact *rows, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sink(rows, i, count);
    for (size_t end = count; end-- > 1;) {
        const shoal_sphere_contact last = rows[end];
        rows[end] = rows[0];
        rows[0] = last;
        sink(rows, 0, end);
    }
}
