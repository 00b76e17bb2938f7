// SPDX-License-Identifier: MIT
// Trees that no longer fit their bodies are built anew from the positions of the day. The body
// then has a tree of its own, its positions are brought from the model's order to the new one,
// and nobody outside can tell.
#include "runtime/clock.h"
#include "runtime/kinds/free/free.h"

#include "runtime/trees/build.h"
#include "runtime/trees/sample.h"

#include <math.h>
#include <string.h>

static const double gather_ns = 2; // a vertex, for who was read in place

static bool forced(const shl_free_bodies *self)
{
    return self->ports->def->rebuild_ratio < 1;
}

static bool wanted(const shl_free_bodies *self, const shl_free_body *b)
{
    if (!b->model || b->source == SHL_SOURCE_NONE || shl_free_is(self, b, SHL_BODY_BAD))
        return false;
    return forced(self) ||
           (b->quality > self->ports->def->rebuild_ratio && b->lost_ns > (double)b->build_ns);
}

void shl_free_rebuild_begin(shl_free_bodies *self)
{
    const shoal_scene_def *def = self->ports->def;
    self->rebuild_count = self->rebuilt = 0;
    if (def->strategy != SHOAL_STRATEGY_AUTO || def->rebuild_ratio == 0)
        return;
    // a tree is built by one worker: no more than can be built side by side
    const uint32_t most = forced(self) ? UINT32_MAX : self->ports->workers;
    for (uint32_t i = 0; i < self->rows.count && self->rebuild_count < most; i++) {
        if (!wanted(self, shl_free_row(self, i)))
            continue;
        const shl_rebuild row = {.row = i};
        if (shl_array_append(&self->rebuilds, self->rebuild_count, &row, sizeof row,
                             self->ports->allocator))
            return; // another step will do
        self->rebuild_count++;
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

static shoal_status build(const shl_free_bodies *self, const shl_free_body *b, const input *in,
                          shl_rebuild *out)
{
    const shoal_allocator *allocator = self->ports->allocator;
    const shl_tree *model = &b->model->tree;
    const size_t vertices = model->vertex_count,
                 size = b->scalar == SHOAL_F32 ? sizeof(float) : sizeof(double);
    put_triangles(model, in->triangles);
    if (!put_positions(b, in->xyz))
        return SHOAL_ERR_ARGUMENT;
    out->own_tree = shl_zalloc(allocator, sizeof *out->own_tree);
    if (!out->own_tree)
        return SHOAL_ERR_MEMORY;
    shl_tree *tree = &out->own_tree->tree;
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
    out->own_tree->from_model = shl_alloc(allocator, vertices * sizeof(uint32_t));
    out->blocks = shl_alloc(allocator, tree->node_count * sizeof *out->blocks);
    // pictures look at boxes before the next step touches them
    out->stamps = shl_zalloc(allocator, tree->node_count * sizeof *out->stamps);
    if (!out->own_tree->from_model || !out->blocks || !out->stamps)
        return SHOAL_ERR_MEMORY;
    name_vertices(out->own_tree, model);
    sort_positions(out->own_tree, in->xyz, b->scalar, out->own.data);
    const shl_kernels *kernels = &self->ports->ctx->kernels;
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
    if (!r->own_tree)
        return;
    const size_t nodes = r->own_tree->tree.node_count;
    shl_free(allocator, r->blocks, nodes * sizeof *r->blocks);
    shl_free(allocator, (void *)r->stamps, nodes * sizeof *r->stamps);
    shl_array_finish(&r->own, allocator);
    shl_own_tree_finish(r->own_tree, allocator);
    r->own_tree = NULL;
}

shoal_status shl_free_run_rebuild(void *ctx, shl_chunk rows)
{
    const shl_free_bodies *self = ctx;
    const shoal_allocator *allocator = self->ports->allocator;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        shl_rebuild *r = (shl_rebuild *)self->rebuilds.data + i;
        const shl_free_body *b = shl_free_row(self, r->row);
        const uint64_t start = shl_now_ns();
        input in = {.triangle_bytes = 3 * sizeof(uint32_t) * b->tree->triangle_count,
                    .xyz_bytes = 3 * sizeof(double) * b->tree->vertex_count};
        in.triangles = shl_alloc(allocator, in.triangle_bytes);
        in.xyz = shl_alloc(allocator, in.xyz_bytes);
        r->status = in.triangles && in.xyz ? build(self, b, &in, r) : SHOAL_ERR_MEMORY;
        shl_free(allocator, in.triangles, in.triangle_bytes);
        shl_free(allocator, in.xyz, in.xyz_bytes);
        if (r->status)
            drop(r, allocator);
        r->ns = shl_now_ns() - start;
    }
    return SHOAL_OK; // who got no tree keeps the old one
}

// --- After the step. ---

static void install(shl_free_bodies *self, shl_free_body *b, const shl_rebuild *r)
{
    const shoal_allocator *allocator = self->ports->allocator;
    const size_t nodes = b->tree->node_count;
    shl_free(allocator, b->blocks, nodes * sizeof *b->blocks);
    shl_free(allocator, (void *)b->stamps, nodes * sizeof *b->stamps);
    shl_array_finish(&b->own, allocator);
    shl_own_tree_finish(b->own_tree, allocator);
    b->own_tree = r->own_tree;
    b->tree = &r->own_tree->tree;
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
    self->untouched = true;
    self->planned = false;
    self->bodies->changes++; // rows of the old tree mean nothing now
    self->rebuilt++;
}

// Time that the searches of this step lost by trees that do not fit, shared out by how many
// nodes of a body they open. Bodies of other kinds add to it, too.
static void count_losses(shl_free_bodies *self, double search_ns)
{
    const double ratio = self->ports->def->rebuild_ratio;
    double opened = 0;
    bool any = false;
    for (uint32_t i = 0; i < self->ports->workers; i++)
        opened += (double)self->ports->scratch[i].count.evaluated_nodes;
    for (uint32_t i = 0; i < self->rows.count; i++) {
        opened += shl_free_row(self, i)->visited_last;
        any |= shl_free_row(self, i)->quality > ratio;
    }
    for (uint32_t i = 0; any && opened > 0 && i < self->rows.count; i++) {
        shl_free_body *b = shl_free_row(self, i);
        if (!(b->quality > ratio))
            continue;
        double lost = search_ns * b->visited_last / opened * (1 - 1 / b->quality);
        if (b->source == SHL_SOURCE_IN_PLACE)
            lost -= gather_ns * b->tree->vertex_count;
        b->lost_ns += lost > 0 ? lost : 0;
    }
}

void shl_free_rebuild_end(shl_free_bodies *self, const shl_step_end *end)
{
    const shoal_scene_def *def = self->ports->def;
    // a step that searched no tree lost nothing by a bad one
    if (def->strategy == SHOAL_STRATEGY_AUTO && def->rebuild_ratio >= 1)
        count_losses(self, end->good && end->boxes ? end->search_ns : 0);
    for (uint32_t i = 0; i < self->rebuild_count; i++) {
        shl_rebuild *r = (shl_rebuild *)self->rebuilds.data + i;
        shl_free_body *b = shl_free_row(self, r->row);
        b->lost_ns = 0;
        if (r->own_tree)
            install(self, b, r);
        else if (r->status == SHOAL_ERR_MEMORY || r->status == SHOAL_ERR_LIMIT)
            shl_warn(self->ports->ctx, "step: body %u keeps its old tree: %s", b->body,
                     shoal_status_text(r->status));
    }
    self->rebuild_count = 0;
}
