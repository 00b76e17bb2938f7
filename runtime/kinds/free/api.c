// SPDX-License-Identifier: MIT
// The public functions of free bodies.
#include "layouts/float_env.h"
#include "runtime/kinds/free/free.h"

#include <string.h>

shoal_status shoal_scene_add_free(shoal_scene *s, shoal_model *model, shoal_body *out)
{
    return shl_scene_add(s, &shl_free_kind, model, out);
}

static shoal_status check(shoal_scene *s, const shl_free_bodies *self, shoal_body id,
                          const shoal_positions *p, uint32_t *row)
{
    const shoal_context *ctx = self->ports->ctx;
    const shoal_status st = shl_scene_row(s, &shl_free_kind, id, "set_positions", row);
    if (st != SHOAL_OK)
        return st;
    const char *fault = shl_positions_fault(p);
    if (fault)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "set_positions: %s", fault);
    const uint32_t count = shl_free_row(self, *row)->tree->vertex_count;
    if (p->count != count)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "set_positions: %u vertices, the model has %u",
                        p->count, count);
    return SHOAL_OK;
}

shoal_status shoal_scene_set_positions(shoal_scene *s, shoal_body id, const shoal_positions *p)
{
    if (!s)
        return SHOAL_ERR_ARGUMENT;
    shl_free_bodies *self = shl_scene_kind(s, &shl_free_kind);
    uint32_t row = 0;
    shoal_status st = self ? check(s, self, id, p, &row) : SHOAL_ERR_ARGUMENT;
    if (st != SHOAL_OK)
        return st;
    shl_free_body *b = shl_free_row(self, row);
    // a tree of the body's own has an order of its own
    const bool in_tree_order =
        p->order == SHOAL_ORDER_TREE && shl_positions_packed(p) && !b->own_tree;
    const shl_source source = p->hold == SHOAL_COPY ? SHL_SOURCE_OWN
                              : in_tree_order       ? SHL_SOURCE_IN_PLACE
                                                    : SHL_SOURCE_GATHER;
    const size_t bytes =
        3 * (size_t)p->count * (p->scalar == SHOAL_F32 ? sizeof(float) : sizeof(double));
    if (source != SHL_SOURCE_IN_PLACE) {
        st = shl_array_reserve(&b->own, bytes, 0, self->ports->allocator);
        if (st != SHOAL_OK)
            return shl_fail(self->ports->ctx, st, "set_positions: no memory for %u vertices",
                            p->count);
    }
    if (source == SHL_SOURCE_OWN && in_tree_order)
        memcpy(b->own.data, p->x, bytes);
    else if (source == SHL_SOURCE_OWN)
        shl_free_gather(b, p, 0, p->count, b->own.data);
    if (source != b->source)
        self->planned = false;
    if (b->source == SHL_SOURCE_NONE || p->scalar != b->scalar)
        self->bodies->changes++; // nobody knows where it was
    b->source = source;
    b->scalar = p->scalar;
    b->user = *p;
    b->xyz = source == SHL_SOURCE_IN_PLACE ? p->x : b->own.data;
    shl_body_put(self->bodies, b->body, SHL_BODY_FRESH, true);
    return SHOAL_OK;
}
