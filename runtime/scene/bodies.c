// SPDX-License-Identifier: MIT
#include "runtime/scene/bodies.h"

#include <string.h>

static const shl_table_column columns[] = {
    SHL_COLUMN(shl_bodies, model, shoal_model *, "the model; NULL: a free slot"),
    SHL_COLUMN(shl_bodies, kind, uint8_t, "index into the list of kinds"),
    SHL_COLUMN(shl_bodies, row, uint32_t, "row in the kind's own table"),
    SHL_COLUMN(shl_bodies, generation, uint32_t,
               "of the id: a slot that is used again has another one"),
    SHL_COLUMN(shl_bodies, revision, uint32_t,
               "of the model in this slot: what earlier steps kept is valid for one revision"),
    SHL_COLUMN(shl_bodies, flags, uint8_t,
               "SHL_BODY_ACTIVE, BAD, FRESH, UNBOUNDED, FAT, LEFT, STATIC, EXCLUDED"),
    SHL_COLUMN(shl_bodies, group, uint32_t, "groups, a bit each"),
    SHL_COLUMN(shl_bodies, mask, uint32_t, "groups that the body meets"),
    SHL_COLUMN(shl_bodies, user, uint64_t, "what the host wrote on the body"),
    SHL_COLUMN(shl_bodies, box, shl_box, "world box of an active body"),
    SHL_COLUMN(shl_bodies, fat, shl_box, "fat box that the user gave, with SHL_BODY_FAT"),
};

const shl_table_def shl_bodies_def = {columns, sizeof columns / sizeof *columns};

shoal_status shl_bodies_slot(shl_bodies *b, const shoal_allocator *allocator, uint32_t *slot)
{
    for (uint32_t i = b->first_free; i < b->table.count; i++) {
        if (!b->model[i]) {
            *slot = i;
            return SHOAL_OK;
        }
    }
    *slot = b->table.count;
    if (b->table.count == UINT32_MAX - 1)
        return SHOAL_ERR_LIMIT;
    return shl_table_reserve(&b->table, &shl_bodies_def, b->table.count + 1, allocator);
}

void shl_bodies_take(shl_bodies *b, uint32_t slot, shoal_model *model, uint8_t kind,
                     uint32_t row)
{
    b->model[slot] = model;
    b->kind[slot] = kind;
    b->row[slot] = row;
    b->flags[slot] = 0;
    b->group[slot] = 1;
    b->mask[slot] = UINT32_MAX;
    b->user[slot] = 0;
    b->generation[slot] = b->revision[slot] = ++b->youngest;
    b->table.count += slot == b->table.count;
    b->first_free = slot + 1;
    b->used++;
}

void shl_bodies_release(shl_bodies *b, uint32_t slot)
{
    const bool is_static = shl_body_is(b, slot, SHL_BODY_STATIC);
    b->masked -= shl_body_masked(b->group[slot], b->mask[slot]);
    b->statics -= is_static;
    // the slot may be given to a body that has the same box and meets others
    b->filters += is_static || b->group[slot] != 1 || b->mask[slot] != UINT32_MAX;
    b->model[slot] = NULL;
    b->flags[slot] = 0;
    b->generation[slot] = b->revision[slot] = 0;
    b->first_free = slot < b->first_free ? slot : b->first_free;
    b->used--;
    b->changes++;
}
