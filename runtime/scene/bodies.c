// SPDX-License-Identifier: MIT
#include "layouts/float_env.h"
#include "runtime/kinds/skinned/front.h"
#include "runtime/scene/steps.h"
#include "runtime/traverse/eval_cache.h"
#include "runtime/traverse/leaf_cache.h"

#include <string.h>

void shl_body_finish(shoal_scene *s, shl_free_body *b)
{
    const shoal_allocator *allocator = &s->allocator;
    if (b->blocks || b->stamps) {
        shl_free(allocator, b->blocks, b->tree->node_count * sizeof *b->blocks);
        shl_free(allocator, (void *)b->stamps, b->tree->node_count * sizeof *b->stamps);
    }
    shl_own_tree_finish(b->own_tree, allocator);
    shl_array_finish(&b->own, allocator);
    shl_array_finish(&b->reference, allocator);
    shl_array_finish(&b->eager, allocator);
    shl_array_finish(&b->heat, allocator);
    shl_array_finish(&b->opened_memory, allocator);
    shl_array_finish(&b->ready, allocator);
    shl_array_finish(&b->front, allocator);
    shl_array_finish(&b->past, allocator);
    shl_corner_finish(s, b);
    shl_array_finish(&b->sheet.memory, allocator);
    shoal_model_destroy(b->model);
    memset(b, 0, sizeof *b);
}

shoal_status shl_body_slot(shoal_scene *s, uint32_t *out)
{
    for (uint32_t i = s->first_free; i < s->body_count; i++) {
        if (!shl_bodies(s)[i].model) {
            *out = i;
            return SHOAL_OK;
        }
    }
    const size_t n = s->body_count, size = sizeof(shl_free_body);
    if (n == UINT32_MAX - 1)
        return SHOAL_ERR_LIMIT;
    shoal_status st = shl_array_reserve(&s->bodies, (n + 1) * size, n * size, &s->allocator);
    if (st != SHOAL_OK)
        return st;
    memset(&shl_bodies(s)[n], 0, size);
    *out = s->body_count++;
    return SHOAL_OK;
}

shoal_body shl_body_enter(shoal_scene *s, uint32_t slot)
{
    shl_free_body *b = &shl_bodies(s)[slot];
    shl_model_hold(b->model);
    b->generation = b->made = ++s->generation;
    b->number = slot;
    s->first_free = slot + 1;
    s->planned = false;
    return (shoal_body){slot + 1, b->generation};
}

// Room for what steps find out about a sheet, if the model has one.
static bool add_sheet(shoal_scene *s, const shoal_model *model, shl_sheet_state *sheet)
{
    const size_t nodes = model->sheet.node_count;
    const size_t bytes = nodes * (sizeof *sheet->gradients + sizeof *sheet->proof);
    if (!model->has_sheet)
        return true;
    if (shl_array_reserve(&sheet->memory, bytes, 0, &s->allocator) != SHOAL_OK)
        return false;
    sheet->gradients = memset(sheet->memory.data, 0, bytes);
    sheet->proof = (_Atomic uint64_t *)(sheet->gradients + nodes);
    return true;
}

// Makes an empty slot a free body of the model, which it does not hold yet. On failure the slot
// is empty.
static shoal_status make_free(shoal_scene *s, shoal_model *model, shl_free_body *b)
{
    const shoal_allocator *allocator = &s->allocator;
    const size_t nodes = model->tree.node_count;
    b->tree = &model->tree;
    b->blocks = shl_alloc(allocator, nodes * sizeof *b->blocks);
    b->stamps = shl_alloc(allocator, nodes * sizeof *b->stamps);
    if (!b->blocks || !b->stamps || !add_sheet(s, model, &b->sheet)) {
        shl_body_finish(s, b);
        return SHOAL_ERR_MEMORY;
    }
    s->untouched = true; // the first job of the next step writes both
    b->model = model;
    b->sample = model->sample;
    b->build_ns = model->build_ns;
    return SHOAL_OK;
}

// What is wrong with a model for such a body; NULL: nothing.
static const char *fault_of(const shoal_scene *s, const shoal_model *model, shl_body_kind kind)
{
    return !model                                          ? "NULL"
           : model->ctx != s->ctx                          ? "of another context"
           : kind == SHL_BODY_REDUCED && !model->reducible ? "not reducible"
           : kind == SHL_BODY_POINTS && !model->has_points ? "without nodes"
                                                           : NULL;
}

shoal_status shl_body_begin(shoal_scene *s, const shoal_model *model, shl_body_kind kind,
                            shoal_body *out, uint32_t *slot)
{
    if (!s)
        return SHOAL_ERR_ARGUMENT;
    if (!out)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "add: out is NULL");
    *out = (shoal_body){0};
    if (s->stepping)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "add: a step has begun and not ended");
    const char *fault = fault_of(s, model, kind);
    if (fault)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "add: the model is %s", fault);
    const shoal_status st = shl_body_slot(s, slot);
    return st == SHOAL_OK ? st : shl_fail(s->ctx, st, "add: no room for another body");
}

shoal_status shoal_scene_add_free(shoal_scene *s, shoal_model *model, shoal_body *out)
{
    uint32_t slot = 0;
    shoal_status st = shl_body_begin(s, model, SHL_BODY_FREE, out, &slot);
    if (st != SHOAL_OK)
        return st;
    st = shl_leaf_caches_make(s);
    if (st == SHOAL_OK)
        st = make_free(s, model, &shl_bodies(s)[slot]);
    if (st != SHOAL_OK)
        return shl_fail(s->ctx, st, "add: no memory for %u nodes", model->tree.node_count);
    *out = shl_body_enter(s, slot);
    return SHOAL_OK;
}

shl_free_body *shl_body_find(shoal_scene *s, shoal_body id, const char *call,
                             shoal_status *status)
{
    *status = SHOAL_ERR_ARGUMENT;
    if (!s)
        return NULL;
    if (id.index1 == 0 || s->stepping) {
        shl_fail(s->ctx, *status, "%s: %s", call,
                 s->stepping ? "a step has begun and not ended" : "the id is null");
        return NULL;
    }
    shl_free_body *b = id.index1 <= s->body_count ? &shl_bodies(s)[id.index1 - 1] : NULL;
    if (!b || !b->model || b->generation != id.generation) {
        *status = shl_fail(s->ctx, SHOAL_ERR_STALE, "%s: body %u is gone", call, id.index1 - 1);
        return NULL;
    }
    *status = SHOAL_OK;
    return b;
}

shoal_status shoal_scene_remove(shoal_scene *s, shoal_body id)
{
    shoal_status st;
    shl_free_body *b = shl_body_find(s, id, "remove", &st);
    if (!b)
        return st;
    shl_body_finish(s, b);
    if (id.index1 - 1 < s->first_free)
        s->first_free = id.index1 - 1;
    s->planned = false;
    s->skin.valid = false;
    return SHOAL_OK;
}

shoal_status shoal_scene_replace_model(shoal_scene *s, shoal_body id, shoal_model *model)
{
    shoal_status st;
    shl_free_body *b = shl_body_find(s, id, "replace_model", &st);
    if (!b)
        return st;
    const char *fault = fault_of(s, model,
                                 b->reduced  ? SHL_BODY_REDUCED
                                 : b->points ? SHL_BODY_POINTS
                                             : SHL_BODY_FREE);
    if (fault)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "replace_model: the model is %s", fault);
    shl_free_body fresh = {0};
    st = b->reduced  ? shl_make_reduced(s, model, &fresh)
         : b->points ? shl_make_points(s, model, &fresh)
                     : make_free(s, model, &fresh);
    if (st != SHOAL_OK)
        return shl_fail(s->ctx, st, "replace_model: no memory for body %u", id.index1 - 1);
    shl_model_hold(model); // first: it may be the one the body has
    fresh.number = b->number;
    fresh.generation = b->generation;
    fresh.made = ++s->generation;
    fresh.has_loose = b->has_loose; // about the body's place, not its shape
    fresh.loose = b->loose;
    shl_body_finish(s, b);
    *b = fresh;
    s->planned = false;
    s->skin.valid = false;
    return SHOAL_OK;
}

static bool packed(const shoal_positions *p)
{
    const size_t size = p->scalar == SHOAL_F32 ? sizeof(float) : sizeof(double);
    return p->stride == 3 && (const char *)p->y == (const char *)p->x + size &&
           (const char *)p->z == (const char *)p->x + 2 * size;
}

shoal_status shoal_scene_set_positions(shoal_scene *s, shoal_body id, const shoal_positions *p)
{
    shoal_status st;
    shl_free_body *b = shl_body_find(s, id, "set_positions", &st);
    if (!b)
        return st;
    if (shl_is_lazy(b))
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "set_positions: body %u is %s",
                        id.index1 - 1, b->reduced ? "reduced" : "carried by nodes");
    const char *fault = shl_positions_fault(p);
    if (fault)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "set_positions: %s", fault);
    if (p->count != b->tree->vertex_count)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT,
                        "set_positions: %u vertices, the model has %u", p->count,
                        b->tree->vertex_count);
    // a tree of the body's own has an order of its own
    const bool in_tree_order = p->order == SHOAL_ORDER_TREE && packed(p) && !b->own_tree;
    const shl_source source = p->hold == SHOAL_COPY ? SHL_SOURCE_OWN
                              : in_tree_order       ? SHL_SOURCE_IN_PLACE
                                                    : SHL_SOURCE_GATHER;
    const size_t bytes =
        3 * (size_t)p->count * (p->scalar == SHOAL_F32 ? sizeof(float) : sizeof(double));
    if (source != SHL_SOURCE_IN_PLACE) {
        st = shl_array_reserve(&b->own, bytes, 0, &s->allocator);
        if (st != SHOAL_OK)
            return shl_fail(s->ctx, st, "set_positions: no memory for %u vertices", p->count);
    }
    if (source == SHL_SOURCE_OWN && in_tree_order)
        memcpy(b->own.data, p->x, bytes);
    else if (source == SHL_SOURCE_OWN)
        shl_gather(b, p, 0, p->count, b->own.data);
    if (source != b->source)
        s->planned = false;
    if (b->source == SHL_SOURCE_NONE || p->scalar != b->scalar)
        s->skin.valid = false; // no reference, or none to compare with
    b->source = source;
    b->scalar = p->scalar;
    b->user = *p;
    b->xyz = source == SHL_SOURCE_IN_PLACE ? p->x : b->own.data;
    b->changed = true;
    return SHOAL_OK;
}

shoal_status shoal_scene_set_loose_box(shoal_scene *s, shoal_body id, const float lo[3],
                                       const float hi[3])
{
    SHL_FLOAT_ENV(host);
    shoal_status st;
    shl_free_body *b = shl_body_find(s, id, "set_loose_box", &st);
    if (!b)
        return st;
    bool good = !lo == !hi;
    shl_box box = {{0}, {0}};
    for (int k = 0; k < 3 && lo && hi; k++) {
        good = good && lo[k] <= hi[k]; // not so for NaN
        box.lo[k] = lo[k];
        box.hi[k] = hi[k];
    }
    if (!good)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT,
                        "set_loose_box: one end is NULL, NaN or beyond the other");
    b->has_loose = lo != NULL;
    b->loose_told = false;
    b->loose = box;
    return SHOAL_OK;
}

shoal_status shoal_scene_body_info(shoal_scene *s, shoal_body id, shoal_body_info *out)
{
    shoal_status st;
    if (s && !out)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "body_info: out is NULL");
    if (out)
        *out = (shoal_body_info){0};
    const shl_free_body *b = shl_body_find(s, id, "body_info", &st);
    if (!b)
        return st;
    out->quality = b->quality;
    out->rebuilds = b->rebuilds;
    if (b->own_tree)
        out->bytes = sizeof *b->own_tree + shl_tree_bytes(b->tree) +
                     b->tree->vertex_count * sizeof *b->own_tree->from_model;
    return SHOAL_OK;
}
