// SPDX-License-Identifier: MIT
// Places and contacts of spheres, all in float64. What decides is the computed distance; boxes
// only cull, with more room than rounding can need.
#include "runtime/steps/proxies.h"

#include "kernels/round.h"
#include "runtime/steps/reduced.h"

#include <math.h>

static const double room = 1e-12; // relative; every formula here is good to 1e-14

size_t shl_spheres_bytes(uint32_t count)
{
    return count * (4 * sizeof(double) + sizeof(uint32_t));
}

// Rows of one sphere or of many: sums in place, then the turn.
static void evaluate(const double *state, uint32_t fields, const float *rows, uint32_t count,
                     double *const c[3], double *r)
{
    const double *turn = state, *at = state + 9, *q = state + 12;
    for (uint32_t row = 0; row < 4; row++) {
        double *to = row < 3 ? c[row] : r;
        for (uint32_t i = 0; i < count; i++)
            to[i] = (double)rows[row * (size_t)count + i];
        for (uint32_t j = 0; j < fields; j++) {
            const float *u = rows + (4 * (j + (size_t)1) + row) * count;
            const double share = row < 3 ? q[j] : fabs(q[j]);
            for (uint32_t i = 0; i < count; i++)
                to[i] += (double)u[i] * share;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const double d[3] = {c[0][i], c[1][i], c[2][i]};
        for (int k = 0; k < 3; k++)
            c[k][i] = ((turn[3 * k] * d[0] + turn[3 * k + 1] * d[1]) + turn[3 * k + 2] * d[2]) +
                      at[k];
    }
}

shl_spheres shl_spheres_evaluate(const shl_free_body *b, void *memory)
{
    const shl_reduced *m = b->reduced;
    const size_t n = m->proxy_count;
    double *columns = memory;
    shl_spheres s = {{columns, columns + n, columns + 2 * n},
                     columns + 3 * n,
                     (uint32_t *)(columns + 4 * n),
                     m->proxy_count,
                     0};
    evaluate(b->own.data, m->field_count, m->proxies, m->proxy_count, s.c, s.r);
    return s;
}

shl_box shl_sphere_box(const double centre[3], double radius)
{
    shl_box box;
    for (int k = 0; k < 3; k++) {
        const double reach = radius + room * (radius + fabs(centre[k])) + 0x1p-1000;
        box.lo[k] = shl_round_down(centre[k] - reach);
        box.hi[k] = shl_round_up(centre[k] + reach);
    }
    return box;
}

static bool overlap(const shl_box *a, const shl_box *b)
{
    bool all = true;
    for (int k = 0; k < 3; k++)
        all &= a->lo[k] <= b->hi[k] && b->lo[k] <= a->hi[k];
    return all;
}

void shl_spheres_near(shl_spheres *s, const shl_box *box)
{
    s->near_count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const shl_box own =
            shl_sphere_box((double[]){s->c[0][i], s->c[1][i], s->c[2][i]}, s->r[i]);
        s->near[s->near_count] = i;
        s->near_count += overlap(&own, box);
    }
}

void shl_proxies_widen(shl_free_body *b)
{
    const shl_reduced *m = b->reduced;
    double x, y, z, r;
    evaluate(b->own.data, m->field_count, m->proxy_root, 1, (double *[]){&x, &y, &z}, &r);
    // the turn may lengthen by what shoal_scene_set_reduced() lets pass
    const double away = fmax(fabs(x), fmax(fabs(y), fabs(z)));
    const shl_box box = shl_sphere_box((double[]){x, y, z}, 1.00001 * r + room * away);
    for (int k = 0; k < 3; k++) {
        b->box.lo[k] = box.lo[k] < b->box.lo[k] ? box.lo[k] : b->box.lo[k];
        b->box.hi[k] = box.hi[k] > b->box.hi[k] ? box.hi[k] : b->box.hi[k];
    }
}

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

bool shl_sphere_sphere(const shl_spheres *a, uint32_t i, const shl_spheres *b, uint32_t k,
                       shoal_contact *out)
{
    const double d[3] = {b->c[0][k] - a->c[0][i], b->c[1][k] - a->c[1][i],
                         b->c[2][k] - a->c[2][i]};
    const double distance = sqrt(dot(d, d)), sum = a->r[i] + b->r[k];
    if (!(distance <= sum))
        return false;
    out->depth = sum - distance;
    for (int axis = 0; axis < 3; axis++) {
        out->normal[axis] = distance > 0 ? d[axis] / distance : axis == 0;
        out->position[axis] = a->c[axis][i] + out->normal[axis] * (a->r[i] - 0.5 * out->depth);
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

bool shl_sphere_triangle(const double centre[3], double radius, const double corners[9],
                         shoal_contact *out)
{
    double p[3][3], ab[3], ac[3], normal[3], best[3] = {0}, square = INFINITY;
    for (int i = 0; i < 9; i++)
        p[i / 3][i % 3] = corners[i] - centre[i % 3];
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
    const double distance = sqrt(square);
    if (!(distance <= radius))
        return false;
    out->depth = radius - distance;
    for (int k = 0; k < 3; k++) {
        // a centre on the triangle leaves it along the triangle's own normal
        out->normal[k] = distance > 0 ? best[k] / distance
                         : area > 0   ? normal[k] / sqrt(area)
                                      : k == 0;
        out->position[k] = centre[k] + best[k];
    }
    return true;
}

// Sinks row `i` of a heap of `count` rows.
static void sink(shoal_contact *rows, size_t i, size_t count)
{
    const shoal_contact row = rows[i];
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && rows[child + 1].element_b > rows[child].element_b)
            child++;
        if (rows[child].element_b <= row.element_b)
            break;
        rows[i] = rows[child];
    }
    rows[i] = row;
}

void shl_sort_contacts(shoal_contact *rows, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sink(rows, i, count);
    for (size_t end = count; end-- > 1;) {
        const shoal_contact last = rows[end];
        rows[end] = rows[0];
        rows[0] = last;
        sink(rows, 0, end);
    }
}
