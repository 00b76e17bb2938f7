// SPDX-License-Identifier: MIT
#include "scenes/solvers/modal/patches.h"

#include "scenes/math/vec.h"

#include <stdlib.h>

enum { PATCH = 32 }; // most vertices of a patch

typedef struct key {
    double at;
    uint32_t vertex;
} key;

static int by_place(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

// Halves the vertices along the longest side of their box until they make a patch.
static void split(shl_patches *p, const shl_surface *rest, key *keys, uint32_t begin,
                  uint32_t end)
{
    if (end - begin <= PATCH) {
        p->rows[p->count++] = (shl_patch){.begin = begin, .end = end};
        return;
    }
    int longest = 0;
    double most = -1;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = begin; i < end; i++) {
            const double at = rest->xyz[3 * (size_t)p->order[i] + (size_t)k];
            lo = fmin(lo, at);
            hi = fmax(hi, at);
        }
        if (hi - lo > most) {
            most = hi - lo;
            longest = k;
        }
    }
    for (uint32_t i = begin; i < end; i++)
        keys[i] = (key){rest->xyz[3 * (size_t)p->order[i] + (size_t)longest], p->order[i]};
    qsort(keys + begin, end - begin, sizeof *keys, by_place);
    for (uint32_t i = begin; i < end; i++)
        p->order[i] = keys[i].vertex;
    const uint32_t middle = begin + (end - begin) / 2;
    split(p, rest, keys, begin, middle);
    split(p, rest, keys, middle, end);
}

// The middle of the box of some points, and how far they are from it.
static double ball(const double (*points)[3], uint32_t count, double centre[3])
{
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            lo = fmin(lo, points[i][k]);
            hi = fmax(hi, points[i][k]);
        }
        centre[k] = 0.5 * (lo + hi);
    }
    double square = 0;
    for (uint32_t i = 0; i < count; i++) {
        double d[3] = {points[i][0], points[i][1], points[i][2]};
        shl_add(d, -1, centre);
        square = fmax(square, shl_dot(d, d));
    }
    return sqrt(square) * (1 + 1e-9) + 1e-12; // rounding, here and when it is used
}

static void bound(shl_patches *p, const shl_surface *rest, const float *fields, uint32_t patch)
{
    shl_patch *row = &p->rows[patch];
    const uint32_t count = row->end - row->begin;
    double points[PATCH][3];
    for (uint32_t i = 0; i < count; i++)
        memcpy(points[i], rest->xyz + 3 * (size_t)p->order[row->begin + i], sizeof points[i]);
    row->radius = ball((const double(*)[3])points, count, row->centre);
    for (uint32_t j = 0; j < p->fields; j++) {
        for (uint32_t i = 0; i < count; i++) {
            const float *u = fields + 3 * ((size_t)p->order[row->begin + i] * p->fields + j);
            for (int k = 0; k < 3; k++)
                points[i][k] = (double)u[k];
        }
        const size_t at = (size_t)patch * p->fields + j;
        p->grow[at] = ball((const double(*)[3])points, count, p->move + 3 * at);
    }
}

shoal_status shl_patches_create(const shl_surface *rest, const float *fields,
                                uint32_t field_count, shl_patches *out)
{
    const uint32_t n = rest->vertex_count;
    const size_t most = 2 * (size_t)n / PATCH + 1; // a half of more than PATCH is at least half
    *out = (shl_patches){.order = malloc(n * sizeof *out->order),
                         .rows = calloc(most, sizeof *out->rows),
                         .move = calloc(most * field_count + 1, 3 * sizeof *out->move),
                         .grow = calloc(most * field_count + 1, sizeof *out->grow),
                         .fields = field_count};
    key *keys = malloc(n * sizeof *keys);
    const bool room = out->order && out->rows && out->move && out->grow && keys;
    if (room) {
        for (uint32_t v = 0; v < n; v++)
            out->order[v] = v;
        split(out, rest, keys, 0, n);
        for (uint32_t patch = 0; patch < out->count; patch++)
            bound(out, rest, fields, patch);
    } else {
        shl_patches_finish(out);
    }
    free(keys);
    return room ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

void shl_patches_finish(shl_patches *p)
{
    free(p->order);
    free(p->rows);
    free(p->move);
    free(p->grow);
    memset(p, 0, sizeof *p);
}

double shl_patch_lowest(const shl_patches *p, uint32_t patch, const double up[3],
                        const double *q)
{
    const shl_patch *row = &p->rows[patch];
    const double *move = p->move + 3 * (size_t)patch * p->fields;
    const double *grow = p->grow + (size_t)patch * p->fields;
    double height = shl_dot(up, row->centre) - row->radius;
    for (uint32_t j = 0; j < p->fields; j++)
        height += q[j] * shl_dot(up, move + 3 * (size_t)j) - fabs(q[j]) * grow[j];
    return height;
}
