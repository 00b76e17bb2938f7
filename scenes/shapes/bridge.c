// SPDX-License-Identifier: MIT
#include "scenes/shapes/bridge.h"

#include "scenes/math/vec.h"
#include "scenes/shapes/grow.h"

#include <stdlib.h>

// Metres; heights are over the deck.
const double shl_bridge_bay = 1, shl_bridge_width = 3, shl_bridge_deck = 1.6;
static const double side_height = 1.3, beam = 0.1, plank = 0.56, plank_thick = 0.08;

enum { PLANKS = 5 };

// A closed box beam: from one end to the other, how wide and high, and how finely it is cut.
typedef struct box {
    double from[3], to[3], side[3]; // side: across the beam, horizontal
    double wide, high;
    uint32_t along, across, up;
} box;

// Points around a section, from its lower left corner.
static uint32_t rim(const box *b)
{
    return 2 * (b->across + b->up);
}

static void rim_point(const box *b, uint32_t i, double *x, double *y)
{
    const uint32_t across = b->across, up = b->up;
    *x = i <= across            ? (double)i / across
         : i <= across + up     ? 1
         : i <= 2 * across + up ? 1 - (double)(i - across - up) / across
                                : 0;
    *y = i <= across            ? 0
         : i <= across + up     ? (double)(i - across) / up
         : i <= 2 * across + up ? 1
                                : 1 - (double)(i - 2 * across - up) / up;
}

static uint32_t point(shl_grow *g, const box *b, const double up[3], double s, double x,
                      double y)
{
    double p[3];
    for (int k = 0; k < 3; k++)
        p[k] = b->from[k] + s * (b->to[k] - b->from[k]) + (x - 0.5) * b->wide * b->side[k] +
               (y - 0.5) * b->high * up[k];
    return shl_grow_vertex(g, p);
}

// The number of a point of an end: on the rim, or within it, where `inner` begins.
static uint32_t end_point(const box *b, uint32_t ring, uint32_t inner, uint32_t x, uint32_t y)
{
    if (y == 0)
        return ring + x;
    if (x == b->across)
        return ring + b->across + y;
    if (y == b->up)
        return ring + 2 * b->across + b->up - x;
    if (x == 0)
        return ring + 2 * b->across + 2 * b->up - y;
    return inner + (y - 1) * (b->across - 1) + x - 1;
}

static void put_end(shl_grow *g, const box *b, const double up[3], uint32_t ring, bool last)
{
    const uint32_t inner = g->vertices;
    for (uint32_t y = 1; y < b->up; y++) {
        for (uint32_t x = 1; x < b->across; x++)
            point(g, b, up, last, (double)x / b->across, (double)y / b->up);
    }
    for (uint32_t y = 0; y < b->up; y++) {
        for (uint32_t x = 0; x < b->across; x++) {
            const uint32_t c[4] = {
                end_point(b, ring, inner, x, y), end_point(b, ring, inner, x + 1, y),
                end_point(b, ring, inner, x + 1, y + 1), end_point(b, ring, inner, x, y + 1)};
            if (last)
                shl_grow_quad(g, c[0], c[1], c[2], c[3]);
            else
                shl_grow_quad(g, c[0], c[3], c[2], c[1]);
        }
    }
}

static void put_box(shl_grow *g, const box *b)
{
    double line[3] = {b->to[0] - b->from[0], b->to[1] - b->from[1], b->to[2] - b->from[2]};
    double up[3];
    shl_cross(b->side, line, up);
    const double size = sqrt(shl_dot(up, up));
    for (int k = 0; k < 3; k++)
        up[k] = -up[k] / size;
    const uint32_t first = g->vertices, n = rim(b);
    for (uint32_t s = 0; s <= b->along; s++) {
        for (uint32_t i = 0; i < n; i++) {
            double x, y;
            rim_point(b, i, &x, &y);
            point(g, b, up, (double)s / b->along, x, y);
        }
    }
    for (uint32_t s = 0; s < b->along; s++) {
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t a = first + s * n + i, c = first + s * n + (i + 1) % n;
            shl_grow_quad(g, a, c, c + n, a + n);
        }
    }
    put_end(g, b, up, first, false);
    put_end(g, b, up, first + b->along * n, true);
}

static void put_beam(shl_grow *g, const double from[3], const double to[3],
                     const double side[3])
{
    box b = {.wide = beam, .high = beam, .along = 21, .across = 2, .up = 2};
    memcpy(b.from, from, sizeof b.from);
    memcpy(b.to, to, sizeof b.to);
    memcpy(b.side, side, sizeof b.side);
    put_box(g, &b);
}

// What stands where two bays meet: a cross beam and a post on each side.
static void put_frame(shl_grow *g, double x)
{
    const double half = 0.5 * shl_bridge_width, low = -plank_thick - 0.5 * beam;
    const double along[3] = {1, 0, 0};
    for (int side = -1; side <= 1; side += 2)
        put_beam(g, (double[3]){x, side * half, low + beam},
                 (double[3]){x, side * half, side_height}, along);
    put_beam(g, (double[3]){x, half, low}, (double[3]){x, -half, low}, along);
}

static void put_bay(shl_grow *g, double x, bool odd)
{
    const double half = 0.5 * shl_bridge_width, low = -plank_thick - 0.5 * beam;
    const double end = x + shl_bridge_bay, across[3] = {0, 1, 0}, along[3] = {1, 0, 0};
    for (int side = -1; side <= 1; side += 2) {
        const double y = side * half, top = side_height + 0.5 * beam;
        put_beam(g, (double[3]){x, y, low}, (double[3]){end, y, low}, across);
        put_beam(g, (double[3]){x, y, top}, (double[3]){end, y, top}, across);
        put_beam(g, (double[3]){odd ? end : x, y, low}, (double[3]){odd ? x : end, y, top},
                 across);
    }
    // below the deck, against swaying
    put_beam(g, (double[3]){x, -half, low - beam}, (double[3]){end, half, low - beam}, along);
    put_beam(g, (double[3]){x, half, low - beam}, (double[3]){end, -half, low - beam}, along);
    for (int i = 0; i < PLANKS; i++) {
        const double y = shl_bridge_width * ((i + 0.5) / PLANKS - 0.5);
        const box b = {.from = {x, y, -0.5 * plank_thick},
                       .to = {end, y, -0.5 * plank_thick},
                       .side = {0, 1, 0},
                       .wide = plank,
                       .high = plank_thick,
                       .along = 14,
                       .across = 6,
                       .up = 1};
        put_box(g, &b);
    }
}

shoal_status shl_mesh_bridge(uint32_t bays, shl_surface *out)
{
    *out = (shl_surface){0};
    if (bays == 0 || bays > SHL_BRIDGE_BAYS_MAX)
        return SHOAL_ERR_ARGUMENT;
    shl_grow g = {0};
    const double first = -0.5 * shl_bridge_bay * bays;
    for (uint32_t i = 0; i <= bays; i++) {
        const double x = first + shl_bridge_bay * i;
        put_frame(&g, x);
        if (i < bays)
            put_bay(&g, x, i & 1);
    }
    const shoal_status st = shl_grow_end(&g, out);
    for (size_t v = 0; v < out->vertex_count; v++)
        out->xyz[3 * v + 2] += shl_bridge_deck;
    return st;
}
