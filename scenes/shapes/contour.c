// SPDX-License-Identifier: MIT
#include "scenes/shapes/contour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 12, SMOOTHINGS = 4, EDGE_KINDS = 7 };
static const double near_enough = 0.003; // of the wanted number of vertices

// Corners of a cube are numbered by bits: 1 is x, 2 is y, 4 is z. A tetrahedron goes from
// corner 0 to corner 7 along one edge of each axis, in one of six orders.
static const struct {
    uint8_t corner[4];
    bool odd; // it is a mirror image
} tetrahedra[6] = {{{0, 1, 3, 7}, false}, {{0, 2, 6, 7}, false}, {{0, 4, 5, 7}, false},
                   {{0, 1, 5, 7}, true},  {{0, 2, 3, 7}, true},  {{0, 4, 6, 7}, true}};

// By the set of inside corners: an even order of the corners such that those inside come first,
// or for three the outside one.
static const uint8_t turned[16][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 3, 2}, {0, 1, 2, 3},
                                      {2, 3, 0, 1}, {0, 2, 3, 1}, {1, 2, 0, 3}, {3, 2, 1, 0},
                                      {3, 2, 1, 0}, {0, 3, 1, 2}, {1, 3, 2, 0}, {2, 3, 0, 1},
                                      {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}};
static const uint8_t count_of[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

typedef struct lattice {
    const shl_contour_def *def;
    double lo[3], step;
    uint32_t count[3];   // points along the axes
    double *value;       // [points] of the field
    uint32_t *vertex_of; // [points][EDGE_KINDS] 1 + the vertex on the edge to a corner; 0: none
    shl_surface *out;
    uint32_t vertex_capacity, triangle_capacity;
} lattice;

static size_t point_at(const lattice *l, uint32_t x, uint32_t y, uint32_t z)
{
    return ((size_t)z * l->count[1] + y) * l->count[0] + x;
}

static void place_of(const lattice *l, size_t point, double out[3])
{
    const size_t at[3] = {point % l->count[0], point / l->count[0] % l->count[1],
                          point / l->count[0] / l->count[1]};
    for (int k = 0; k < 3; k++)
        out[k] = l->lo[k] + l->step * (double)at[k];
}

static bool reserve(void **array, uint32_t *capacity, uint32_t need, size_t bytes)
{
    if (need <= *capacity)
        return true;
    const uint32_t more = *capacity ? 2 * *capacity : 4096;
    void *grown = realloc(*array, more * bytes);
    if (!grown)
        return false;
    *array = grown;
    *capacity = more;
    return true;
}

// The vertex on the edge between two points, the first with the lower corner number.
static bool vertex_on(lattice *l, size_t from, size_t to, uint32_t kind, uint32_t *out)
{
    uint32_t *known = &l->vertex_of[from * EDGE_KINDS + kind - 1];
    if (!*known) {
        shl_surface *s = l->out;
        if (!reserve((void **)&s->xyz, &l->vertex_capacity, s->vertex_count + 1,
                     3 * sizeof *s->xyz))
            return false;
        double a[3], b[3];
        place_of(l, from, a);
        place_of(l, to, b);
        // not too near to a point, or its triangles would have next to no area
        const double share = l->value[from] / (l->value[from] - l->value[to]);
        const double t = fmin(0.9, fmax(0.1, share));
        for (int k = 0; k < 3; k++)
            s->xyz[3 * (size_t)s->vertex_count + (size_t)k] = a[k] + t * (b[k] - a[k]);
        *known = ++s->vertex_count;
    }
    *out = *known - 1;
    return true;
}

static bool put_triangle(lattice *l, uint32_t a, uint32_t b, uint32_t c, bool odd)
{
    shl_surface *s = l->out;
    if (!reserve((void **)&s->triangles, &l->triangle_capacity, s->triangle_count + 1,
                 3 * sizeof *s->triangles))
        return false;
    const uint32_t corners[3] = {a, odd ? c : b, odd ? b : c};
    memcpy(s->triangles + 3 * (size_t)s->triangle_count++, corners, sizeof corners);
    return true;
}

static bool march_one(lattice *l, const size_t point[8], int which)
{
    const uint8_t *corner = tetrahedra[which].corner;
    uint32_t inside = 0;
    for (uint32_t c = 0; c < 4; c++)
        inside |= (uint32_t)(l->value[point[corner[c]]] < 0) << c;
    const uint8_t count = count_of[inside], *order = turned[inside];
    if (count == 0 || count == 4)
        return true;
    static const uint8_t ends[2][4][2] = {{{0, 1}, {0, 2}, {0, 3}, {0, 0}},
                                          {{0, 2}, {0, 3}, {1, 3}, {1, 2}}};
    uint32_t v[4] = {0};
    for (uint32_t e = 0; e < (count == 2 ? 4 : 3); e++) {
        const uint8_t a = order[ends[count == 2][e][0]], b = order[ends[count == 2][e][1]];
        const uint8_t low = corner[a < b ? a : b], high = corner[a < b ? b : a];
        if (!vertex_on(l, point[low], point[high], low ^ high, &v[e]))
            return false;
    }
    const bool odd = tetrahedra[which].odd != (count == 3);
    return put_triangle(l, v[0], v[1], v[2], odd) &&
           (count != 2 || put_triangle(l, v[0], v[2], v[3], odd));
}

static shoal_status march(lattice *l)
{
    for (uint32_t z = 0; z + 1 < l->count[2]; z++) {
        for (uint32_t y = 0; y + 1 < l->count[1]; y++) {
            for (uint32_t x = 0; x + 1 < l->count[0]; x++) {
                size_t point[8];
                for (uint32_t c = 0; c < 8; c++)
                    point[c] = point_at(l, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
                for (int which = 0; which < 6; which++) {
                    if (!march_one(l, point, which))
                        return SHOAL_ERR_MEMORY;
                }
            }
        }
    }
    return SHOAL_OK;
}

// The surface with cubes of side `step`. A layer of cubes around the box is outside for sure.
static shoal_status contour(const shl_contour_def *def, double step, shl_surface *out)
{
    lattice l = {.def = def, .step = step, .out = out};
    size_t points = 1;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 3; k++) {
        l.count[k] = (uint32_t)ceil((def->hi[k] - def->lo[k]) / step) + 3;
        l.lo[k] = 0.5 * (def->lo[k] + def->hi[k]) - 0.5 * step * (l.count[k] - 1);
        points *= l.count[k];
    }
    l.value = malloc(points * sizeof *l.value);
    l.vertex_of = calloc(points, EDGE_KINDS * sizeof *l.vertex_of);
    shoal_status st = l.value && l.vertex_of ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (size_t i = 0; i < points && st == SHOAL_OK; i++) {
        double at[3];
        place_of(&l, i, at);
        l.value[i] = def->field(def->shape, at);
    }
    if (st == SHOAL_OK)
        st = march(&l);
    if (st == SHOAL_OK && !out->triangle_count)
        st = SHOAL_ERR_ARGUMENT;
    free(l.value);
    free(l.vertex_of);
    if (st != SHOAL_OK)
        shl_surface_finish(out);
    return st;
}

// To where the field is zero, along its gradient.
static void onto_surface(const shl_contour_def *def, double step, double p[3])
{
    for (int round = 0; round < 2; round++) {
        const double value = def->field(def->shape, p), probe = 1e-3 * step;
        double slope[3], square = 0;
        for (int k = 0; k < 3; k++) {
            double a[3] = {p[0], p[1], p[2]}, b[3] = {p[0], p[1], p[2]};
            a[k] -= probe;
            b[k] += probe;
            slope[k] = (def->field(def->shape, b) - def->field(def->shape, a)) / (2 * probe);
            square += slope[k] * slope[k];
        }
        if (square < 1e-12)
            return;
        const double way = fmax(-0.3 * step, fmin(0.3 * step, value / sqrt(square)));
        for (int k = 0; k < 3; k++)
            p[k] -= way * slope[k] / sqrt(square);
    }
}

// Each vertex goes half the way to the middle of its neighbours, then back to the surface.
static shoal_status smooth(const shl_contour_def *def, double step, shl_surface *s)
{
    const size_t n = s->vertex_count;
    double *sum = malloc(3 * n * sizeof *sum);
    uint32_t *count = malloc(n * sizeof *count);
    const bool room = sum && count;
    for (int round = 0; round < SMOOTHINGS && room; round++) {
        memset(sum, 0, 3 * n * sizeof *sum);
        memset(count, 0, n * sizeof *count);
        for (size_t i = 0; i < 3 * (size_t)s->triangle_count; i++) {
            const uint32_t a = s->triangles[i], b = s->triangles[i % 3 == 2 ? i - 2 : i + 1];
            for (size_t k = 0; k < 3; k++)
                sum[3 * (size_t)a + k] += s->xyz[3 * (size_t)b + k];
            count[a]++;
        }
        for (size_t v = 0; v < n; v++) {
            for (size_t k = 0; k < 3; k++)
                s->xyz[3 * v + k] = 0.5 * (s->xyz[3 * v + k] + sum[3 * v + k] / count[v]);
            onto_surface(def, step, s->xyz + 3 * v);
        }
    }
    free(sum);
    free(count);
    return room ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

shoal_status shl_contour_create(const shl_contour_def *def, shl_surface *out)
{
    double longest = 0, step = 0, best_step = 0, best = INFINITY;
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, def->hi[k] - def->lo[k]);
    memset(out, 0, sizeof *out);
    step = longest / 20;
    shoal_status st = SHOAL_OK;
    // the number of vertices goes with the square of the lattice, but for a little noise
    for (int i = 0; i < TRIES && best > near_enough && st == SHOAL_OK; i++) {
        shl_surface s;
        st = contour(def, step, &s);
        if (st != SHOAL_OK)
            break;
        const double ratio = (double)s.vertex_count / def->vertices;
        if (fabs(ratio - 1) < best) {
            best = fabs(ratio - 1);
            best_step = step;
        }
        step *= sqrt(ratio);
        shl_surface_finish(&s);
    }
    if (st == SHOAL_OK)
        st = contour(def, best_step, out);
    if (st == SHOAL_OK)
        st = smooth(def, best_step, out);
    if (st != SHOAL_OK)
        shl_surface_finish(out);
    return st;
}
