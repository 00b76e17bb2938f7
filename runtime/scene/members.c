// SPDX-License-Identifier: MIT
// Bodies come and go, whatever their kind.
#include "layouts/float_env.h"
#include "layouts/versioned.h"
#include "runtime/scene/filter.h"
#include "runtime/scene/scene.h"

void *shl_scene_kind(shoal_scene *s, const shl_kind *kind)
{
    for (uint32_t i = 0; i < shl_kind_count; i++) {
        if (shl_kinds[i] == kind)
            return s->kinds[i];
    }
    return NULL;
}

// What is wrong with a model for such a body; NULL: nothing.
static const char *fault_of(const shoal_scene *s, const shoal_model *model,
                            const shl_kind *kind)
{
    return !model                 ? "NULL"
           : model->ctx != s->ctx ? "of another context"
                                  : kind->model_fault(model);
}

static uint8_t number_of(const shl_kind *kind)
{
    uint8_t number = 0;
    while (number < shl_kind_count && shl_kinds[number] != kind)
        number++;
    return number;
}

shoal_status shl_scene_add(shoal_scene *s, const shl_kind *kind, shoal_model *model,
                           shoal_body *out)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "add: the scene is NULL");
    if (!out)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "add: out is NULL");
    *out = (shoal_body){0};
    if (s->runner.stepping)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "add: a step has begun and not ended");
    const uint8_t number = number_of(kind);
    const char *fault =
        number == shl_kind_count ? "of a kind that is not built in" : fault_of(s, model, kind);
    if (fault)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "add: the model is %s", fault);
    uint32_t slot = 0, row = 0;
    shoal_status st = shl_bodies_slot(&s->bodies, &s->allocator, &slot);
    if (st == SHOAL_OK)
        st = kind->add(s->kinds[number], model, slot, &row);
    if (st != SHOAL_OK)
        return shl_fail(s->ctx, st, "add: no room for another body");
    shl_model_hold(model);
    shl_bodies_take(&s->bodies, slot, model, number, row);
    *out = (shoal_body){slot + 1, s->bodies.generation[slot]};
    return SHOAL_OK;
}

uint32_t shl_body_find(const shoal_scene *s, shoal_body id, const char *call,
                       shoal_status *status)
{
    const shl_bodies *b = &s->bodies;
    const uint32_t slot = id.index1 - 1;
    *status = SHOAL_ERR_ARGUMENT;
    if (id.index1 == 0 || s->runner.stepping) {
        shl_fail(s->ctx, *status, "%s: %s", call,
                 s->runner.stepping ? "a step has begun and not ended" : "the id is null");
        return SHL_NONE;
    }
    if (slot >= b->table.count || !b->model[slot] || b->generation[slot] != id.generation) {
        *status = shl_fail(s->ctx, SHOAL_ERR_STALE, "%s: body %u is gone", call, slot);
        return SHL_NONE;
    }
    *status = SHOAL_OK;
    return slot;
}

// Whether `count` steps of a length end before the other one.
static bool within(size_t count, size_t step, size_t other)
{
    size_t length;
    return !__builtin_mul_overflow(count, step, &length) && length <= other;
}

bool shl_entries_apart(size_t rows, size_t entries, size_t stride, size_t row_stride)
{
    return within(rows, row_stride, stride) ||
           (stride > 0 && within(entries, stride, row_stride));
}

shoal_status shl_scene_row(shoal_scene *s, const shl_kind *kind, shoal_body id,
                           const char *call, uint32_t *row)
{
    shoal_status st;
    const uint32_t slot = shl_body_find(s, id, call, &st);
    if (slot == SHL_NONE)
        return st;
    const shl_kind *its = shl_kinds[s->bodies.kind[slot]];
    *row = s->bodies.row[slot];
    return its == kind ? SHOAL_OK
                       : shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "%s: body %u is %s, not %s", call,
                                  slot, its->name, kind->name);
}

void shl_scene_drop(shoal_scene *s, uint32_t slot)
{
    shl_bodies *b = &s->bodies;
    shoal_model *model = b->model[slot];
    shl_kinds[b->kind[slot]]->remove(s->kinds[b->kind[slot]], b->row[slot]);
    shl_bodies_release(b, slot);
    shoal_model_destroy(model);
}

shoal_status shoal_scene_remove(shoal_scene *s, shoal_body id)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "remove: the scene is NULL");
    shoal_status st;
    const uint32_t slot = shl_body_find(s, id, "remove", &st);
    if (slot != SHL_NONE) {
        shl_filter_forget(&s->bodies, slot);
        shl_scene_drop(s, slot);
    }
    return st;
}

shoal_status shoal_scene_replace_model(shoal_scene *s, shoal_body id, shoal_model *model)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "replace_model: the scene is NULL");
    shoal_status st;
    shl_bodies *b = &s->bodies;
    const uint32_t slot = shl_body_find(s, id, "replace_model", &st);
    if (slot == SHL_NONE)
        return st;
    const shl_kind *kind = shl_kinds[b->kind[slot]];
    void *self = s->kinds[b->kind[slot]];
    const char *fault = fault_of(s, model, kind);
    if (fault)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "replace_model: the model is %s", fault);
    uint32_t row = 0;
    st = kind->add(self, model, slot, &row);
    if (st != SHOAL_OK)
        return shl_fail(s->ctx, st, "replace_model: no memory for body %u", slot);
    shl_model_hold(model); // first: it may be the one the body has
    kind->remove(self, b->row[slot]);
    shoal_model_destroy(b->model[slot]);
    b->model[slot] = model;
    b->row[slot] = row;
    b->revision[slot] = ++b->youngest;
    // about the body and its place, not its shape
    b->flags[slot] &= SHL_BODY_FAT | SHL_BODY_STATIC | SHL_BODY_EXCLUDED;
    b->changes++;
    return SHOAL_OK;
}

shoal_status shoal_scene_set_fat_box(shoal_scene *s, shoal_body id, const float lo[3],
                                     const float hi[3])
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_fat_box: the scene is NULL");
    shoal_status st;
    const uint32_t slot = shl_body_find(s, id, "set_fat_box", &st);
    if (slot == SHL_NONE)
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
                        "set_fat_box: one end is NULL, NaN or beyond the other");
    shl_body_put(&s->bodies, slot, SHL_BODY_FAT, lo != NULL);
    shl_body_put(&s->bodies, slot, SHL_BODY_LEFT, false);
    s->bodies.fat[slot] = box;
    return SHOAL_OK;
}

SHL_ASSERT_LAST(shoal_body_info, bytes);

shoal_status shoal_scene_read_body_info(shoal_scene *s, shoal_body id, shoal_body_info *out,
                                        size_t size)
{
    shoal_body_info info = {0};
    if (out)
        shl_versioned_write(out, size, &info, sizeof info);
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "body_info: the scene is NULL");
    if (!out)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "body_info: out is NULL");
    shoal_status st;
    const uint32_t slot = shl_body_find(s, id, "body_info", &st);
    if (slot == SHL_NONE)
        return st;
    const uint8_t kind = s->bodies.kind[slot];
    if (shl_kinds[kind]->info)
        shl_kinds[kind]->info(s->kinds[kind], s->bodies.row[slot], &info);
    shl_versioned_write(out, size, &info, sizeof info);
    return SHOAL_OK;
}
