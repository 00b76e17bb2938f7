// SPDX-License-Identifier: MIT
#include "scenes/shapes/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int32_t column(const shl_nearest_table *t, const double p[3], int k)
{
    const double at = (p[k] - t->lo[k]) / t->cell;
    return !(at > 0) ? 0 : at >= t->size[k] ? t->size[k] - 1 : (int32_t)at;
}

static size_t cell_of(const shl_nearest_table *t, const int32_t at[3])
{
    return ((size_t)at[2] * (size_t)t->size[1] + (size_t)at[1]) * (size_t)t->size[0] +
           (size_t)at[0];
}

uint32_t shl_nearest_vertex(const shl_nearest_table *t, const double p[3])
{
    return t->vertex[cell_of(
        t, (const int32_t[3]){column(t, p, 0), column(t, p, 1), column(t, p, 2)})];
}

static double square_to(const shl_nearest_table *t, const shl_surface *rest,
                        const int32_t at[3], uint32_t vertex)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double d =
            t->lo[k] + t->cell * (at[k] + 0.5) - rest->xyz[3 * (size_t)vertex + (size_t)k];
        sum += d * d;
    }
    return sum;
}

// One sweep over all cells, forwards or backwards: each looks at the vertices of its six
// neighbours. Returns whether anything changed.
static bool sweep(shl_nearest_table *t, const shl_surface *rest, bool back)
{
    const size_t count = (size_t)t->size[0] * (size_t)t->size[1] * (size_t)t->size[2];
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        const size_t c = back ? count - 1 - i : i;
        const int32_t nx = t->size[0], ny = t->size[1];
        const int32_t at[3] = {(int32_t)(c % (size_t)nx),
                               (int32_t)(c / (size_t)nx % (size_t)ny),
                               (int32_t)(c / ((size_t)nx * (size_t)ny))};
        const uint32_t own = t->vertex[c];
        double best = own == UINT32_MAX ? INFINITY : square_to(t, rest, at, own);
        for (int side = 0; side < 6; side++) {
            int32_t next[3] = {at[0], at[1], at[2]};
            next[side / 2] += side % 2 ? 1 : -1;
            if (next[side / 2] < 0 || next[side / 2] >= t->size[side / 2])
                continue;
            const uint32_t other = t->vertex[cell_of(t, next)];
            if (other == UINT32_MAX || other == t->vertex[c])
                continue;
            const double square = square_to(t, rest, at, other);
            if (square < best) {
                best = square;
                t->vertex[c] = other;
                changed = true;
            }
        }
    }
    return changed;
}

shoal_status shl_nearest_create(const shl_surface *rest, double cell, double margin,
                                shl_nearest_table *out)
{
    *out = (shl_nearest_table){.cell = cell};
    size_t count = 1;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t v = 0; v < rest->vertex_count; v++) {
            lo = fmin(lo, rest->xyz[3 * v + (size_t)k]);
            hi = fmax(hi, rest->xyz[3 * v + (size_t)k]);
        }
        out->lo[k] = lo - margin;
        out->size[k] = (int32_t)((hi - lo + 2 * margin) / cell) + 1;
        count *= (size_t)out->size[k];
    }
    out->vertex = malloc(count * sizeof *out->vertex);
    if (!out->vertex)
        return SHOAL_ERR_MEMORY;
    memset(out->vertex, 0xff, count * sizeof *out->vertex);
    for (uint32_t v = 0; v < rest->vertex_count; v++) {
        const double *p = rest->xyz + 3 * (size_t)v;
        const int32_t at[3] = {column(out, p, 0), column(out, p, 1), column(out, p, 2)};
        uint32_t *to = &out->vertex[cell_of(out, at)];
        if (*to == UINT32_MAX || square_to(out, rest, at, v) < square_to(out, rest, at, *to))
            *to = v;
    }
    // vertices spread until every cell is content; distances only fall, so it ends
    for (bool again = true; again;) {
        again = sweep(out, rest, false);
        again = sweep(out, rest, true) || again;
    }
    return SHOAL_OK;
}

void shl_nearest_finish(shl_nearest_table *table)
{
    free(table->vertex);
    memset(table, 0, sizeof *table);
}
