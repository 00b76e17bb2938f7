// SPDX-License-Identifier: MIT
#include "scenes/shapes/plate.h"
#include "scenes/math/portable_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Columns in the order in which positions are written.
typedef struct plate {
    uint32_t count;
    double *memory;        // holds all columns
    double *x, *y, *fold;  // [count] at rest
    double *sin_x, *cos_x; // [count] of 3 x
    double *sin_y, *cos_y; // [count] of 4 y
} plate;

static const double folds = 4;         // ridges across the width
static const double fold_height = 0.1; // from the middle to a ridge
static const double breath = 0.05;     // share of its height by which a fold grows and shrinks
static const double ripple = 0.01;

// A zigzag between -1 and 1.
static double zigzag(double x)
{
    const double at = folds * 0.5 * (x + 1);
    return 4 * fabs(at - floor(at) - 0.5) - 1;
}

shoal_status shl_mesh_plate(uint32_t k, shl_surface *out)
{
    memset(out, 0, sizeof *out);
    if (k > SHL_PLATE_MAX)
        return SHOAL_ERR_ARGUMENT;
    const uint32_t wide = 3u << k, deep = ((93u << k) + 31) / 32, row = wide + 1;
    const size_t vertices = (size_t)row * (deep + 1), triangles = 2 * (size_t)wide * deep;
    out->xyz = malloc(3 * vertices * sizeof *out->xyz);
    out->triangles = malloc(3 * triangles * sizeof *out->triangles);
    if (!out->xyz || !out->triangles) {
        shl_surface_finish(out);
        return SHOAL_ERR_MEMORY;
    }
    for (uint32_t j = 0; j <= deep; j++) {
        for (uint32_t i = 0; i <= wide; i++) {
            double *p = out->xyz + 3 * ((size_t)j * row + i);
            p[0] = (2.0 * i - wide) / wide;
            p[1] = (2.0 * j - deep) / wide;
            p[2] = fold_height * zigzag(p[0]);
        }
    }
    uint32_t *t = out->triangles;
    for (uint32_t j = 0; j < deep; j++) {
        for (uint32_t i = 0; i < wide; i++, t += 6) {
            const uint32_t a = j * row + i, b = a + 1, c = a + row, d = c + 1;
            memcpy(t, (const uint32_t[6]){a, b, d, a, d, c}, 6 * sizeof *t);
        }
    }
    out->vertex_count = (uint32_t)vertices;
    out->triangle_count = (uint32_t)triangles;
    return SHOAL_OK;
}

static void destroy(void *state)
{
    plate *s = state;
    free(s->memory);
    free(s);
}

static shoal_status create(uint64_t seed, const shl_surface *rest, const uint32_t *order,
                           uint32_t bodies, void **to)
{
    (void)seed, (void)bodies;
    const size_t n = rest->vertex_count;
    plate *out = *to = calloc(1, sizeof *out);
    if (!out)
        return SHOAL_ERR_MEMORY;
    double **const columns[] = {&out->x,     &out->y,     &out->fold, &out->sin_x,
                                &out->cos_x, &out->sin_y, &out->cos_y};
    const size_t column_count = sizeof columns / sizeof *columns;
    out->count = rest->vertex_count;
    out->memory = malloc(n * column_count * sizeof *out->memory);
    if (!out->memory) {
        destroy(out);
        *to = NULL;
        return SHOAL_ERR_MEMORY;
    }
    for (size_t i = 0; i < column_count; i++)
        *columns[i] = out->memory + i * n;
    for (size_t i = 0; i < n; i++) {
        const double *p = rest->xyz + 3 * (size_t)(order ? order[i] : i);
        const shl_sincos x = shl_sincos_of(3 * p[0]), y = shl_sincos_of(4 * p[1]);
        out->x[i] = p[0];
        out->y[i] = p[1];
        out->fold[i] = p[2];
        out->sin_x[i] = x.sin;
        out->cos_x[i] = x.cos;
        out->sin_y[i] = y.sin;
        out->cos_y[i] = y.cos;
    }
    return SHOAL_OK;
}

static void write(const void *state, uint32_t body, const shl_pose *pose, shoal_scalar scalar,
                  void *xyz)
{
    (void)body;
    const plate *s = state;
    const shl_sincos t = shl_sincos_of(pose->time), u = shl_sincos_of(0.7 * pose->time);
    const double grown = 1 + breath * t.sin;
    for (size_t i = 0; i < s->count; i++) {
        // sin(3 x + t) sin(4 y - 0.7 t)
        const double wave = (s->sin_x[i] * t.cos + s->cos_x[i] * t.sin) *
                            (s->sin_y[i] * u.cos - s->cos_y[i] * u.sin);
        const double p[3] = {s->x[i], s->y[i], grown * s->fold[i] + ripple * wave};
        shl_pose_write(pose, p, i, scalar, xyz);
    }
}

static shoal_status mesh(uint32_t k, uint64_t seed, shl_surface *out)
{
    (void)seed;
    return shl_mesh_plate(k, out);
}

const shl_deformation shl_folded = {mesh, create, destroy, write, NULL, NULL};
