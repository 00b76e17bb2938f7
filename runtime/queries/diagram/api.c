// SPDX-License-Identifier: MIT
#include "runtime/queries/diagram/diagram.h"
#include "runtime/scene/scene.h"
#include "runtime/scene/vertices.h"

#include "kernels/tri/tri_distance.h"
#include "layouts/float_env.h"

#include <math.h>
#include <string.h>

enum { RESOLUTION_MAX = 4096 };

// The larger one, or NaN if there is any.
static double worst(double a, double b)
{
    return isnan(a) || b <= a ? a : b;
}

// The box around all vertices of bodies that took part, not finite if one of them is not.
// Errors: ARGUMENT (none did), MEMORY.
static shoal_status extent_of(const shoal_scene *s, double lo[3], double hi[3])
{
    bool any = false;
    shl_vertices v = {.scene = s};
    shoal_status st = SHOAL_OK;
    while ((st = shl_vertices_next(&v)) == SHOAL_OK && v.tree) {
        for (size_t i = 0; i < v.tree->vertex_count; i++) {
            const double *at = v.xyz + 3 * i;
            for (int k = 0; k < 3; k++) {
                lo[k] = any ? -worst(-lo[k], -at[k]) : at[k];
                hi[k] = any ? worst(hi[k], at[k]) : at[k];
            }
            any = true;
        }
    }
    return st != SHOAL_OK || any ? st : SHOAL_ERR_ARGUMENT;
}

shoal_status shoal_scene_grid(const shoal_scene *s, uint32_t resolution, shoal_grid *out)
{
    SHL_FLOAT_ENV(host);
    if (out)
        *out = (shoal_grid){.cell = 0};
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "grid: the scene is NULL");
    double lo[3], hi[3], longest = 0;
    if (!out || resolution < 1 || resolution > RESOLUTION_MAX)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "grid: %u cells, 1 to %d are possible",
                        resolution, RESOLUTION_MAX);
    const shoal_status st = s->runner.stepping ? SHOAL_ERR_ARGUMENT : extent_of(s, lo, hi);
    if (st != SHOAL_OK)
        return shl_fail(s->ctx, st, "grid: %s",
                        st == SHOAL_ERR_MEMORY ? "no memory for positions"
                                               : "no step has ended with a body");
    for (int k = 0; k < 3; k++)
        longest = worst(longest, hi[k] - lo[k]);
    const double beyond = longest > 0 ? longest / 10 : 0.5 * resolution;
    const double cell = (longest + 2 * beyond) / resolution;
    if (!isfinite(cell * RESOLUTION_MAX) || !(cell * 0x1p-100 > 0))
        return shl_fail(s->ctx, SHOAL_ERR_LIMIT, "grid: bodies of extent %g", longest);
    for (int k = 0; k < 3; k++) {
        const double want = (hi[k] - lo[k] + 2 * beyond) / cell;
        out->cells[k] = (uint32_t)fmin(resolution, fmax(1, ceil(want - 0x1p-20)));
        out->origin[k] = 0.5 * lo[k] + 0.5 * hi[k] - 0.5 * out->cells[k] * cell;
    }
    out->cell = cell;
    return SHOAL_OK;
}

static const char *fault_of(const shoal_scene *s, const shoal_grid *grid,
                            const shoal_diagram_cell *cells)
{
    if (!grid || !cells)
        return "no grid, or no cells to fill";
    if (s->runner.stepping)
        return "a step has begun and not ended";
    if (!(grid->cell > 0 && isfinite(grid->cell)))
        return "cells need a size";
    for (int k = 0; k < 3; k++) {
        if (grid->cells[k] == 0 || !isfinite(grid->origin[k]))
            return "a grid without cells, or nowhere";
    }
    return NULL;
}

static void set_ball(shl_diagram_tri *t)
{
    double most = 0;
    for (int k = 0; k < 3; k++)
        t->middle[k] = (t->corners[k] + t->corners[3 + k] + t->corners[6 + k]) / 3;
    for (int c = 0; c < 3; c++) {
        const double *at = t->corners + 3 * c, x = at[0] - t->middle[0];
        const double y = at[1] - t->middle[1], z = at[2] - t->middle[2];
        most = fmax(most, x * x + y * y + z * z);
    }
    t->radius = sqrt(most);
}

// Triangles in cells from the grid's origin, body by body, and the largest of their
// coordinates. Room is there.
static shoal_status collect(const shoal_scene *s, const shoal_grid *grid, shl_diagram_tri *out,
                            double *most)
{
    shl_vertices v = {.scene = s};
    shoal_status st = SHOAL_OK;
    while ((st = shl_vertices_next(&v)) == SHOAL_OK && v.tree) {
        for (uint32_t t = 0; t < v.tree->triangle_count; t++, out++) {
            out->body = v.body;
            for (int c = 0; c < 3; c++)
                memcpy(out->corners + 3 * c, v.xyz + 3 * (size_t)v.tree->tri[t].v[c],
                       3 * sizeof(double));
            for (int k = 0; k < 9; k++) {
                out->corners[k] = (out->corners[k] - grid->origin[k % 3]) / grid->cell;
                *most = worst(*most, fabs(out->corners[k]));
            }
            set_ball(out);
        }
    }
    return st;
}

typedef struct filling {
    shl_diagram diagram;
    shl_diagram_worker *workers;
    uint32_t rows;
} filling;

static shoal_status run_fill(void *ctx, shl_chunk rows)
{
    const filling *f = ctx;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = rows.begin; i < rows.end && st == SHOAL_OK; i++)
        st = shl_diagram_fill(&f->diagram, i, &f->workers[rows.worker]);
    return st;
}

// One job of tiles, run by whoever runs the scene's steps.
static shoal_status fill(const shoal_scene *s, filling *f, fenv_t *host)
{
    const shl_executor executor = (shl_executor)s->def.executor;
    shl_graph g;
    shl_graph_init(&g, f->diagram.allocator);
    g.workers_max = s->ports.workers;
    f->rows = shl_diagram_tiles(&f->diagram);
    shl_job(&g, .name = "diagram", .run = run_fill, .ctx = f, .rows = &f->rows, .grain = 1);
    shoal_status st = shl_graph_compile(&g);
    if (st == SHOAL_OK) {
        shl_float_env_end(host);
        st = shl_graph_run(&g, executor == SHL_EXEC_GUARD ? SHL_EXEC_SERIAL : executor,
                           s->ports.workers);
        shl_float_env_begin(host);
    }
    shl_graph_finish(&g);
    return st;
}

static shoal_status draw(const shoal_scene *s, const shoal_grid *grid, size_t count,
                         shl_diagram_tri *tris, shl_diagram_worker *workers,
                         shoal_diagram_cell *cells, fenv_t *host)
{
    double most = 0;
    const shoal_status st = collect(s, grid, tris, &most);
    if (st != SHOAL_OK)
        return st;
    for (int k = 0; k < 3; k++)
        most = worst(most, grid->cells[k]);
    if (!(most <= SHL_DISTANCE_EXTENT_MAX / 4))
        return SHOAL_ERR_LIMIT;
    filling f = {.diagram = {.tris = tris,
                             .count = (uint32_t)count,
                             .cells = {grid->cells[0], grid->cells[1], grid->cells[2]},
                             .cell = grid->cell,
                             .slack = 0x1p-40 * most,
                             .allocator = &s->ctx->allocator,
                             .out = cells},
                 .workers = workers};
    const shoal_status filled = fill(s, &f, host);
    for (uint32_t i = 0; i < s->ports.workers; i++)
        shl_diagram_worker_finish(&f.diagram, &workers[i]);
    return filled;
}

shoal_status shoal_scene_diagram(shoal_scene *s, const shoal_grid *grid,
                                 shoal_diagram_cell *cells)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "diagram: the scene is NULL");
    const char *fault = fault_of(s, grid, cells);
    if (fault)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "diagram: %s", fault);
    const double volume = (double)grid->cells[0] * grid->cells[1] * grid->cells[2];
    size_t count = 0;
    for (uint32_t i = 0; i < s->bodies.table.count; i++)
        count += shl_body_is(&s->bodies, i, SHL_BODY_ACTIVE)
                     ? s->bodies.model[i]->tree.triangle_count
                     : 0;
    if (volume >= 0x1p32 || count > UINT32_MAX)
        return shl_fail(s->ctx, SHOAL_ERR_LIMIT, "diagram: %g cells and %zu triangles", volume,
                        count);
    const shoal_allocator *allocator = &s->ctx->allocator;
    const size_t tri_bytes = (count + 1) * sizeof(shl_diagram_tri),
                 worker_bytes = s->ports.workers * sizeof(shl_diagram_worker);
    shl_diagram_tri *tris = shl_alloc(allocator, tri_bytes);
    shl_diagram_worker *workers = shl_zalloc(allocator, worker_bytes);
    const shoal_status st =
        tris && workers ? draw(s, grid, count, tris, workers, cells, &host) : SHOAL_ERR_MEMORY;
    shl_free(allocator, tris, tri_bytes);
    shl_free(allocator, workers, worker_bytes);
    if (st == SHOAL_ERR_LIMIT)
        return shl_fail(s->ctx, st, "diagram: cells of %g are too small for these bodies",
                        grid->cell);
    return st == SHOAL_OK ? st : shl_fail(s->ctx, st, "diagram: %s", shoal_status_text(st));
}
