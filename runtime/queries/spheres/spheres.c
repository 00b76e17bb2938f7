// SPDX-License-Identifier: MIT
// Places and contacts of spheres, all in float64. What decides is the computed distance; boxes
// only cull, with more room than rounding can need.
#include "runtime/queries/spheres/spheres.h"

#include "kernels/round.h"
#include "runtime/traverse/eval_cache.h"

#include <math.h>
#include <string.h>

static const double room = 1e-12; // relative; every formula here is good to 1e-14

enum { BOXES = 1, PLACES = 2 }; // what is made of a node

shoal_status shl_spheres_reserve(shl_spheres *s, const shl_reduced *m,
                                 const shoal_allocator *allocator)
{
    const size_t nodes = m->proxy_nodes;
    shoal_status st = shl_array_reserve(&s->boxes, nodes * sizeof(shl_block), 0, allocator);
    if (st == SHOAL_OK)
        st =
            shl_array_reserve(&s->places, nodes * 4 * SHL_LANES * sizeof(double), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&s->made, nodes, 0, allocator);
    return st;
}

void shl_spheres_finish(shl_spheres *s, const shoal_allocator *allocator)
{
    shl_array_finish(&s->boxes, allocator);
    shl_array_finish(&s->places, allocator);
    shl_array_finish(&s->made, allocator);
}

void shl_spheres_enter(shl_spheres *s, const shl_free_body *b)
{
    if (s->body1 == b->number + 1)
        return;
    s->body1 = b->number + 1;
    memset(s->made.data, 0, b->reduced->proxy_nodes);
}

// Eight spheres by the formula of shoal/reduced.h, term by term.
static void evaluate(const double *state, uint32_t fields, const float *rows,
                     double out[4][SHL_LANES])
{
    const double *turn = state, *at = state + 9, *q = state + 12;
    for (int row = 0; row < 4; row++) {
        for (int i = 0; i < SHL_LANES; i++)
            out[row][i] = (double)rows[row * SHL_LANES + i];
    }
    for (uint32_t j = 0; j < fields; j++) {
        const float *u = rows + 4 * SHL_LANES * (j + (size_t)1);
        for (int row = 0; row < 4; row++) {
            const double share = row < 3 ? q[j] : fabs(q[j]);
            for (int i = 0; i < SHL_LANES; i++)
                out[row][i] += (double)u[row * SHL_LANES + i] * share;
        }
    }
    for (int i = 0; i < SHL_LANES; i++) {
        const double d[3] = {out[0][i], out[1][i], out[2][i]};
        for (int k = 0; k < 3; k++)
            out[k][i] =
                ((turn[3 * k] * d[0] + turn[3 * k + 1] * d[1]) + turn[3 * k + 2] * d[2]) +
                at[k];
    }
}

shl_lanes shl_spheres_open(shl_spheres *s, const shl_kernels *kernels, const shl_free_body *b,
                           uint32_t node)
{
    const shl_reduced *m = b->reduced;
    shl_block *boxes = (shl_block *)s->boxes.data + node;
    uint8_t *made = (uint8_t *)s->made.data + node;
    if (!(*made & BOXES)) {
        *made |= BOXES;
        const uint32_t count = m->proxy_first[node + 1] - m->proxy_first[node];
        if (b->wide)
            shl_reduced_wide(b, count, boxes);
        else
            kernels->reduced_open[SHL_BOUNDS_SPHERES](shl_proxy_block(m, node), m->field_count,
                                                      b->ready.data, count, boxes);
    }
    return (shl_lanes){boxes, m->proxy_first[node]};
}

shl_sphere shl_sphere_at(shl_spheres *s, const shl_free_body *b, uint32_t proxy)
{
    const shl_reduced *m = b->reduced;
    const uint32_t node = m->proxy_node[proxy], lane = shl_proxy_lane(m, proxy);
    double(*places)[SHL_LANES] = (double(*)[SHL_LANES])s->places.data + 4 * (size_t)node;
    uint8_t *made = (uint8_t *)s->made.data + node;
    if (!(*made & PLACES)) {
        *made |= PLACES;
        evaluate(b->own.data, m->field_count, shl_proxy_block(m, node), places);
    }
    return (shl_sphere){{places[0][lane], places[1][lane], places[2][lane]}, places[3][lane]};
}

shl_box shl_sphere_box(const shl_sphere *s)
{
    shl_box box;
    for (int k = 0; k < 3; k++) {
        const double reach = s->r + room * (s->r + fabs(s->c[k])) + 0x1p-1000;
        box.lo[k] = shl_round_down(s->c[k] - reach);
        box.hi[k] = shl_round_up(s->c[k] + reach);
    }
    return box;
}

// One level below the root, where boxes fit better, if there is one.
void shl_proxies_widen(const shl_kernels *kernels, shl_free_body *b)
{
    const shl_reduced *m = b->reduced;
    if (b->wide) // the box of a wide body is wide enough
        return;
    const bool deep = m->proxy_nodes > 1;
    const uint32_t end = deep ? m->proxy_first[1] : 1;
    for (uint32_t node = deep; node < end; node++) {
        shl_block block;
        shl_box box;
        kernels->reduced_open[SHL_BOUNDS_SPHERES](
            shl_proxy_block(m, node), m->field_count, b->ready.data,
            m->proxy_first[node + 1] - m->proxy_first[node], &block);
        kernels->block_merge(&block, &box);
        for (int k = 0; k < 3; k++) {
            b->box.lo[k] = box.lo[k] < b->box.lo[k] ? box.lo[k] : b->box.lo[k];
            b->box.hi[k] = box.hi[k] > b->box.hi[k] ? box.hi[k] : b->box.hi[k];
        }
    }
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

bool shl_sphere_sphere(const shl_sphere *a, const shl_sphere *b, shoal_contact *out)
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

bool shl_sphere_triangle(const shl_sphere *sphere, const double corners[9], shoal_contact *out)
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

static bool before(const shoal_contact *a, const shoal_contact *b)
{
    return a->proxy_a != b->proxy_a ? a->proxy_a < b->proxy_a : a->element_b < b->element_b;
}

// Sinks row `i` of a heap of `count` rows.
static void sink(shoal_contact *rows, size_t i, size_t count)
{
    const shoal_contact row = rows[i];
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && before(&rows[child], &rows[child + 1]))
            child++;
        if (!before(&row, &rows[child]))
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
