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

// A tree of the body's own has an order of its own.
static bool in_tree_order(const shl_free_body *b, const shoal_positions *p)
{
    return p->order == SHOAL_ORDER_TREE && shl_positions_packed(p) && !b->own_tree;
}

// Positions of a static body are copied, whatever the user says.
static shl_source source_of(const shl_free_bodies *self, const shl_free_body *b,
                            const shoal_positions *p)
{
    return p->hold == SHOAL_COPY || shl_body_is(self->bodies, b->body, SHL_BODY_STATIC)
               ? SHL_SOURCE_OWN
           : in_tree_order(b, p) ? SHL_SOURCE_IN_PLACE
                                 : SHL_SOURCE_GATHER;
}

static size_t bytes_of(uint32_t vertices, shoal_scalar scalar)
{
    return 3 * (size_t)vertices * (scalar == SHOAL_F32 ? sizeof(float) : sizeof(double));
}

// Room for positions in the body's own array; what is there stays.
static shoal_status reserve(const shl_free_bodies *self, shl_free_body *b,
                            const shoal_positions *p)
{
    if (source_of(self, b, p) == SHL_SOURCE_IN_PLACE)
        return SHOAL_OK;
    const bool filled = b->source == SHL_SOURCE_OWN || b->source == SHL_SOURCE_GATHER;
    const shoal_status st =
        shl_array_reserve(&b->own, bytes_of(p->count, p->scalar),
                          filled ? bytes_of(p->count, b->scalar) : 0, self->ports->allocator);
    if (st != SHOAL_OK)
        return shl_fail(self->ports->ctx, st, "set_positions: no memory for %u vertices",
                        p->count);
    b->xyz = filled ? b->own.data : b->xyz;
    return SHOAL_OK;
}

// There is room.
static void set_one(shl_free_bodies *self, shl_free_body *b, const shoal_positions *p)
{
    const shl_source source = source_of(self, b, p);
    if (source == SHL_SOURCE_OWN && in_tree_order(b, p))
        memcpy(b->own.data, p->x, bytes_of(p->count, p->scalar));
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
}

static shl_free_body *body_of(const shl_free_bodies *self, shoal_body id)
{
    return shl_free_row(self, self->bodies->row[id.index1 - 1]);
}

// All or none.
static shoal_status set_all(shoal_scene *s, const shoal_body *bodies, const shoal_positions *p,
                            uint32_t count)
{
    shl_free_bodies *self = shl_scene_kind(s, &shl_free_kind);
    if (!self)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_positions: there are no free bodies");
    if (count && !bodies)
        return shl_fail(self->ports->ctx, SHOAL_ERR_ARGUMENT, "set_positions: bodies is NULL");
    shoal_status st = SHOAL_OK;
    uint32_t row = 0;
    for (uint32_t i = 0; i < count && st == SHOAL_OK; i++)
        st = check(s, self, bodies[i], p ? &p[i] : NULL, &row);
    for (uint32_t i = 0; i < count && st == SHOAL_OK; i++)
        st = reserve(self, body_of(self, bodies[i]), &p[i]);
    for (uint32_t i = 0; i < count && st == SHOAL_OK; i++)
        set_one(self, body_of(self, bodies[i]), &p[i]);
    return st;
}

shoal_status shoal_scene_set_positions(shoal_scene *s, shoal_body id, const shoal_positions *p)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_positions: the scene is NULL");
    return set_all(s, &id, p, 1);
}

shoal_status shoal_scene_set_positions_many(shoal_scene *s, const shoal_body *bodies,
                                            const shoal_positions *positions, uint32_t count)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_positions: the scene is NULL");
    return set_all(s, bodies, positions, count);
}

shoal_status shl_free_own(void *kind, uint32_t row)
{
    shl_free_bodies *self = kind;
    shl_free_body *b = shl_free_row(self, row);
    if (b->source != SHL_SOURCE_IN_PLACE && b->source != SHL_SOURCE_GATHER)
        return SHOAL_OK;
    const shoal_positions *p = &b->user;
    const shoal_status st =
        shl_array_reserve(&b->own, bytes_of(p->count, p->scalar), 0, self->ports->allocator);
    if (st != SHOAL_OK)
        return st;
    shl_free_gather(b, p, 0, p->count, b->own.data);
    b->source = SHL_SOURCE_OWN;
    b->xyz = b->own.data;
    self->planned = false;
    shl_body_put(self->bodies, b->body, SHL_BODY_FRESH, true);
    return SHOAL_OK;
}
