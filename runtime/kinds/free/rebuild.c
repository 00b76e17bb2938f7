// SPDX-License-Identifier: MIT
// Trees that no longer fit their bodies are built anew from the positions of the day. The body
// then has a tree of its own, its positions are brought from the model's order to the new one,
// and nobody outside can tell.
#include "runtime/clock.h"
#include "runtime/scene/steps.h"

#include "runtime/trees/build.h"
#include "runtime/trees/sample.h"

#include <math.h>
#include <string.h>

static const double gather_ns = 2; // a vertex, for who was read in place

static bool forced(const shoal_scene *s)
{
    return s->def.rebuild_ratio < 1;
}

static bool wanted(const shoal_scene *s, const shl_free_body *b)
{
    if (!b->model || shl_is_lazy(b) || b->source == SHL_SOURCE_NONE || b->bad)
        return false;
    return forced(s) || (b->quality > s->def.rebuild_ratio && b->lost_ns > (double)b->build_ns);
}

void shl_rebuild_begin(shoal_scene *s)
{
    s->rebuild_count = 0;
    if (s->def.strategy != SHOAL_STRATEGY_AUTO || s->def.rebuild_ratio == 0)
        return;
    // a tree is built by one worker: no more than can be built side by side
    const uint32_t most = forced(s) ? UINT32_MAX : s->workers_count;
    for (uint32_t i = 0; i < s->body_count && s->rebuild_count < most; i++) {
        if (!wanted(s, &shl_bodies(s)[i]))
            continue;
        const size_t n = s->rebuild_count, size = sizeof(shl_rebuild);
        if (shl_array_reserve(&s->rebuilds, (n + 1) * size, n * size, &s->allocator))
            return; // another step will do
        ((shl_rebuild *)s->rebuilds.data)[s->rebuild_count++] = (shl_rebuild){.body = i};
    }
}

// --- Building. ---

// What the builder reads: the user's triangles over the model's rows.
typedef struct input {
    uint32_t *triangles; // [3 * triangle_count]
    double *xyz;         // [3 * vertex_count] by the model's row
    size_t triangle_bytes, xyz_bytes;
} input;

static void put_triangles(const shl_tree *model, uint32_t *out)
{
    for (uint32_t i = 0; i < model->triangle_count; i++)
        memcpy(out + 3 * (size_t)model->tri[i].id, model->tri[i].v, sizeof model->tri[i].v);
}

// False if a coordinate is not finite: such a body has no shape to build a tree for.
static bool put_positions(const shl_free_body *b, double *out)
{
    bool finite = true;
    for (uint32_t row = 0; row < b->tree->vertex_count; row++) {
        double *to = out + 3 * (size_t)(b->own_tree ? b->own_tree->from_model[row] : row);
        for (size_t k = 0; k < 3; k++) {
            const size_t at = 3 * (size_t)row + k;
            to[k] = b->scalar == SHOAL_F32 ? (double)((const float *)b->xyz)[at]
                                           : ((const double *)b->xyz)[at];
            finite &= isfinite(to[k]) != 0;
        }
    }
    return finite;
}

// The builder's vertices were the model's rows: keeps those and names the user's.
static void name_vertices(shl_own_tree *own, const shl_tree *model)
{
    for (uint32_t row = 0; row < own->tree.vertex_count; row++) {
        own->from_model[row] = own->tree.order[row];
        own->tree.order[row] = model->order[own->from_model[row]];
    }
}

// Every double here was once a scalar of the body's own type.
static void sort_positions(const shl_own_tree *own, const double *xyz, shoal_scalar scalar,
                           void *out)
{
    for (uint32_t row = 0; row < own->tree.vertex_count; row++) {
        const double *from = xyz + 3 * (size_t)own->from_model[row];
        for (size_t k = 0; k < 3; k++) {
            if (scalar == SHOAL_F32)
                ((float *)out)[3 * (size_t)row + k] = (float)from[k];
            else
                ((double *)out)[3 * (size_t)row + k] = from[k];
        }
    }
}

static shoal_status build(shoal_scene *s, const shl_free_body *b, const input *in,
                          shl_rebuild *out)
{
    const shoal_allocator *allocator = &s->allocator;
    const shl_tree *model = &b->model->tree;
    const size_t vertices = model->vertex_count,
                 size = b->scalar == SHOAL_F32 ? sizeof(float) : sizeof(double);
    put_triangles(model, in->triangles);
    if (!put_positions(b, in->xyz))
        return SHOAL_ERR_ARGUMENT;
    out->made = shl_zalloc(allocator, sizeof *out->made);
    if (!out->made)
        return SHOAL_ERR_MEMORY;
    shl_tree *tree = &out->made->tree;
    const shl_build_input numbers = {.triangles = in->triangles,
                                     .xyz = in->xyz,
                                     .triangle_count = model->triangle_count,
                                     .vertex_count = model->vertex_count,
                                     .arity = b->model->arity};
    shoal_status st = shl_tree_build(&numbers, allocator, tree);
    if (!st)
        st = shl_array_reserve(&out->own, 3 * vertices * size, 0, allocator);
    if (st)
        return st;
    out->made->from_model = shl_alloc(allocator, vertices * sizeof(uint32_t));
    out->blocks = shl_alloc(allocator, tree->node_count * sizeof *out->blocks);
    // pictures look at boxes before the next step touches them
    out->stamps = shl_zalloc(allocator, tree->node_count * sizeof *out->stamps);
    if (!out->made->from_model || !out->blocks || !out->stamps)
        return SHOAL_ERR_MEMORY;
    name_vertices(out->made, model);
    sort_positions(out->made, in->xyz, b->scalar, out->own.data);
    const shl_kernels *kernels = &s->ctx->kernels;
    shl_box all;
    kernels->vertex_box[b->scalar](out->own.data, 0, tree->used_vertices, NULL, 0, &all);
    out->sample = shl_tree_sample(kernels, tree, out->own.data, b->scalar, &all);
    return SHOAL_OK;
}

void shl_own_tree_finish(shl_own_tree *own, const shoal_allocator *allocator)
{
    if (!own)
        return;
    shl_free(allocator, own->from_model, own->tree.vertex_count * sizeof *own->from_model);
    shl_tree_finish(&own->tree, allocator);
    shl_free(allocator, own, sizeof *own);
}

// Half a tree is none.
static void drop(shl_rebuild *r, const shoal_allocator *allocator)
{
    if (!r->made)
        return;
    const size_t nodes = r->made->tree.node_count;
    shl_free(allocator, r->blocks, nodes * sizeof *r->blocks);
    shl_free(allocator, (void *)r->stamps, nodes * sizeof *r->stamps);
    shl_array_finish(&r->own, allocator);
    shl_own_tree_finish(r->made, allocator);
    r->made = NULL;
}

shoal_status shl_run_rebuild(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    const shoal_allocator *allocator = &s->allocator;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        shl_rebuild *r = (shl_rebuild *)s->rebuilds.data + i;
        const shl_free_body *b = &shl_bodies(s)[r->body];
        const uint64_t start = shl_now_ns();
        input in = {.triangle_bytes = 3 * sizeof(uint32_t) * b->tree->triangle_count,
                    .xyz_bytes = 3 * sizeof(double) * b->tree->vertex_count};
        in.triangles = shl_alloc(allocator, in.triangle_bytes);
        in.xyz = shl_alloc(allocator, in.xyz_bytes);
        r->status = in.triangles && in.xyz ? build(s, b, &in, r) : SHOAL_ERR_MEMORY;
        shl_free(allocator, in.triangles, in.triangle_bytes);
        shl_free(allocator, in.xyz, in.xyz_bytes);
        if (r->status)
            drop(r, allocator);
        r->ns = shl_now_ns() - start;
    }
    return SHOAL_OK; // who got no tree keeps the old one
}

// --- After the step. ---

static void install(shoal_scene *s, shl_free_body *b, const shl_rebuild *r)
{
    const shoal_allocator *allocator = &s->allocator;
    const size_t nodes = b->tree->node_count;
    shl_free(allocator, b->blocks, nodes * sizeof *b->blocks);
    shl_free(allocator, (void *)b->stamps, nodes * sizeof *b->stamps);
    shl_array_finish(&b->own, allocator);
    shl_own_tree_finish(b->own_tree, allocator);
    b->own_tree = r->made;
    b->tree = &r->made->tree;
    b->blocks = r->blocks;
    b->stamps = r->stamps;
    b->own = r->own;
    b->xyz = b->own.data;
    if (b->source == SHL_SOURCE_IN_PLACE)
        b->source = SHL_SOURCE_GATHER;
    b->touched = false;
    b->age = 0;
    b->sample = r->sample;
    b->quality = 1;
    b->build_ns = r->ns;
    b->rebuilds++;
    s->untouched = true;
    s->planned = false;
    s->skin.valid = false; // its list names rows of the old tree
    s->stats.rebuilds++;
}

// Time that the search of this step lost by trees that do not fit, shared out by how many nodes
// of a body it opens. Reduced bodies have their share of it, too.
static void count_losses(shoal_scene *s, double search_ns)
{
    double opened = 0;
    bool any = false;
    for (uint32_t i = 0; i < s->workers_count; i++)
        opened += (double)s->workers[i].count.reduced_nodes;
    for (uint32_t i = 0; i < s->body_count; i++) {
        opened += shl_bodies(s)[i].opened_last;
        any |= shl_bodies(s)[i].quality > s->def.rebuild_ratio;
    }
    for (uint32_t i = 0; any && opened > 0 && i < s->body_count; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        if (!(b->quality > s->def.rebuild_ratio))
            continue;
        double lost = search_ns * b->opened_last / opened * (1 - 1 / b->quality);
        if (b->source == SHL_SOURCE_IN_PLACE)
            lost -= gather_ns * b->tree->vertex_count;
        b->lost_ns += lost > 0 ? lost : 0;
    }
}

void shl_rebuild_end(shoal_scene *s, double search_ns)
{
    if (s->def.strategy == SHOAL_STRATEGY_AUTO && s->def.rebuild_ratio >= 1)
        count_losses(s, search_ns);
    for (uint32_t i = 0; i < s->rebuild_count; i++) {
        shl_rebuild *r = (shl_rebuild *)s->rebuilds.data + i;
        shl_free_body *b = &shl_bodies(s)[r->body];
        b->lost_ns = 0;
        if (r->made)
            install(s, b, r);
        else if (r->status == SHOAL_ERR_MEMORY || r->status == SHOAL_ERR_LIMIT)
            shl_fail(s->ctx, SHOAL_OK, "step: body %u keeps its old tree: %s", r->body,
                     shoal_status_text(r->status));
    }
    s->rebuild_count = 0;
}
