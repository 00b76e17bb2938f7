// SPDX-License-Identifier: MIT
#include "scenes/shapes/glyph.h"

#include "scenes/math/vec.h"

#include <stdlib.h>

enum { POINTS = 8, ROWS = 5, COLUMNS = 3, PATCHES = ROWS * COLUMNS, CUTS_MAX = 16 };

static const double half_stroke = 0.1, half_depth = 0.11, width = 0.7;

// A stroke along a path, or cells of a table. A bar joins the right sides of two of the
// stroke's patches.
typedef struct glyph {
    uint32_t points;
    bool ring;
    double path[POINTS][2];
    uint32_t bar[2];
    uint32_t rows;
    char cells[ROWS][COLUMNS + 1];
} glyph;

const char shl_glyph_names[SHL_GLYPHS + 1] = "SHOAL";

static const glyph glyphs[SHL_GLYPHS] = {
    {.points = 8,
     .path = {{0.26, 0.30},
              {0.05, 0.40},
              {-0.20, 0.33},
              {-0.20, 0.10},
              {0.20, -0.10},
              {0.20, -0.33},
              {-0.05, -0.40},
              {-0.26, -0.30}}},
    {.rows = 3, .cells = {"#.#", "###", "#.#"}},
    {.points = 8,
     .ring = true,
     .path = {{0.25, 0.15},
              {0.11, 0.39},
              {-0.11, 0.39},
              {-0.25, 0.15},
              {-0.25, -0.15},
              {-0.11, -0.39},
              {0.11, -0.39},
              {0.25, -0.15}}},
    {.points = 8,
     .path = {{-0.29, -0.45},
              {-0.22, -0.15},
              {-0.16, 0.08},
              {-0.10, 0.38},
              {0.10, 0.38},
              {0.16, 0.08},
              {0.22, -0.15},
              {0.29, -0.45}},
     .bar = {1, 5}},
    {.rows = 5, .cells = {"#..", "#..", "#..", "#..", "###"}},
};

// Corners counter-clockwise.
typedef struct patch {
    double corner[4][2];
} patch;

static void direction(const double a[2], const double b[2], double out[2])
{
    const double x = b[0] - a[0], z = b[1] - a[1], length = sqrt(x * x + z * z);
    out[0] = x / length;
    out[1] = z / length;
}

// Both sides of the stroke at a point of its path, so that it is as wide before as behind.
static void sides(const glyph *g, uint32_t i, double left[2], double right[2])
{
    const uint32_t n = g->points;
    const bool first = !g->ring && i == 0, last = !g->ring && i == n - 1;
    double d[2][2];
    direction(g->path[first ? 0 : (i + n - 1) % n], g->path[first ? 1 : i], d[0]);
    direction(g->path[last ? n - 2 : i], g->path[last ? n - 1 : (i + 1) % n], d[1]);
    const double turned = 1 + d[0][0] * d[1][0] + d[0][1] * d[1][1];
    const double x = -half_stroke * (d[0][1] + d[1][1]) / turned;
    const double z = half_stroke * (d[0][0] + d[1][0]) / turned;
    left[0] = g->path[i][0] + x;
    left[1] = g->path[i][1] + z;
    right[0] = g->path[i][0] - x;
    right[1] = g->path[i][1] - z;
}

static uint32_t stroke_patches(const glyph *g, patch *out)
{
    double left[POINTS][2], right[POINTS][2];
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->points; i++)
        sides(g, i, left[i], right[i]);
    for (uint32_t i = 0; i + !g->ring < g->points; i++) {
        const uint32_t next = (i + 1) % g->points;
        const double *corners[4] = {left[i], right[i], right[next], left[next]};
        for (int k = 0; k < 4; k++)
            memcpy(out[count].corner[k], corners[k], sizeof left[i]);
        count++;
    }
    if (g->bar[1]) {
        const double *corners[4] = {right[g->bar[0]], right[g->bar[1] + 1], right[g->bar[1]],
                                    right[g->bar[0] + 1]};
        for (int k = 0; k < 4; k++)
            memcpy(out[count].corner[k], corners[k], sizeof left[0]);
        count++;
    }
    return count;
}

static uint32_t cell_patches(const glyph *g, patch *out)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < g->rows; row++) {
        for (uint32_t column = 0; column < COLUMNS; column++) {
            if (g->cells[row][column] != '#')
                continue;
            for (uint32_t k = 0; k < 4; k++) {
                const uint32_t x = column + (k == 1 || k == 2), z = row + (k < 2);
                out[count].corner[k][0] = width * ((double)x / COLUMNS - 0.5);
                out[count].corner[k][1] = 0.5 - (double)z / g->rows;
            }
            count++;
        }
    }
    return count;
}

// The flat glyph: points and squares over them.
typedef struct flat {
    uint32_t point_count, square_count, rim_count;
    double (*point)[2];
    uint32_t (*square)[4];
    uint32_t (*rim)[2]; // edges with a square on their left only
} flat;

static uint32_t point_at(flat *f, double x, double z)
{
    for (uint32_t i = 0; i < f->point_count; i++) {
        if (fabs(f->point[i][0] - x) < 1e-9 && fabs(f->point[i][1] - z) < 1e-9)
            return i;
    }
    f->point[f->point_count][0] = x;
    f->point[f->point_count][1] = z;
    return f->point_count++;
}

static void cut(flat *f, const patch *p, uint32_t cuts)
{
    for (uint32_t s = 0; s < cuts * cuts; s++) {
        const uint32_t row = s / cuts;
        for (uint32_t k = 0; k < 4; k++) {
            const double u = (double)(s % cuts + (k == 1 || k == 2)) / cuts;
            const double v = (double)(row + (k >= 2)) / cuts;
            double at[2];
            for (int i = 0; i < 2; i++)
                at[i] = (1 - v) * ((1 - u) * p->corner[0][i] + u * p->corner[1][i]) +
                        v * ((1 - u) * p->corner[3][i] + u * p->corner[2][i]);
            f->square[f->square_count][k] = point_at(f, at[0], at[1]);
        }
        f->square_count++;
    }
}

static bool has_edge(const flat *f, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < 4 * f->square_count; i++) {
        const uint32_t *s = f->square[i / 4];
        if (s[i % 4] == from && s[(i + 1) % 4] == to)
            return true;
    }
    return false;
}

static void find_rim(flat *f)
{
    for (uint32_t i = 0; i < 4 * f->square_count; i++) {
        const uint32_t from = f->square[i / 4][i % 4], to = f->square[i / 4][(i + 1) % 4];
        if (has_edge(f, to, from))
            continue;
        f->rim[f->rim_count][0] = from;
        f->rim[f->rim_count++][1] = to;
    }
}

static void add_square(shl_surface *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t corners[6] = {a, b, c, a, c, d};
    memcpy(s->triangles + 3 * (size_t)s->triangle_count, corners, sizeof corners);
    s->triangle_count += 2;
}

// Vertices: the front, the back, then points of the rim layer by layer.
static void give_depth(const flat *f, uint32_t layers, const uint32_t *rim_row, shl_surface *s)
{
    const uint32_t n = f->point_count;
    for (uint32_t layer = 0; layer <= layers; layer++) {
        const double y = half_depth * (2.0 * layer / layers - 1);
        const bool inner = layer > 0 && layer < layers;
        for (uint32_t i = 0; i < n; i++) {
            if (inner && rim_row[i] == UINT32_MAX)
                continue;
            const size_t at =
                inner ? 2 * n + (layer - 1) * f->rim_count + rim_row[i] : (layer ? n : 0) + i;
            s->xyz[3 * at] = f->point[i][0];
            s->xyz[3 * at + 1] = y;
            s->xyz[3 * at + 2] = f->point[i][1];
        }
    }
    for (uint32_t i = 0; i < f->square_count; i++) {
        const uint32_t *q = f->square[i];
        add_square(s, q[0], q[1], q[2], q[3]);
        add_square(s, n + q[3], n + q[2], n + q[1], n + q[0]);
    }
    for (uint32_t i = 0; i < f->rim_count * layers; i++) {
        const uint32_t layer = i / f->rim_count, *e = f->rim[i % f->rim_count];
        uint32_t at[2][2];
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t l = layer + k / 2, p = e[k % 2];
            at[k / 2][k % 2] = l == 0        ? p
                               : l == layers ? n + p
                                             : 2 * n + (l - 1) * f->rim_count + rim_row[p];
        }
        add_square(s, at[0][1], at[0][0], at[1][0], at[1][1]);
    }
}

shoal_status shl_mesh_glyph(uint32_t which, uint32_t cuts, uint32_t layers, shl_surface *out)
{
    *out = (shl_surface){0};
    if (which >= SHL_GLYPHS || cuts < 1 || cuts > CUTS_MAX || layers < 1 || layers > CUTS_MAX)
        return SHOAL_ERR_ARGUMENT;
    const glyph *g = &glyphs[which];
    patch patches[PATCHES];
    const uint32_t count = g->rows ? cell_patches(g, patches) : stroke_patches(g, patches);
    const size_t squares = (size_t)count * cuts * cuts;
    // every glyph has patches: NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI)
    flat f = {.point = calloc(4 * squares, sizeof *f.point),
              .square = calloc(squares, sizeof *f.square),
              .rim = calloc(4 * squares, sizeof *f.rim)};
    uint32_t *rim_row = malloc(4 * squares * sizeof *rim_row);
    shoal_status st = SHOAL_ERR_MEMORY;
    if (f.point && f.square && f.rim && rim_row) {
        for (uint32_t i = 0; i < count; i++)
            cut(&f, &patches[i], cuts);
        find_rim(&f);
        memset(rim_row, 0xff, 4 * squares * sizeof *rim_row);
        for (uint32_t i = 0; i < f.rim_count; i++)
            rim_row[f.rim[i][0]] = i;
        out->vertex_count = 2 * f.point_count + (layers - 1) * f.rim_count;
        // NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI)
        out->xyz = calloc(out->vertex_count, 3 * sizeof *out->xyz);
        out->triangles = calloc(4 * (size_t)f.square_count + 2 * (size_t)f.rim_count * layers,
                                3 * sizeof *out->triangles);
        st = out->xyz && out->triangles ? SHOAL_OK : SHOAL_ERR_MEMORY;
    }
    if (st == SHOAL_OK)
        give_depth(&f, layers, rim_row, out);
    else
        shl_surface_finish(out);
    free(f.point);
    free(f.square);
    free(f.rim);
    free(rim_row);
    return st;
}
