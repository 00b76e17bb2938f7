// SPDX-License-Identifier: MIT
// The jobs of the grid: leaves near other bodies become triangles in cells; their bounds come
// from the GPU, or from the CPU if that has not delivered; bounds of nodes and bodies follow.
#include "runtime/queries/distance/bounds/bounds.h"
#include "runtime/queries/distance/search.h"
#include "runtime/scene/steps.h"

#include "kernels/round.h"

#include <math.h>
#include <string.h>

enum {
    PAIRS_AUTO = 1 << 25, // bricks and triangles, in a grid that nobody asked for
    COARSER_MAX = 20,     // doublings
    STACK_ROWS = (SHL_LEVELS_MAX + 1) * SHL_LANES,
};

// --- Which leaves. ---

// Lanes of boxes around a body, packed.
typedef struct around {
    const shl_kernels *kernels;
    const shl_block *blocks;
    uint32_t count;
    float reach; // squares of gaps up to it are near
} around;

static bool is_near(const around *o, const shl_box *box)
{
    for (uint32_t i = 0; i < o->count; i += SHL_LANES) {
        float gap[SHL_LANES];
        o->kernels->block_gap(box, o->blocks + i / SHL_LANES, gap);
        for (uint32_t k = 0; k < SHL_LANES && i + k < o->count; k++) {
            if (gap[k] <= o->reach)
                return true;
        }
    }
    return false;
}

// Beyond 2 band no sample can say anything, neither of the one nor of the other.
static around gather_around(shoal_scene *s, uint32_t place, shl_walker *walker)
{
    const shl_grid *g = &s->grid;
    const shl_distance *d = &s->distance;
    const shl_box *box = &shl_bodies(s)[((const uint32_t *)d->bodies.data)[place]].box;
    shl_block *out = walker->near.data;
    around o = {&s->ctx->kernels, out, 0,
                shl_search_limit(2 * (double)g->band * g->cell, d->slack)};
    for (uint32_t i = 0; i < d->body_count; i += SHL_LANES) {
        const shl_block *from = (const shl_block *)d->blocks.data + i / SHL_LANES;
        float gap[SHL_LANES];
        s->ctx->kernels.block_gap(box, from, gap);
        for (uint32_t k = 0; k < SHL_LANES && i + k < d->body_count; k++) {
            if (i + k == place || gap[k] > o.reach)
                continue;
            for (int m = 0; m < 3; m++) {
                out[o.count / SHL_LANES].lo[m][o.count % SHL_LANES] = from->lo[m][k];
                out[o.count / SHL_LANES].hi[m][o.count % SHL_LANES] = from->hi[m][k];
            }
            o.count++;
        }
    }
    return o;
}

// Marks the leaves that have something near.
static void want(shoal_scene *s, shl_walker *walker, shl_free_body *body, const around *o,
                 uint8_t *wanted)
{
    const shl_tree *t = body->tree;
    uint32_t stack[STACK_ROWS], depth = 1;
    stack[0] = 0;
    while (depth) {
        const uint32_t node = stack[--depth];
        if (t->leaf[node]) {
            wanted[node] = 1;
            continue;
        }
        shl_block slot;
        const shl_block *opened = shl_open(s->ctx, body, node, 0, &slot, walker);
        for (uint32_t lane = 0; lane < t->count[node]; lane++) {
            shl_box box;
            for (int k = 0; k < 3; k++) {
                box.lo[k] = opened->lo[k][lane];
                box.hi[k] = opened->hi[k][lane];
            }
            if (is_near(o, &box))
                stack[depth++] = t->first[node] + lane;
        }
    }
}

shoal_status shl_run_grid_near(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    const shl_distance *d = &s->distance;
    shl_walker *walker = &s->workers[worker];
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        shl_free_body *body = &shl_bodies(s)[((const uint32_t *)d->bodies.data)[i]];
        uint8_t *wanted =
            (uint8_t *)s->grid.wanted.data + ((const uint32_t *)d->node_begin.data)[i];
        memset(wanted, 0, body->tree->node_count);
        const around o = gather_around(s, i, walker);
        if (o.count)
            want(s, walker, body, &o, wanted);
    }
    return SHOAL_OK;
}

// --- Triangles in cells. ---

// A triangle outside of any grid.
static const shl_cell_tri nowhere = {
    .a = {-1e6f, -1e6f, -1e6f}, .b = {-1e6f, -1e6f, -1e6f}, .c = {-1e6f, -1e6f, -1e6f}};

static double set_leaf(shoal_scene *s, shl_walker *walker, uint32_t place, uint32_t node)
{
    const shl_distance *d = &s->distance;
    const shl_grid *g = &s->grid;
    const uint32_t number = ((const uint32_t *)d->bodies.data)[place];
    const shl_tree *t = shl_bodies(s)[number].tree;
    const uint32_t first = ((const uint32_t *)d->tri_begin.data)[place];
    const bool wanted =
        ((const uint8_t *)g->wanted.data)[((const uint32_t *)d->node_begin.data)[place] + node];
    double worst = 0;
    for (uint32_t lane = 0; lane < t->count[node]; lane++) {
        const uint32_t row = t->first[node] + lane;
        shl_cell_tri *out = (shl_cell_tri *)g->tris.data + first + row;
        *out = nowhere;
        if (!wanted)
            continue;
        double corners[9];
        const shl_spot at = {node, row, 0};
        shl_spot_corners(s, walker, number, &at, corners);
        worst = fmax(worst, shl_cell_tri_set(corners, g->origin, g->cell,
                                             shl_voronoi_reach(g->band), place, out));
    }
    return worst;
}

shoal_status shl_run_grid_tris(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    shoal_scene *s = ctx;
    const uint32_t *begin = s->distance.node_begin.data;
    uint32_t place =
        shl_place_of_row(&s->distance.node_begin, s->distance.body_count, rows.begin);
    double worst = 0;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        while (i >= begin[place + 1])
            place++;
        const uint32_t number = ((const uint32_t *)s->distance.bodies.data)[place];
        if (shl_bodies(s)[number].tree->leaf[i - begin[place]])
            worst = fmax(worst, set_leaf(s, &s->workers[worker], place, i - begin[place]));
    }
    ((double *)s->grid.errors.data)[chunk] = worst;
    return SHOAL_OK;
}

// --- The GPU, and what is left for the CPU. ---

// A grid that was asked for fails; any other leaves the step to the trees and is coarser next.
static shoal_status give_up(shoal_scene *s, shoal_status st)
{
    shl_grid *g = &s->grid;
    if (s->def.grid_resolution)
        return shl_fail(s->ctx, st, "step: the grid for distances of %u x %u x %u cells: %s",
                        g->cells[0], g->cells[1], g->cells[2], shoal_status_text(st));
    if (!atomic_exchange(&g->failed, true) && g->coarser < COARSER_MAX) {
        g->coarser++;
        if (!g->told_coarse)
            shl_fail(
                s->ctx, SHOAL_OK,
                "step: the grid for distances does not fit into memory and is made coarser");
        g->told_coarse = true;
    }
    g->chunk_rows = g->brick_rows = 0;
    return SHOAL_OK;
}

static shoal_status gpu_failed(shoal_scene *s, const char *why)
{
    shl_grid *g = &s->grid;
    g->on_gpu = false;
    g->cost[SHL_WITH_GPU] = 0; // nor is it measured again
    if (s->ctx->gpu.required)
        return shl_fail(s->ctx, SHOAL_ERR_DEVICE, "step: the GPU: %s", why);
    if (!g->told_gpu)
        shl_fail(s->ctx, SHOAL_OK, "step: the CPU takes over from the GPU: %s", why);
    g->told_gpu = true;
    return SHOAL_OK;
}

static uint32_t tri_count(const shoal_scene *s)
{
    return ((const uint32_t *)s->distance.tri_begin.data)[s->distance.body_count];
}

shoal_status shl_run_grid_begin(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    shl_grid *g = &s->grid;
    if (!g->used)
        return SHOAL_OK;
    const uint32_t count = tri_count(s);
    double worst = 0;
    for (uint32_t i = 0; i < shl_chunk_count(g->tri_rows, SHL_GRID_NODES); i++)
        worst = fmax(worst, ((const double *)g->errors.data)[i]);
    g->eps = shl_voronoi_eps(worst, g->band);
    if (!(g->eps < 1)) { // floats are too coarse for such cells
        g->on_gpu = false;
        return give_up(s, SHOAL_ERR_LIMIT);
    }
    if (!g->on_gpu)
        return SHOAL_OK;
    const shl_gpu_bounds job = {.tris = g->tris.data,
                                .count = count,
                                .cells = {g->cells[0], g->cells[1], g->cells[2]},
                                .band = g->band,
                                .eps = g->eps,
                                .room = PAIRS_AUTO};
    shl_gpu_line why = {""};
    shl_gpu_link *link = &s->ctx->gpu;
    if (!shl_gpu_open(link))
        return gpu_failed(s, link->info.reason);
    const shl_gpu_status st = link->api->submit(link->gpu, &job, &g->ticket, &why);
    if (st == SHL_GPU_BUSY) // with other scenes, which is no failure
        g->on_gpu = false;
    return st == SHL_GPU_OK || st == SHL_GPU_BUSY ? SHOAL_OK : gpu_failed(s, why.text);
}

// Waits for the GPU. Without it, or if it failed, the CPU's jobs get their rows.
shoal_status shl_run_grid_join(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    shl_grid *g = &s->grid;
    if (!g->used || atomic_load(&g->failed))
        return SHOAL_OK;
    if (g->on_gpu) {
        shl_gpu_line why = {""};
        shl_gpu_link *link = &s->ctx->gpu;
        const uint64_t ticket = g->ticket;
        g->ticket = 0;
        if (link->api->collect(link->gpu, ticket, g->upper.data, NULL, &g->span, &why) ==
            SHL_GPU_OK) {
            g->gpu_jobs = 1;
            return SHOAL_OK;
        }
        const shoal_status st = gpu_failed(s, why.text);
        if (st != SHOAL_OK)
            return st;
    }
    const shl_voronoi_def def = {.tris = g->tris.data,
                                 .count = tri_count(s),
                                 .cells = {g->cells[0], g->cells[1], g->cells[2]},
                                 .band = g->band,
                                 .eps = g->eps,
                                 .room = s->def.grid_resolution ? UINT32_MAX : PAIRS_AUTO};
    const shoal_status st =
        shl_voronoi_begin(&g->voronoi, &def, &s->ctx->kernels, &s->allocator);
    if (st != SHOAL_OK)
        return give_up(s, st);
    g->chunk_rows = g->voronoi.chunks;
    return SHOAL_OK;
}

shoal_status shl_run_grid_mark(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shl_voronoi_mark(&((shoal_scene *)ctx)->grid.voronoi, rows.begin, rows.end);
    return SHOAL_OK;
}

shoal_status shl_run_grid_pair(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    const shoal_status st = shl_voronoi_pair(&s->grid.voronoi, rows.begin, rows.end);
    if (st == SHOAL_OK || s->def.grid_resolution)
        return st;
    atomic_store(&s->grid.failed, true);
    return SHOAL_OK;
}

shoal_status shl_run_grid_list(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    shl_grid *g = &s->grid;
    if (g->chunk_rows == 0)
        return SHOAL_OK;
    const bool full = atomic_exchange(&g->failed, false);
    shoal_status st = full ? SHOAL_ERR_LIMIT : shl_voronoi_list(&g->voronoi);
    for (uint32_t i = 0; i < s->workers_count && st == SHOAL_OK; i++) {
        st = shl_array_reserve(&s->workers[i].brick, sizeof(shl_brick_scratch), 0,
                               &s->allocator);
        if (st == SHOAL_OK)
            st = shl_array_reserve(&s->workers[i].least,
                                   (g->voronoi.longest + (size_t)1) * sizeof(float), 0,
                                   &s->allocator);
    }
    if (st != SHOAL_OK)
        return give_up(s, st);
    g->brick_rows = g->voronoi.active_count;
    return SHOAL_OK;
}

shoal_status shl_run_grid_measure(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    const shl_voronoi_worker own = {s->workers[worker].brick.data,
                                    s->workers[worker].least.data};
    shl_voronoi_measure(&s->grid.voronoi, rows.begin, rows.end, &own);
    return SHOAL_OK;
}

// --- Bounds. ---

static float lower_of(const shl_grid *g, float upper)
{
    const double cells = isfinite(upper)
                             ? (double)upper - 2 * (double)SHL_VORONOI_R - (double)g->eps
                             : 2 * ((double)g->band - (double)SHL_VORONOI_R);
    if (!(cells > 0))
        return 0;
    const double world = cells * g->cell * (1 - 0x1p-30);
    return shl_round_down(world * world);
}

static double upper_of(const shoal_scene *s, float upper)
{
    const shl_grid *g = &s->grid;
    if (!isfinite(upper))
        return INFINITY;
    // the nearest pair may be computed as farther than it is, and must still be within
    return ((double)upper + (double)g->eps) * g->cell * (1 + 0x1p-30) + s->distance.slack;
}

// Of a body: its triangles, its nodes from the leaves up, and itself.
shoal_status shl_run_grid_bounds(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    const shl_grid *g = &s->grid;
    const shl_distance *d = &s->distance;
    for (uint32_t i = rows.begin; i < rows.end && !atomic_load(&g->failed); i++) {
        const uint32_t number = ((const uint32_t *)d->bodies.data)[i];
        const uint32_t first = ((const uint32_t *)d->tri_begin.data)[i];
        const shl_tree *t = shl_bodies(s)[number].tree;
        float *lower = (float *)g->lower.data + first;
        float *node = (float *)g->node_lower.data + ((const uint32_t *)d->node_begin.data)[i];
        float *upper = (float *)g->upper.data + first, least = INFINITY;
        if (!g->gpu_jobs)
            shl_voronoi_part(&g->voronoi, first, t->triangle_count, upper);
        for (uint32_t k = 0; k < t->triangle_count; k++) {
            lower[k] = lower_of(g, upper[k]);
            least = fminf(least, upper[k]);
        }
        for (uint32_t n = t->node_count; n-- > 0;) {
            const float *from = (t->leaf[n] ? lower : node) + t->first[n];
            node[n] = INFINITY;
            for (uint32_t k = 0; k < t->count[n]; k++)
                node[n] = fminf(node[n], from[k]);
        }
        if (isfinite(least) && s->queries & SHOAL_QUERY_NEAREST)
            shl_bound_lower((_Atomic uint64_t *)d->bound.data + number, upper_of(s, least));
    }
    return SHOAL_OK;
}

static bool has_bounds(const shoal_scene *s)
{
    return s->grid.used && !atomic_load_explicit(&s->grid.failed, memory_order_relaxed);
}

static uint32_t place_in(const shoal_scene *s, const shl_free_body *body)
{
    return ((const uint32_t *)s->distance.place.data)[body->number];
}

const float *shl_grid_lower_tris(const shoal_scene *s, const shl_free_body *body)
{
    const uint32_t *begin = s->distance.tri_begin.data;
    return has_bounds(s) ? (const float *)s->grid.lower.data + begin[place_in(s, body)] : NULL;
}

const float *shl_grid_lower_nodes(const shoal_scene *s, const shl_free_body *body)
{
    const uint32_t *begin = s->distance.node_begin.data;
    return has_bounds(s) ? (const float *)s->grid.node_lower.data + begin[place_in(s, body)]
                         : NULL;
}

double shl_grid_upper(const shoal_scene *s, const shl_free_body *body, uint32_t row)
{
    if (!has_bounds(s))
        return INFINITY;
    const uint32_t first = ((const uint32_t *)s->distance.tri_begin.data)[place_in(s, body)];
    return upper_of(s, ((const float *)s->grid.upper.data)[first + row]);
}

void shl_grid_end(shoal_scene *s, bool good)
{
    shl_grid *g = &s->grid;
    if (g->ticket) { // the step failed before anyone waited for it
        shl_gpu_line why;
        (void)s->ctx->gpu.api->collect(s->ctx->gpu.gpu, g->ticket, g->upper.data, NULL, NULL,
                                       &why);
    }
    g->ticket = 0;
    if (good)
        shl_grid_learn(s);
}

shoal_status shl_grid_trace(shoal_scene *s)
{
    shl_graph *graph = &s->graph;
    if (!graph->tracing || !s->grid.gpu_jobs)
        return SHOAL_OK;
    const size_t n = graph->event_count, size = sizeof(shoal_event);
    const shoal_status st =
        shl_array_reserve(&graph->events, (n + 1) * size, n * size, &s->allocator);
    if (st == SHOAL_OK)
        ((shoal_event *)graph->events.data)[graph->event_count++] =
            (shoal_event){.job = "gpu",
                          .begin_ns = s->grid.span.begin_ns,
                          .end_ns = s->grid.span.end_ns,
                          .end = 1,
                          .worker = s->workers_count};
    return st;
}

void shl_grid_finish(shoal_scene *s)
{
    shl_grid *g = &s->grid;
    shl_array *const arrays[] = {&g->wanted, &g->tris,  &g->errors,
                                 &g->upper,  &g->lower, &g->node_lower};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        shl_array_finish(arrays[i], &s->allocator);
    if (g->voronoi.allocator)
        shl_voronoi_finish(&g->voronoi);
}
