// SPDX-License-Identifier: MIT
#include "scenes/shapes/pieces.h"

#include "scenes/math/vec.h"

#include <stdlib.h>

enum { PIECES_MAX = 64, SIDES = 48, CORNERS = 40, CANDIDATES = 12 };

static const double same = 1e-9; // points nearer than this are one, in units of the box

// A side of a cell, counter-clockwise from outside.
typedef struct side {
    uint32_t other; // the cell behind it, or SHL_OUTSIDE
    uint32_t count;
    double corner[CORNERS][3];
} side;

typedef struct cell {
    uint32_t count;
    side sides[SIDES];
} cell;

static void start_as_box(cell *c, const double half[3])
{
    c->count = 6;
    for (int f = 0; f < 6; f++) {
        const int axis = f / 2, up = f % 2;
        side *s = &c->sides[f];
        s->other = SHL_OUTSIDE;
        s->count = 4;
        for (int k = 0; k < 4; k++) {
            // around the axis, the other way round on the low side
            const int turn = up ? k : 3 - k;
            double at[3];
            at[axis] = up ? half[axis] : -half[axis];
            at[(axis + 1) % 3] =
                turn == 1 || turn == 2 ? half[(axis + 1) % 3] : -half[(axis + 1) % 3];
            at[(axis + 2) % 3] = turn >= 2 ? half[(axis + 2) % 3] : -half[(axis + 2) % 3];
            memcpy(s->corner[k], at, sizeof at);
        }
    }
}

static bool near_to(const double a[3], const double b[3])
{
    return fabs(a[0] - b[0]) < same && fabs(a[1] - b[1]) < same && fabs(a[2] - b[2]) < same;
}

// What is left of a side below the plane; the points where it was cut are added to `rim`.
static bool clip_side(side *s, const double normal[3], double offset, side *rim)
{
    side out = {.other = s->other};
    for (uint32_t k = 0; k < s->count; k++) {
        const double *a = s->corner[k], *b = s->corner[(k + 1) % s->count];
        const double da = shl_dot(normal, a) - offset, db = shl_dot(normal, b) - offset;
        if (out.count + 2 > CORNERS)
            return false;
        if (da <= 0)
            memcpy(out.corner[out.count++], a, 3 * sizeof *a);
        if ((da <= 0) == (db <= 0))
            continue;
        // from the lower end, so that both sides of an edge find the same point
        const double *low = da <= 0 ? a : b, *high = da <= 0 ? b : a;
        const double dl = da <= 0 ? da : db, dh = da <= 0 ? db : da, part = dl / (dl - dh);
        double at[3];
        for (int i = 0; i < 3; i++)
            at[i] = low[i] + part * (high[i] - low[i]);
        memcpy(out.corner[out.count++], at, sizeof at);
        uint32_t known = 0;
        while (known < rim->count && !near_to(rim->corner[known], at))
            known++;
        if (known == CORNERS)
            return false;
        if (known == rim->count)
            memcpy(rim->corner[rim->count++], at, sizeof at);
    }
    *s = out;
    return true;
}

// Grows with the angle of (x, y), from -2 to 2.
static double angle_of(double x, double y)
{
    const double part = x / (fabs(x) + fabs(y));
    return y < 0 ? part - 1 : 1 - part;
}

// Puts corners in order around a normal.
static void order_around(side *s, const double normal[3])
{
    double centre[3] = {0}, u[3], v[3], angle[CORNERS];
    for (uint32_t k = 0; k < s->count; k++)
        shl_add(centre, 1.0 / s->count, s->corner[k]);
    const int least = fabs(normal[0]) < fabs(normal[1])
                          ? (fabs(normal[0]) < fabs(normal[2]) ? 0 : 2)
                          : (fabs(normal[1]) < fabs(normal[2]) ? 1 : 2);
    const double axis[3] = {least == 0, least == 1, least == 2};
    shl_cross(normal, axis, u);
    shl_cross(normal, u, v);
    for (uint32_t k = 0; k < s->count; k++) {
        double d[3];
        for (int i = 0; i < 3; i++)
            d[i] = s->corner[k][i] - centre[i];
        // u and v are equally long if the normal is of length 1
        angle[k] = angle_of(shl_dot(d, u), shl_dot(d, v));
    }
    for (uint32_t k = 1; k < s->count; k++) {
        for (uint32_t i = k; i > 0 && angle[i] < angle[i - 1]; i--) {
            const double a = angle[i];
            double at[3];
            angle[i] = angle[i - 1];
            angle[i - 1] = a;
            memcpy(at, s->corner[i], sizeof at);
            memcpy(s->corner[i], s->corner[i - 1], sizeof at);
            memcpy(s->corner[i - 1], at, sizeof at);
        }
    }
}

// Takes away what is nearer to another point than to its own.
static bool cut_cell(cell *c, const double own[3], const double other[3], uint32_t number)
{
    double normal[3], middle[3];
    for (int k = 0; k < 3; k++) {
        normal[k] = other[k] - own[k];
        middle[k] = 0.5 * (other[k] + own[k]);
    }
    const double length = sqrt(shl_dot(normal, normal));
    for (int k = 0; k < 3; k++)
        normal[k] /= length;
    side rim = {.other = number};
    uint32_t left = 0;
    for (uint32_t f = 0; f < c->count; f++) {
        if (!clip_side(&c->sides[f], normal, shl_dot(normal, middle), &rim))
            return false;
        if (c->sides[f].count >= 3)
            c->sides[left++] = c->sides[f];
    }
    c->count = left;
    if (rim.count < 3)
        return true;
    if (c->count == SIDES)
        return false;
    order_around(&rim, normal);
    c->sides[c->count++] = rim;
    return true;
}

static bool room(shl_pieces *p, size_t vertices, size_t facets)
{
    if (vertices > p->vertex_capacity) {
        double *more = realloc(p->xyz, 2 * vertices * 3 * sizeof *more);
        if (!more)
            return false;
        p->xyz = more;
        p->vertex_capacity = (uint32_t)(2 * vertices);
    }
    if (facets > p->facet_capacity) {
        shl_facet *more = realloc(p->facet, 2 * facets * sizeof *more);
        if (!more)
            return false;
        p->facet = more;
        p->facet_capacity = (uint32_t)(2 * facets);
    }
    return true;
}

// The vertex at a place; there must be room for one.
static uint32_t vertex_at(shl_pieces *p, const double at[3])
{
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        if (near_to(p->xyz + 3 * (size_t)i, at))
            return i;
    }
    memcpy(p->xyz + 3 * (size_t)p->vertex_count, at, 3 * sizeof *at);
    return p->vertex_count++;
}

static bool add_facet(shl_pieces *p, const double *const corner[3], const uint32_t piece[2])
{
    if (!room(p, p->vertex_count + (size_t)3, p->facet_count + (size_t)1))
        return false;
    shl_facet f = {.piece = {piece[0], piece[1]}};
    for (int k = 0; k < 3; k++)
        f.corner[k] = vertex_at(p, corner[k]);
    if (f.corner[0] != f.corner[1] && f.corner[1] != f.corner[2] && f.corner[2] != f.corner[0])
        p->facet[p->facet_count++] = f;
    return true;
}

static bool add_triangle(shl_pieces *p, const double *const corner[3], const uint32_t piece[2],
                         bool fine)
{
    double middle[3][3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            middle[k][i] = 0.5 * (corner[k][i] + corner[(k + 1) % 3][i]);
    }
    if (!fine)
        return add_facet(p, corner, piece);
    bool good = add_facet(p, (const double *[3]){middle[0], middle[1], middle[2]}, piece);
    for (int k = 0; k < 3 && good; k++)
        good =
            add_facet(p, (const double *[3]){corner[k], middle[k], middle[(k + 2) % 3]}, piece);
    return good;
}

// A fan around the middle of each side that no earlier piece has.
static bool add_piece(shl_pieces *p, const cell *c, uint32_t number, bool fine)
{
    for (uint32_t f = 0; f < c->count; f++) {
        const side *s = &c->sides[f];
        const uint32_t piece[2] = {number, s->other};
        double centre[3] = {0};
        if (s->other < number)
            continue;
        for (uint32_t k = 0; k < s->count; k++)
            shl_add(centre, 1.0 / s->count, s->corner[k]);
        for (uint32_t k = 0; k < s->count; k++) {
            const double *corner[3] = {centre, s->corner[k], s->corner[(k + 1) % s->count]};
            if (!add_triangle(p, corner, piece, fine))
                return false;
        }
    }
    return true;
}

// Points in the box, each the candidate that is farthest from those before it.
static void choose_points(const double half[3], uint32_t count, uint64_t seed, double (*out)[3])
{
    for (uint32_t i = 0; i < count; i++) {
        double best = -1;
        for (int c = 0; c < CANDIDATES; c++) {
            double at[3], least = INFINITY;
            for (int k = 0; k < 3; k++)
                at[k] = half[k] * shl_random_signed(&seed);
            for (uint32_t j = 0; j < i; j++) {
                double square = 0;
                for (int k = 0; k < 3; k++)
                    square += (at[k] - out[j][k]) * (at[k] - out[j][k]);
                least = square < least ? square : least;
            }
            if (least > best) {
                best = least;
                memcpy(out[i], at, sizeof at);
            }
        }
    }
}

shoal_status shl_pieces_cut(const double half[3], uint32_t count, uint64_t seed, bool fine,
                            shl_pieces *out)
{
    *out = (shl_pieces){0};
    if (count < 1 || count > PIECES_MAX)
        return SHOAL_ERR_ARGUMENT;
    double points[PIECES_MAX][3];
    cell *c = malloc(sizeof *c);
    shoal_status st = c ? SHOAL_OK : SHOAL_ERR_MEMORY;
    choose_points(half, count, seed, points);
    for (uint32_t i = 0; i < count && st == SHOAL_OK; i++) {
        start_as_box(c, half);
        for (uint32_t j = 0; j < count && st == SHOAL_OK; j++) {
            if (j != i && !cut_cell(c, points[i], points[j], j))
                st = SHOAL_ERR_LIMIT;
        }
        if (st == SHOAL_OK && !add_piece(out, c, i, fine))
            st = SHOAL_ERR_MEMORY;
    }
    free(c);
    out->piece_count = count;
    if (st != SHOAL_OK)
        shl_pieces_finish(out);
    return st;
}

void shl_pieces_finish(shl_pieces *p)
{
    free(p->xyz);
    free(p->facet);
    *p = (shl_pieces){0};
}
