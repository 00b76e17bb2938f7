// SPDX-License-Identifier: MIT
#include "runtime/scene/bodies.h"

#include <string.h>

static const shl_table_column columns[] = {
    SHL_COLUMN(shl_bodies, model),    SHL_COLUMN(shl_bodies, kind),
    SHL_COLUMN(shl_bodies, row),      SHL_COLUMN(shl_bodies, generation),
    SHL_COLUMN(shl_bodies, revision), SHL_COLUMN(shl_bodies, flags),
    SHL_COLUMN(shl_bodies, box),      SHL_COLUMN(shl_bodies, fat),
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
    b->generation[slot] = b->revision[slot] = ++b->youngest;
    b->table.count += slot == b->table.count;
    b->first_free = slot + 1;
    b->used++;
}

void shl_bodies_release(shl_bodies *b, uint32_t slot)
{
    b->model[slot] = NULL;
    b->flags[slot] = 0;
    b->generation[slot] = b->revision[slot] = 0;
    b->first_free = slot < b->first_free ? slot : b->first_free;
    b->used--;
    b->changes++;
}
