// SPDX-License-Identifier: MIT
#include "runtime/queries/diagram/diagram.h"

#include "kernels/tri/point_tri.h"

#include <math.h>

enum { LEAF = 4 }; // cells along a cube that is not cut further

typedef struct cube {
    uint32_t lo[3]; // first cell
    uint32_t side;
} cube;

// Candidates of a cube: a range of the worker's list.
typedef struct candidate_range {
    size_t begin, count;
} candidate_range;

// How far a candidate is at least and at most.
typedef struct interval {
    double low, high;
} interval;

static uint32_t tiles_along(const shl_diagram *d, int k)
{
    return (uint32_t)(((uint64_t)d->cells[k] + SHL_DIAGRAM_TILE - 1) / SHL_DIAGRAM_TILE);
}

uint32_t shl_diagram_tiles(const shl_diagram *d)
{
    return tiles_along(d, 0) * tiles_along(d, 1) * tiles_along(d, 2);
}

// One past the cube's last cell of the grid.
static uint32_t end_of(const shl_diagram *d, const cube *c, int k)
{
    const uint64_t end = (uint64_t)c->lo[k] + c->side;
    return end < d->cells[k] ? (uint32_t)end : d->cells[k];
}

// The centre of the cube's samples; returns how far they are from it.
static double centre_of(const shl_diagram *d, const cube *c, double out[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double half = 0.5 * (end_of(d, c, k) - c->lo[k] - 1);
        out[k] = c->lo[k] + 0.5 + half;
        sum += half * half;
    }
    return sqrt(sum);
}

static shoal_status reserve(const shl_diagram *d, shl_diagram_worker *w, size_t rows,
                            size_t kept)
{
    const shoal_status st = shl_array_reserve(&w->list, (rows + 1) * sizeof(uint32_t),
                                              kept * sizeof(uint32_t), d->allocator);
    return st == SHOAL_OK
               ? shl_array_reserve(&w->near, (d->count + (size_t)1) * sizeof(interval), 0,
                                   d->allocator)
               : st;
}

static double ball_square(const shl_diagram_tri *t, const double p[3])
{
    const double x = p[0] - t->middle[0], y = p[1] - t->middle[1], z = p[2] - t->middle[2];
    return x * x + y * y + z * z;
}

// From a point; the ball will do if it is small beside `size`.
static interval far_from(const shl_diagram_tri *t, const double p[3], double size)
{
    if (t->radius < size) {
        const double middle = sqrt(ball_square(t, p));
        return (interval){middle - t->radius, middle};
    }
    shl_face face;
    shl_face_set(t->corners, &face);
    const double far = sqrt(shl_face_square(&face, p));
    return (interval){far, far};
}

// One past the candidates of the body of the one at `i`, and the least of their high ends.
static size_t next_body(const shl_diagram *d, const uint32_t *list, size_t count, size_t i,
                        const interval *near, double *least)
{
    const uint32_t body = d->tris[list[i]].body;
    *least = INFINITY;
    for (; i < count && d->tris[list[i]].body == body; i++)
        *least = near[i].high < *least ? near[i].high : *least;
    return i;
}

// How far some two bodies are at most, or one if there is no other.
static double second_body(const shl_diagram *d, const uint32_t *list, size_t count,
                          const interval *near)
{
    double first = INFINITY, second = INFINITY, own;
    for (size_t i = 0; i < count;) {
        i = next_body(d, list, count, i, near, &own);
        second = fmin(second, fmax(first, own));
        first = fmin(first, own);
    }
    return second < INFINITY ? second : first;
}

// Of `from` those that may be nearest in the cube, behind it in the worker's list.
static shoal_status cull(const shl_diagram *d, const cube *c, candidate_range from,
                         shl_diagram_worker *w, candidate_range *out)
{
    const shoal_status st = reserve(d, w, from.begin + 2 * from.count, from.begin + from.count);
    if (st != SHOAL_OK)
        return st;
    const uint32_t *list = (const uint32_t *)w->list.data + from.begin;
    uint32_t *kept = (uint32_t *)w->list.data + from.begin + from.count;
    interval *near = w->near.data;
    double centre[3], own;
    const double radius = centre_of(d, c, centre), within = 2 * radius + d->slack;
    for (size_t i = 0; i < from.count; i++)
        near[i] = far_from(&d->tris[list[i]], centre, radius / 4);
    const double all = second_body(d, list, from.count, near);
    *out = (candidate_range){from.begin + from.count, 0};
    for (size_t i = 0, end; i < from.count; i = end) {
        end = next_body(d, list, from.count, i, near, &own);
        const double limit = fmin(own, all) + within;
        for (size_t k = i; k < end; k++) {
            if (near[k].low <= limit)
                kept[out->count++] = list[k];
        }
    }
    return SHOAL_OK;
}

// The two bodies nearest to a sample.
typedef struct nearest {
    double square[2];
    uint32_t body[2];
} nearest;

// Some two bodies are known to be within `most`.
static nearest nearest_to(const shl_diagram *d, const uint32_t *list, const shl_face *faces,
                          size_t count, const double p[3], double most)
{
    nearest n = {{INFINITY, INFINITY}, {SHOAL_NONE, SHOAL_NONE}};
    for (size_t i = 0; i < count;) {
        const uint32_t body = d->tris[list[i]].body;
        double own = n.square[1]; // bodies come in ascending order, so only less is nearer
        double cutoff = fmin(sqrt(own), most) + d->slack;
        bool any = false;
        for (; i < count && d->tris[list[i]].body == body; i++) {
            const shl_diagram_tri *t = &d->tris[list[i]];
            const double far = cutoff + t->radius;
            if (ball_square(t, p) > far * far)
                continue;
            const double square = shl_face_square(&faces[i], p);
            if (!(square < own))
                continue;
            own = square;
            cutoff = fmin(sqrt(own), most) + d->slack;
            any = true;
        }
        if (!any)
            continue;
        const int rank = own < n.square[0] ? 0 : 1;
        if (rank == 0) {
            n.square[1] = n.square[0];
            n.body[1] = n.body[0];
        }
        n.square[rank] = own;
        n.body[rank] = body;
    }
    return n;
}

static shoal_status measure(const shl_diagram *d, const cube *c, candidate_range from,
                            shl_diagram_worker *w)
{
    const shoal_status st =
        shl_array_reserve(&w->faces, (from.count + 1) * sizeof(shl_face), 0, d->allocator);
    if (st != SHOAL_OK)
        return st;
    const uint32_t *list = (const uint32_t *)w->list.data + from.begin;
    shl_face *faces = w->faces.data;
    for (size_t i = 0; i < from.count; i++)
        shl_face_set(d->tris[list[i]].corners, &faces[i]);
    for (uint32_t z = c->lo[2]; z < end_of(d, c, 2); z++) {
        for (uint32_t y = c->lo[1]; y < end_of(d, c, 1); y++) {
            shoal_diagram_cell *row = d->out + ((size_t)z * d->cells[1] + y) * d->cells[0];
            double most = INFINITY;
            for (uint32_t x = c->lo[0]; x < end_of(d, c, 0); x++) {
                const double p[3] = {x + 0.5, y + 0.5, z + 0.5};
                const nearest n = nearest_to(d, list, faces, from.count, p, most);
                most = sqrt(n.square[1]) + 1; // the next sample is one cell away
                for (int k = 0; k < 2; k++) {
                    row[x].body[k] = n.body[k];
                    row[x].distance[k] = (float)(sqrt(n.square[k]) * d->cell);
                }
            }
        }
    }
    return SHOAL_OK;
}

// Depth first; a cube's list stands behind that of the cube it is part of.
static shoal_status descend(const shl_diagram *d, const cube *c,
                            candidate_range from, // NOLINT(misc-no-recursion)
                            shl_diagram_worker *w)
{
    candidate_range own;
    shoal_status st = cull(d, c, from, w, &own);
    if (st != SHOAL_OK)
        return st;
    if (c->side == LEAF)
        return measure(d, c, own, w);
    for (uint32_t i = 0; i < 8 && st == SHOAL_OK; i++) {
        cube child = {.side = c->side / 2};
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            child.lo[k] = c->lo[k] + (i >> k & 1) * child.side;
            inside = inside && child.lo[k] < d->cells[k];
        }
        if (inside)
            st = descend(d, &child, own, w);
    }
    return st;
}

shoal_status shl_diagram_fill(const shl_diagram *d, uint32_t tile, shl_diagram_worker *w)
{
    const shoal_status st = reserve(d, w, d->count, 0);
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; i < d->count; i++)
        ((uint32_t *)w->list.data)[i] = i;
    const uint32_t nx = tiles_along(d, 0), ny = tiles_along(d, 1);
    const cube whole = {{tile % nx * SHL_DIAGRAM_TILE, tile / nx % ny * SHL_DIAGRAM_TILE,
                         tile / nx / ny * SHL_DIAGRAM_TILE},
                        SHL_DIAGRAM_TILE};
    return descend(d, &whole, (candidate_range){0, d->count}, w);
}

void shl_diagram_worker_finish(const shl_diagram *d, shl_diagram_worker *w)
{
    shl_array_finish(&w->list, d->allocator);
    shl_array_finish(&w->near, d->allocator);
    shl_array_finish(&w->faces, d->allocator);
}
