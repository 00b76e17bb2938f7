// SPDX-License-Identifier: MIT
#include "scenes/shapes/fish.h"

#include "scenes/math/portable_math.h"
#include "scenes/models/orthogonal.h"
#include "scenes/shapes/grow.h"
#include "scenes/solvers/modal/flex.h"

#include <math.h>
#include <stdlib.h>

const double shl_fish_hertz[SHL_FISH_FIELDS] = {7, 15, 18};

enum { RINGS = 126, ROUND = 96 };

// Metres.
static const double length = 0.46, half_height = 0.075, half_width = 0.036;
static const double fin = 0.003; // half the thickness of a fin at its root
static const double pi = 3.141592653589793;

// Half the size of a section by the largest, at a share of the length: a round nose, a thin
// end.
static double section(double s)
{
    return 2.5 * sqrt(s) * (1 - s) + 0.1 * s;
}

static void put_body(shl_grow *g)
{
    const uint32_t first = g->vertices;
    for (int r = 0; r < RINGS; r++) {
        // close at the nose, where the shape is round
        const double u = (r + 0.5) / RINGS, s = u * u * (1.5 - 0.5 * u);
        for (int a = 0; a < ROUND; a++) {
            const shl_sincos t = shl_sincos_of(2 * pi * a / ROUND);
            const double p[3] = {length * (0.5 - s), half_width * section(s) * t.cos,
                                 half_height * section(s) * t.sin};
            shl_grow_vertex(g, p);
        }
    }
    const double nose[3] = {0.5 * length, 0, 0}, end[3] = {-0.5 * length, 0, 0};
    const uint32_t front = shl_grow_vertex(g, nose), back = shl_grow_vertex(g, end);
    for (uint32_t a = 0; a < ROUND; a++) {
        const uint32_t b = (a + 1) % ROUND, last = first + (RINGS - 1) * ROUND;
        shl_grow_triangle(g, front, first + a, first + b);
        shl_grow_triangle(g, back, last + b, last + a);
        for (uint32_t r = 0; r + 1 < RINGS; r++) {
            const uint32_t here = first + r * ROUND, next = here + ROUND;
            shl_grow_quad(g, here + a, next + a, next + b, here + b);
        }
    }
}

// A sheet over a grid of n by m quads in the plane of the fish, as thick as a fin, that ends in
// an edge; `place` tells x and z of a point.
typedef void place_fn(double along, double up, double xz[2]);

static void put_fin(shl_grow *g, uint32_t n, uint32_t m, place_fn *place)
{
    const uint32_t first = g->vertices, row = m + 1, side = (n + 1) * row;
    for (uint32_t i = 0; i < 2 * side; i++) {
        const uint32_t from_root = i % side / row;
        const double along = (double)from_root / n, up = (double)(i % row) / m;
        const double thick = fin * (1 - 0.7 * along);
        double xz[2];
        place(along, up, xz);
        const double p[3] = {xz[0], i < side ? thick : -thick, xz[1]};
        shl_grow_vertex(g, p);
    }
    for (uint32_t i = 0; i < n * m; i++) {
        const uint32_t a = first + i / m * row + i % m, b = a + row;
        shl_grow_quad(g, a, b, b + 1, a + 1);
        shl_grow_quad(g, side + a, side + a + 1, side + b + 1, side + b);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t a = first + i * row, b = a + row;
        shl_grow_quad(g, a, side + a, side + b, b);
        shl_grow_quad(g, a + m, b + m, side + b + m, side + a + m);
    }
    for (uint32_t i = 0; i < m; i++) {
        const uint32_t a = first + i, b = first + n * row + i;
        shl_grow_quad(g, a, a + 1, side + a + 1, side + a);
        shl_grow_quad(g, b, side + b, side + b + 1, b + 1);
    }
}

// Fans out behind the body, with a notch.
static void place_tail(double along, double up, double xz[2])
{
    const double across = 2 * up - 1;
    xz[0] = -0.47 * length - along * (0.05 + 0.045 * fabs(across));
    xz[1] = across * (0.012 + 0.075 * along);
}

// Stands on the back.
static void place_back_fin(double along, double up, double xz[2])
{
    xz[0] = -0.1 + 0.16 * up - 0.03 * along;
    xz[1] = 0.045 + along * (0.04 + 0.02 * up);
}

shoal_status shl_mesh_fish(shl_surface *out)
{
    shl_grow g = {0};
    put_body(&g);
    put_fin(&g, 8, 8, place_tail);
    put_fin(&g, 4, 12, place_back_fin);
    shoal_status st = shl_grow_end(&g, out);
    double *shares = NULL;
    if (st == SHOAL_OK)
        st = shl_vertex_shares(out, &shares);
    if (st == SHOAL_OK)
        shl_centre(out, shares);
    else
        shl_surface_finish(out);
    free(shares);
    return st;
}

static void shape(const void *ctx, uint32_t field, const double p[3], double u[3])
{
    (void)ctx;
    const double order = field == 1 ? 2 : 1, rate = order * pi / length;
    const shl_sincos t = shl_sincos_of(rate * (p[0] + 0.5 * length));
    if (field < 2) { // sections stay square to the line that bends
        u[0] = -p[1] * rate * t.cos;
        u[1] = t.sin;
        return;
    }
    const shl_sincos twist = shl_sincos_of(rate * p[0]);
    u[1] = -twist.sin * p[2];
    u[2] = twist.sin * p[1];
}

shoal_status shl_fish_fields(const shl_surface *fish, const double *mass, float **fields)
{
    return shl_orthogonal_fields(fish, mass, shape, NULL, SHL_FISH_FIELDS, fields);
}
