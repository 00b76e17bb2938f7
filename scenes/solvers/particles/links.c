// SPDX-License-Identifier: MIT
#include "scenes/solvers/particles/links.h"

#include <math.h>
#include <stdlib.h>

static bool reserve(shl_links *l, size_t count)
{
    if (count <= l->capacity)
        return true;
    const size_t want = count + count / 2 + 16;
    shl_link *more = want < UINT32_MAX ? realloc(l->list, want * sizeof *more) : NULL;
    if (!more)
        return false;
    l->list = more;
    l->capacity = (uint32_t)want;
    return true;
}

shoal_status shl_links_add(shl_links *l, const shl_particles *particles, uint32_t a, uint32_t b,
                           double compliance)
{
    if (!reserve(l, l->count + (size_t)1))
        return SHOAL_ERR_MEMORY;
    double square = 0;
    for (size_t k = 0; k < 3; k++) {
        const double d = particles->p[3 * (size_t)a + k] - particles->p[3 * (size_t)b + k];
        square += d * d;
    }
    l->list[l->count++] = (shl_link){a, b, sqrt(square), compliance, 0};
    return SHOAL_OK;
}

// An edge of a triangle and the corner that faces it.
typedef struct edge {
    uint32_t low, high, facing;
} edge;

static int by_ends(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->facing > y->facing) - (x->facing < y->facing);
}

shoal_status shl_links_cloth(shl_links *l, const shl_particles *particles,
                             const uint32_t *triangles, uint32_t triangle_count, double stretch,
                             double bend)
{
    const size_t count = 3 * (size_t)triangle_count;
    edge *edges = calloc(count + 1, sizeof *edges);
    if (!edges)
        return SHOAL_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *t = triangles + i / 3 * 3;
        const uint32_t a = t[i % 3], b = t[(i + 1) % 3];
        edges[i] = (edge){a < b ? a : b, a < b ? b : a, t[(i + 2) % 3]};
    }
    qsort(edges, count, sizeof *edges, by_ends);
    shoal_status st = SHOAL_OK;
    for (size_t i = 0; i < count && st == SHOAL_OK; i++) {
        const bool again =
            i > 0 && edges[i].low == edges[i - 1].low && edges[i].high == edges[i - 1].high;
        st = again ? shl_links_add(l, particles, edges[i - 1].facing, edges[i].facing, bend)
                   : shl_links_add(l, particles, edges[i].low, edges[i].high, stretch);
    }
    free(edges);
    return st;
}

void shl_links_finish(shl_links *l)
{
    free(l->list);
    *l = (shl_links){0};
}

void shl_links_begin(shl_links *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        l->list[i].force = 0;
}

void shl_links_solve(shl_links *l, shl_particles *particles, double step)
{
    for (uint32_t i = 0; i < l->count; i++) {
        shl_link *e = &l->list[i];
        double *a = particles->p + 3 * (size_t)e->a, *b = particles->p + 3 * (size_t)e->b;
        const double wa = particles->inverse[e->a], wb = particles->inverse[e->b];
        const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        const double soft = e->compliance / (step * step);
        if (length == 0 || wa + wb == 0)
            continue;
        const double more = (e->rest - length - soft * e->force) / (wa + wb + soft);
        e->force += more;
        for (int k = 0; k < 3; k++) {
            a[k] += wa * more * d[k] / length;
            b[k] -= wb * more * d[k] / length;
        }
    }
}
