// SPDX-License-Identifier: MIT
#include "layouts/models/reduced.h"

#include <string.h>

enum { COLUMNS = 9 };

typedef struct column {
    void **data;
    size_t bytes;
} column;

static void columns_of(shl_reduced *r, column out[COLUMNS])
{
    const column list[COLUMNS] = {
        {(void **)&r->rest, (3 * (size_t)r->vertex_count + 1) * sizeof *r->rest},
        {(void **)&r->fields,
         (3 * (size_t)r->vertex_count * r->field_count + 1) * sizeof *r->fields},
        {(void **)&r->block_of, r->node_count * sizeof *r->block_of},
        {(void **)&r->blocks, (size_t)r->block_count * r->block_floats * sizeof *r->blocks},
        {(void **)&r->delta, (size_t)r->block_count * SHL_LANES * sizeof *r->delta},
        {(void **)&r->local, r->triangle_count * sizeof *r->local},
        {(void **)&r->sphere_first,
         (r->sphere_nodes ? r->sphere_nodes + (size_t)1 : 0) * sizeof *r->sphere_first},
        {(void **)&r->sphere_node, r->sphere_count * sizeof *r->sphere_node},
        {(void **)&r->sphere_blocks,
         r->sphere_nodes * shl_sphere_floats(r) * sizeof *r->sphere_blocks},
    };
    memcpy(out, list, sizeof list);
}

size_t shl_reduced_bytes(const shl_reduced *reduced)
{
    shl_reduced copy = *reduced;
    column list[COLUMNS];
    columns_of(&copy, list);
    size_t bytes = 0;
    for (int i = 0; i < COLUMNS; i++)
        bytes += *list[i].data ? list[i].bytes : 0;
    return bytes;
}

shoal_status shl_reduced_reserve(shl_reduced *reduced, const shoal_allocator *allocator)
{
    column list[COLUMNS];
    columns_of(reduced, list);
    for (int i = 0; i < COLUMNS; i++) {
        *list[i].data = shl_zalloc(allocator, list[i].bytes);
        if (!*list[i].data && list[i].bytes)
            return SHOAL_ERR_MEMORY;
    }
    return SHOAL_OK;
}

void shl_reduced_finish(shl_reduced *reduced, const shoal_allocator *allocator)
{
    column list[COLUMNS];
    columns_of(reduced, list);
    for (int i = 0; i < COLUMNS; i++)
        shl_free(allocator, *list[i].data, list[i].bytes);
    memset(reduced, 0, sizeof *reduced);
}
