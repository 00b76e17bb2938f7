// SPDX-License-Identifier: MIT
// The sheet is cut from the sides of a box of lattice cells, without any edge of three cells;
// then the lattice is bent into shape, and the sheet gets its thickness.
#include "scenes/shapes/chair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Cells: across and deep (the seat), of a leg, of the back; then flanges of legs, and arms.
enum { NX = 36, NY = 36, LEG = 36, BACK = 37, FLANGE = 4 };
enum { ARM_TOP = 17, ARM_LOW = 13, POST_BEGIN = 8, POST_END = 13 };
enum { NZ = LEG + BACK, CORNERS = (NX + 1) * (NY + 1) * (NZ + 1) };

static const double width = 0.43, depth = 0.43, leg_height = 0.43, back_height = 0.42;
static const double half_thickness = 0.002;

// The sheet before it is thick: quads of corners, counter-clockwise on the sitter's side, which
// is the outside of the legs.
typedef struct sheet {
    uint32_t *number;      // [CORNERS] of a vertex, 1 + it; 0: unused
    uint32_t *corner;      // [vertex_count] where it lies in the lattice
    uint32_t (*quads)[4];  // of vertices
    double (*normals)[3];  // [vertex_count]
    uint32_t vertex_count; //
    uint32_t quad_count;
} sheet;

enum { QUADS_MAX = NX * NY + 2 * (NX + NY) * NZ };

static uint32_t vertex_at(sheet *s, int i, int j, int k)
{
    const uint32_t corner = (uint32_t)((k * (NY + 1) + j) * (NX + 1) + i);
    if (!s->number[corner]) {
        s->corner[s->vertex_count] = corner;
        s->number[corner] = ++s->vertex_count;
    }
    return s->number[corner] - 1;
}

// A cell with its corner at `at`, spanned by the steps `a` and `b`, seen from a cross b.
static void put_cell(sheet *s, const int at[3], const int a[3], const int b[3])
{
    uint32_t *q = s->quads[s->quad_count++];
    q[0] = vertex_at(s, at[0], at[1], at[2]);
    q[1] = vertex_at(s, at[0] + a[0], at[1] + a[1], at[2] + a[2]);
    q[2] = vertex_at(s, at[0] + a[0] + b[0], at[1] + a[1] + b[1], at[2] + a[2] + b[2]);
    q[3] = vertex_at(s, at[0] + b[0], at[1] + b[1], at[2] + b[2]);
}

static const int px[3] = {1, 0, 0}, py[3] = {0, 1, 0}, pz[3] = {0, 0, 1};

static bool at_flange(int i, int n)
{
    return i < FLANGE || i >= n - FLANGE;
}

// Front and rear: y = 0 and y = NY. Below the seat legs, above it the back, which leaves the
// lowest row to the legs.
static void put_front_and_rear(sheet *s)
{
    for (int k = 0; k < NZ; k++) {
        for (int i = 0; i < NX; i++) {
            if (k < LEG && at_flange(i, NX)) {
                put_cell(s, (const int[3]){i, 0, k}, px, pz);
                put_cell(s, (const int[3]){i, NY, k}, pz, px);
            }
            if (k > LEG || (k == LEG && !at_flange(i, NX)))
                put_cell(s, (const int[3]){i, NY, k}, px, pz);
        }
    }
}

// Left and right: x = 0 and x = NX. An arm rises from the seat and runs to the back.
static void put_sides(sheet *s)
{
    for (int k = 0; k < NZ; k++) {
        for (int j = 0; j < NY; j++) {
            const int up = k - LEG;
            const bool post = j >= POST_BEGIN && j < POST_END && up >= 0 && up < ARM_TOP;
            const bool rest = j >= POST_BEGIN && up >= ARM_LOW && up < ARM_TOP;
            if (up < 0 && at_flange(j, NY)) {
                put_cell(s, (const int[3]){0, j, k}, pz, py);
                put_cell(s, (const int[3]){NX, j, k}, py, pz);
            } else if (post || rest) {
                put_cell(s, (const int[3]){0, j, k}, py, pz);
                put_cell(s, (const int[3]){NX, j, k}, pz, py);
            }
        }
    }
}

static void put_seat(sheet *s)
{
    for (int j = 0; j < NY; j++) {
        for (int i = 0; i < NX; i++)
            put_cell(s, (const int[3]){i, j, LEG}, px, py);
    }
}

// Where a corner of the lattice lies in the chair; the seat's rim has height 0.
static void bend(uint32_t corner, double out[3])
{
    const int i = (int)(corner % (NX + 1)), j = (int)(corner / (NX + 1) % (NY + 1));
    const int k = (int)(corner / ((NX + 1) * (NY + 1)));
    double u = 2.0 * i / NX - 1, v = 2.0 * j / NY - 1; // -1 to 1
    const double down = k < LEG ? (double)(LEG - k) / LEG : 0;
    const double up = k > LEG ? (double)(k - LEG) / BACK : 0;
    // flanges of legs get narrower towards the feet
    const double narrow = 1 - 0.4 * down;
    if (down > 0) {
        u = u < 0 ? -1 + (1 + u) * narrow : 1 - (1 - u) * narrow;
        v = v < 0 ? -1 + (1 + v) * narrow : 1 - (1 - v) * narrow;
    }
    const double rear = 0.5 + 0.5 * v;
    out[0] = 0.5 * width * u * (1 + 0.16 * down - 0.12 * up * up);
    out[1] = 0.5 * depth * v * (1 + 0.14 * down);
    out[2] = up > 0 ? back_height * up : -leg_height * down;
    // the back leans, is hollow, and has a round top
    out[1] += rear * rear * (0.13 * up - 0.05 * u * u * up * (2 - up));
    out[2] += rear * 0.05 * (1 - u * u) * up * up;
    if (k == LEG)
        out[2] -= 0.025 * (1 - u * u) * (1 - v * v);
}

static void add_normal(const double *a, const double *b, const double *c, double to[3])
{
    double p[3], q[3];
    for (int k = 0; k < 3; k++) {
        p[k] = b[k] - a[k];
        q[k] = c[k] - a[k];
    }
    to[0] += p[1] * q[2] - p[2] * q[1];
    to[1] += p[2] * q[0] - p[0] * q[2];
    to[2] += p[0] * q[1] - p[1] * q[0];
}

// Positions on both sides of the sheet, the sitter's side first.
static void put_vertices(const sheet *s, double *xyz)
{
    const size_t n = s->vertex_count;
    for (size_t v = 0; v < n; v++)
        bend(s->corner[v], xyz + 3 * v);
    for (uint32_t q = 0; q < s->quad_count; q++) {
        for (size_t c = 0; c < 4; c++)
            add_normal(xyz + 3 * (size_t)s->quads[q][c],
                       xyz + 3 * (size_t)s->quads[q][(c + 1) % 4],
                       xyz + 3 * (size_t)s->quads[q][(c + 3) % 4], s->normals[s->quads[q][c]]);
    }
    for (size_t v = 0; v < n; v++) {
        const double *m = s->normals[v];
        const double length = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
        for (size_t k = 0; k < 3; k++) {
            const double middle = xyz[3 * v + k], off = half_thickness * m[k] / length;
            xyz[3 * v + k] = middle + off;
            xyz[3 * (n + v) + k] = middle - off;
        }
    }
}

static void put_quad(shl_surface *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t corners[6] = {a, b, c, a, c, d};
    memcpy(s->triangles + 3 * (size_t)s->triangle_count, corners, sizeof corners);
    s->triangle_count += 2;
}

typedef struct edge {
    uint32_t from, to; // as the quad goes round
} edge;

static int by_ends(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    const uint32_t x_lo = x->from < x->to ? x->from : x->to;
    const uint32_t y_lo = y->from < y->to ? y->from : y->to;
    if (x_lo != y_lo)
        return x_lo < y_lo ? -1 : 1;
    const uint32_t x_hi = x->from ^ x->to ^ x_lo, y_hi = y->from ^ y->to ^ y_lo;
    return (x_hi > y_hi) - (x_hi < y_hi);
}

// Both sides, and quads that join them along edges of one cell only.
static void put_triangles(const sheet *s, edge *edges, shl_surface *out)
{
    const uint32_t n = s->vertex_count, edge_count = 4 * s->quad_count;
    for (uint32_t q = 0; q < s->quad_count; q++) {
        const uint32_t *c = s->quads[q];
        put_quad(out, c[0], c[1], c[2], c[3]);
        put_quad(out, n + c[0], n + c[3], n + c[2], n + c[1]);
        for (uint32_t e = 0; e < 4; e++)
            edges[4 * q + e] = (edge){c[e], c[(e + 1) % 4]};
    }
    qsort(edges, edge_count, sizeof *edges, by_ends);
    for (uint32_t e = 0; e < edge_count; e++) {
        if (e + 1 < edge_count && by_ends(&edges[e], &edges[e + 1]) == 0)
            e++; // the two cells beside it
        else
            put_quad(out, edges[e].to, edges[e].from, n + edges[e].from, n + edges[e].to);
    }
}

// Moves the sheet's centre of mass, by area, to the origin.
static void centre(shl_surface *s)
{
    double sum[3] = {0}, total = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        const double *p[3];
        for (size_t c = 0; c < 3; c++)
            p[c] = s->xyz + 3 * (size_t)s->triangles[3 * t + c];
        double n[3] = {0};
        add_normal(p[0], p[1], p[2], n);
        const double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        total += area;
        for (size_t k = 0; k < 3; k++)
            sum[k] += area * (p[0][k] + p[1][k] + p[2][k]) / 3;
    }
    for (size_t v = 0; v < s->vertex_count; v++) {
        for (size_t k = 0; k < 3; k++)
            s->xyz[3 * v + k] -= sum[k] / total;
    }
}

shoal_status shl_mesh_chair(shl_surface *out)
{
    memset(out, 0, sizeof *out);
    sheet s = {.number = calloc(CORNERS, sizeof *s.number),
               .corner = calloc(CORNERS, sizeof *s.corner),
               .quads = calloc(QUADS_MAX, sizeof *s.quads),
               .normals = calloc(CORNERS, sizeof *s.normals)};
    edge *edges = calloc(4 * (size_t)QUADS_MAX, sizeof *edges);
    // a quad makes four triangles and, at worst, a rim along its four edges
    out->triangles = calloc((size_t)QUADS_MAX * 12 * 3, sizeof *out->triangles);
    out->xyz = calloc((size_t)CORNERS * 6, sizeof *out->xyz);
    const bool room =
        s.number && s.corner && s.quads && s.normals && edges && out->triangles && out->xyz;
    if (room) {
        put_seat(&s);
        put_front_and_rear(&s);
        put_sides(&s);
        out->vertex_count = 2 * s.vertex_count;
        put_vertices(&s, out->xyz);
        put_triangles(&s, edges, out);
        centre(out);
    } else {
        shl_surface_finish(out);
    }
    free(s.number);
    free(s.corner);
    free(s.quads);
    free(s.normals);
    free(edges);
    return room ? SHOAL_OK : SHOAL_ERR_MEMORY;
}
