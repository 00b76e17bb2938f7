// SPDX-License-Identifier: MIT
// The jobs of the grid: leaves near other bodies become triangles in cells; their bounds come
// from the GPU, or from the CPU if that has not delivered; bounds of nodes and bodies follow.
#include "runtime/queries/distance/search.h"

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
    float limit; // squares of gaps up to it count
} around;

static bool within_limit(const around *o, const shl_box *box)
{
    for (uint32_t i = 0; i < o->count; i += SHL_LANES) {
        float gap[SHL_LANES];
        o->kernels->block_gap(box, o->blocks + i / SHL_LANES, gap);
        for (uint32_t k = 0; k < SHL_LANES && i + k < o->count; k++) {
            if (gap[k] <= o->limit)
                return true;
        }
    }
    return false;
}

// Boxes being listed of bodies that the body meets.
typedef struct gatherer {
    const shl_distance *d;
    shl_block *out;
    uint32_t body, count;
} gatherer;

static void gather_box(void *ctx, uint32_t body, float gap)
{
    (void)gap;
    gatherer *g = ctx;
    const shl_box *box = &g->d->ports->bodies->box[body];
    if (body == g->body || !shl_distance_may_meet(g->d, g->body, body))
        return;
    for (int m = 0; m < 3; m++) {
        g->out[g->count / SHL_LANES].lo[m][g->count % SHL_LANES] = box->lo[m];
        g->out[g->count / SHL_LANES].hi[m][g->count % SHL_LANES] = box->hi[m];
    }
    g->count++;
}

// Beyond 2 band no sample can say anything, neither of the one nor of the other.
static around gather_around(const shl_distance *d, uint32_t slot, uint32_t worker)
{
    gatherer g = {d, d->scratch[worker].boxes.data, shl_distance_body(d, slot), 0};
    const float limit = shl_search_limit(2 * (double)d->grid.band * d->grid.cell, d->slack);
    shl_broad_within(&d->tree, shl_distance_box(d, slot), limit, gather_box, &g);
    return (around){shl_distance_kernels(d), g.out, g.count, limit};
}

// Marks the leaves within the limit of another body.
static void want(const shl_view *view, shl_scratch *scratch, const around *o, uint8_t *wanted)
{
    const shl_tree *t = view->tree;
    uint32_t stack[STACK_ROWS], depth = 1;
    stack[0] = 0;
    while (depth) {
        const uint32_t node = stack[--depth];
        if (t->leaf[node]) {
            wanted[node] = 1;
            continue;
        }
        shl_block slot;
        const shl_block *opened = shl_open(view, node, 0, &slot, scratch).block;
        for (uint32_t lane = 0; lane < t->count[node]; lane++) {
            shl_box box;
            for (int k = 0; k < 3; k++) {
                box.lo[k] = opened->lo[k][lane];
                box.hi[k] = opened->hi[k][lane];
            }
            if (within_limit(o, &box))
                stack[depth++] = t->first[node] + lane;
        }
    }
}

shoal_status shl_grid_run_cull(void *ctx, shl_chunk rows)
{
    const shl_distance *d = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        shl_view view;
        shl_view_of(d->ports, shl_distance_body(d, i), &view);
        uint8_t *wanted =
            (uint8_t *)d->grid.wanted.data + ((const uint32_t *)d->node_begin.data)[i];
        memset(wanted, 0, view.tree->node_count);
        const around o = gather_around(d, i, rows.worker);
        if (o.count)
            want(&view, &d->ports->scratch[rows.worker], &o, wanted);
    }
    return SHOAL_OK;
}

// --- Triangles in cells. ---

// A triangle outside of any grid.
static const shl_cell_tri nowhere = {
    .a = {-1e6f, -1e6f, -1e6f}, .b = {-1e6f, -1e6f, -1e6f}, .c = {-1e6f, -1e6f, -1e6f}};

static double set_leaf(const shl_distance *d, const shl_view *view, uint32_t slot,
                       uint32_t node, shl_scratch *scratch)
{
    const shl_grid *g = &d->grid;
    const uint32_t owner = ((const shl_grid_owner *)g->owners.data)[slot].owner;
    const shl_tree *t = view->tree;
    const uint32_t first = ((const uint32_t *)d->tri_begin.data)[slot];
    const bool wanted =
        ((const uint8_t *)g->wanted.data)[((const uint32_t *)d->node_begin.data)[slot] + node];
    double worst = 0;
    for (uint32_t lane = 0; lane < t->count[node]; lane++) {
        const uint32_t row = t->first[node] + lane;
        shl_cell_tri *out = (shl_cell_tri *)g->tris.data + first + row;
        *out = nowhere;
        if (!wanted)
            continue;
        double corners[9];
        const shl_tri_ref at = {node, row, 0};
        shl_view_corners(view, &at, scratch, corners);
        worst = fmax(worst, shl_cell_tri_set(corners, g->origin, g->cell,
                                             shl_voronoi_cutoff(g->band), owner, out));
    }
    return worst;
}

shoal_status shl_grid_run_tris(void *ctx, shl_chunk rows)
{
    const shl_distance *d = ctx;
    const uint32_t *begin = d->node_begin.data;
    uint32_t slot = shl_distance_slot(&d->node_begin, d->body_count, rows.begin);
    shl_view view;
    shl_view_of(d->ports, shl_distance_body(d, slot), &view);
    double worst = 0;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        if (i >= begin[slot + 1]) {
            while (i >= begin[slot + 1])
                slot++;
            shl_view_of(d->ports, shl_distance_body(d, slot), &view);
        }
        if (view.tree->leaf[i - begin[slot]])
            worst = fmax(worst, set_leaf(d, &view, slot, i - begin[slot],
                                         &d->ports->scratch[rows.worker]));
    }
    ((double *)d->grid.errors.data)[rows.chunk] = worst;
    return SHOAL_OK;
}

// --- The GPU, and what is left for the CPU. ---

// A grid that was asked for fails; any other leaves the step to the trees and is coarser next.
static shoal_status give_up(shl_distance *d, shoal_status st)
{
    shl_grid *g = &d->grid;
    if (d->ports->def->grid_resolution)
        return shl_fail(d->ports->ctx, st,
                        "step: the grid for distances of %u x %u x %u cells: %s", g->cells[0],
                        g->cells[1], g->cells[2], shoal_status_text(st));
    if (!atomic_exchange(&g->failed, true) && g->coarser < COARSER_MAX) {
        g->coarser++;
        if (!g->told_coarse)
            shl_warn(
                d->ports->ctx,
                "step: the grid for distances does not fit into memory and is made coarser");
        g->told_coarse = true;
    }
    g->chunk_rows = g->brick_rows = 0;
    return SHOAL_OK;
}

static shoal_status gpu_failed(shl_distance *d, const char *why)
{
    shl_grid *g = &d->grid;
    g->on_gpu = false;
    g->cost[SHL_WITH_GPU] = 0; // nor is it measured again
    if (d->ports->ctx->gpu.required)
        return shl_fail(d->ports->ctx, SHOAL_ERR_DEVICE, "step: the GPU: %s", why);
    if (!g->told_gpu)
        shl_warn(d->ports->ctx, "step: the CPU takes over from the GPU: %s", why);
    g->told_gpu = true;
    return SHOAL_OK;
}

static uint32_t tri_count(const shl_distance *d)
{
    return ((const uint32_t *)d->tri_begin.data)[d->body_count];
}

shoal_status shl_grid_run_submit(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_distance *d = ctx;
    shl_grid *g = &d->grid;
    if (!g->used)
        return SHOAL_OK;
    const uint32_t count = tri_count(d);
    double worst = 0;
    for (uint32_t i = 0; i < shl_chunk_count(g->tri_rows, SHL_GRID_NODES); i++)
        worst = fmax(worst, ((const double *)g->errors.data)[i]);
    g->eps = shl_voronoi_eps(worst, g->band);
    if (!(g->eps < 1)) { // floats are too coarse for such cells
        g->on_gpu = false;
        return give_up(d, SHOAL_ERR_LIMIT);
    }
    if (!g->on_gpu)
        return SHOAL_OK;
    const shl_gpu_bounds job = {.tris = g->tris.data,
                                .count = count,
                                .cells = {g->cells[0], g->cells[1], g->cells[2]},
                                .band = g->band,
                                .eps = g->eps,
                                .pair_limit = PAIRS_AUTO};
    shl_gpu_line why = {""};
    shl_gpu_link *link = &d->ports->ctx->gpu;
    if (!shl_gpu_open(link))
        return gpu_failed(d, link->info.reason);
    const shl_gpu_status st = link->api->submit(link->gpu, &job, &g->ticket, &why);
    if (st == SHL_GPU_BUSY) // with other scenes, which is no failure
        g->on_gpu = false;
    return st == SHL_GPU_OK || st == SHL_GPU_BUSY ? SHOAL_OK : gpu_failed(d, why.text);
}

// Waits for the GPU. Without it, or if it failed, the CPU's jobs get their rows.
shoal_status shl_grid_run_collect(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_distance *d = ctx;
    shl_grid *g = &d->grid;
    if (!g->used || atomic_load(&g->failed))
        return SHOAL_OK;
    if (g->on_gpu) {
        shl_gpu_line why = {""};
        shl_gpu_link *link = &d->ports->ctx->gpu;
        const uint64_t ticket = g->ticket;
        g->ticket = 0;
        if (link->api->collect(link->gpu, ticket, g->upper.data, NULL, &g->span, &why) ==
            SHL_GPU_OK) {
            g->gpu_jobs = 1;
            return SHOAL_OK;
        }
        const shoal_status st = gpu_failed(d, why.text);
        if (st != SHOAL_OK)
            return st;
    }
    const shl_voronoi_def def = {.tris = g->tris.data,
                                 .count = tri_count(d),
                                 .cells = {g->cells[0], g->cells[1], g->cells[2]},
                                 .band = g->band,
                                 .eps = g->eps,
                                 .pair_limit =
                                     d->ports->def->grid_resolution ? UINT32_MAX : PAIRS_AUTO};
    const shoal_status st =
        shl_voronoi_begin(&g->voronoi, &def, &d->ports->ctx->kernels, d->ports->allocator);
    if (st != SHOAL_OK)
        return give_up(d, st);
    g->chunk_rows = g->voronoi.chunks;
    return SHOAL_OK;
}

shoal_status shl_grid_run_owners(void *ctx, shl_chunk rows)
{
    shl_voronoi_owners(&((shl_distance *)ctx)->grid.voronoi, rows.begin, rows.end);
    return SHOAL_OK;
}

shoal_status shl_grid_run_pairs(void *ctx, shl_chunk rows)
{
    shl_distance *d = ctx;
    const shoal_status st = shl_voronoi_pairs(&d->grid.voronoi, rows.begin, rows.end);
    if (st == SHOAL_OK || d->ports->def->grid_resolution)
        return st;
    atomic_store(&d->grid.failed, true);
    return SHOAL_OK;
}

shoal_status shl_grid_run_lists(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_distance *d = ctx;
    shl_grid *g = &d->grid;
    if (g->chunk_rows == 0)
        return SHOAL_OK;
    const bool full = atomic_exchange(&g->failed, false);
    shoal_status st = full ? SHOAL_ERR_LIMIT : shl_voronoi_lists(&g->voronoi);
    for (uint32_t i = 0; i < d->ports->workers && st == SHOAL_OK; i++) {
        st = SHL_RESERVE(
            d->ports->allocator, {&d->scratch[i].brick, sizeof(shl_brick_scratch)},
            {&d->scratch[i].least, (g->voronoi.longest + (size_t)1) * sizeof(float)});
    }
    if (st != SHOAL_OK)
        return give_up(d, st);
    g->brick_rows = g->voronoi.active_count;
    return SHOAL_OK;
}

shoal_status shl_grid_run_distances(void *ctx, shl_chunk rows)
{
    shl_distance *d = ctx;
    const shl_voronoi_worker own = {d->scratch[rows.worker].brick.data,
                                    d->scratch[rows.worker].least.data};
    shl_voronoi_distances(&d->grid.voronoi, rows.begin, rows.end, &own);
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

static double upper_of(const shl_distance *d, float upper)
{
    const shl_grid *g = &d->grid;
    if (!isfinite(upper))
        return INFINITY;
    // the nearest pair may be computed as farther than it is, and must still be within
    return ((double)upper + (double)g->eps) * g->cell * (1 + 0x1p-30) + d->slack;
}

// Of a body: its triangles, its nodes from the leaves up, and itself.
shoal_status shl_grid_run_bounds(void *ctx, shl_chunk rows)
{
    shl_distance *d = ctx;
    const shl_grid *g = &d->grid;
    for (uint32_t i = rows.begin; i < rows.end && !atomic_load(&g->failed); i++) {
        const uint32_t body = shl_distance_body(d, i);
        const uint32_t first = ((const uint32_t *)d->tri_begin.data)[i];
        shl_view view;
        shl_view_of(d->ports, body, &view);
        const shl_tree *t = view.tree;
        float *lower = (float *)g->lower.data + first;
        float *node = (float *)g->node_lower.data + ((const uint32_t *)d->node_begin.data)[i];
        float *upper = (float *)g->upper.data + first, least = INFINITY;
        if (!g->gpu_jobs)
            shl_voronoi_range(&g->voronoi, first, t->triangle_count, upper);
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
        if (isfinite(least) && shl_grid_bounds_above(d, body) &&
            d->queries & SHOAL_QUERY_NEAREST)
            shl_bound_lower((_Atomic uint64_t *)d->bound.data + body, upper_of(d, least));
    }
    return SHOAL_OK;
}

bool shl_grid_bounds_above(const shl_distance *d, uint32_t body)
{
    const uint32_t slot = ((const uint32_t *)d->slot.data)[body];
    return d->grid.used && ((const shl_grid_owner *)d->grid.owners.data)[slot].meets_others;
}

static bool has_bounds(const shl_distance *d)
{
    return d->grid.used && !atomic_load_explicit(&d->grid.failed, memory_order_relaxed);
}

// The first of a body's rows in columns that begins are given for.
static size_t first_row(const shl_distance *d, const shl_array *begin, uint32_t body)
{
    return ((const uint32_t *)begin->data)[((const uint32_t *)d->slot.data)[body]];
}

const float *shl_grid_lower_tris(const shl_distance *d, uint32_t body)
{
    return has_bounds(d) ? (const float *)d->grid.lower.data + first_row(d, &d->tri_begin, body)
                         : NULL;
}

const float *shl_grid_lower_nodes(const shl_distance *d, uint32_t body)
{
    return has_bounds(d)
               ? (const float *)d->grid.node_lower.data + first_row(d, &d->node_begin, body)
               : NULL;
}

double shl_grid_upper(const shl_distance *d, uint32_t body, uint32_t row)
{
    if (!has_bounds(d) || !shl_grid_bounds_above(d, body))
        return INFINITY;
    return upper_of(
        d, ((const float *)d->grid.upper.data)[first_row(d, &d->tri_begin, body) + row]);
}

void shl_grid_end(shl_distance *d)
{
    shl_grid *g = &d->grid;
    shl_gpu_link *link = &d->ports->ctx->gpu;
    shl_gpu_line why;
    if (g->ticket) // the step failed before anyone waited for it
        (void)link->api->collect(link->gpu, g->ticket, g->upper.data, NULL, NULL, &why);
    g->ticket = 0;
}
