// SPDX-License-Identifier: MIT
#include "scenes/models/orthogonal.h"

#include <math.h>
#include <stdlib.h>

typedef struct space {
    const double *mass; // [vertices]
    double (*rows)[3];  // [6 + fields][vertices] rigid motions, then fields
    size_t vertices;    //
} space;

static double product(const space *s, size_t row, size_t other)
{
    const double(*a)[3] = (const double(*)[3])s->rows + row * s->vertices;
    const double(*b)[3] = (const double(*)[3])s->rows + other * s->vertices;
    double sum = 0;
    for (size_t v = 0; v < s->vertices; v++)
        sum += s->mass[v] * (a[v][0] * b[v][0] + a[v][1] * b[v][1] + a[v][2] * b[v][2]);
    return sum;
}

// Gram and Schmidt, twice for the digits that the first pass loses.
static void orthogonalise(space *s, size_t row)
{
    for (size_t other = 0; other < 2 * row; other++) {
        const size_t from = other % row;
        const double share = product(s, row, from) / product(s, from, from);
        double *a = s->rows[row * s->vertices];
        const double *b = s->rows[from * s->vertices];
        for (size_t i = 0; i < 3 * s->vertices; i++)
            a[i] -= share * b[i];
    }
}

static void put_rigid(const shl_surface *surface, space *s)
{
    for (size_t v = 0; v < s->vertices; v++) {
        const double *p = surface->xyz + 3 * v;
        for (size_t k = 0; k < 3; k++) {
            s->rows[k * s->vertices + v][k] = 1;
            double *turn = s->rows[(3 + k) * s->vertices + v];
            turn[(k + 1) % 3] = -p[(k + 2) % 3];
            turn[(k + 2) % 3] = p[(k + 1) % 3];
        }
    }
}

static void put_field(const space *s, uint32_t field, float *to)
{
    const double *from = s->rows[(6 + (size_t)field) * s->vertices];
    double most = 0;
    for (size_t v = 0; v < s->vertices; v++) {
        const double *u = from + 3 * v;
        most = fmax(most, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    for (size_t i = 0; i < 3 * s->vertices; i++) {
        const volatile float rounded = (float)(from[i] / sqrt(most));
        to[i] = rounded;
    }
}

shoal_status shl_orthogonal_fields(const shl_surface *surface, const double *mass,
                                   shl_shape_fn *shape, const void *ctx, uint32_t count,
                                   float **fields)
{
    const size_t n = surface->vertex_count, rows = 6 + (size_t)count;
    space s = {mass, calloc(rows * n, sizeof *s.rows), n};
    *fields = malloc(3 * count * n * sizeof **fields);
    if (!s.rows || !*fields) {
        free(s.rows);
        free(*fields);
        *fields = NULL;
        return SHOAL_ERR_MEMORY;
    }
    put_rigid(surface, &s);
    for (uint32_t field = 0; field < count; field++) {
        for (size_t v = 0; v < n; v++)
            shape(ctx, field, surface->xyz + 3 * v, s.rows[(6 + (size_t)field) * n + v]);
    }
    for (size_t row = 1; row < rows; row++)
        orthogonalise(&s, row);
    for (uint32_t field = 0; field < count; field++)
        put_field(&s, field, *fields + 3 * n * field);
    free(s.rows);
    return SHOAL_OK;
}
