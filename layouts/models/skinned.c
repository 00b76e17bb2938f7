// SPDX-License-Identifier: MIT
#include "layouts/models/skinned.h"

#include <string.h>

enum { SHARES = 2, COLUMNS = 13 };

typedef struct column {
    void **data;
    size_t bytes;
} column;

// The columns of bounds_count first.
static void columns_of(shl_skinned *p, column out[COLUMNS])
{
    const size_t vertices = p->vertex_count, skinned = p->point_count, padded = p->padded;
    const column list[COLUMNS] = {
        {(void **)&p->bounds_point, p->bounds_count * sizeof *p->bounds_point},
        {(void **)&p->weight_bounds, p->bounds_count * sizeof *p->weight_bounds},
        {(void **)&p->rest, (3 * vertices + 1) * sizeof *p->rest},
        {(void **)&p->weight_begin, (vertices + 1) * sizeof *p->weight_begin},
        {(void **)&p->weight_point, p->weight_count * sizeof *p->weight_point},
        {(void **)&p->weight, p->weight_count * sizeof *p->weight},
        {(void **)&p->local, p->triangle_count * sizeof *p->local},
        {(void **)&p->at, 3 * skinned * sizeof *p->at},
        {(void **)&p->support, skinned * sizeof *p->support},
        {(void **)&p->zone, SHL_ZONE_ROWS * padded * sizeof *p->zone},
        {(void **)&p->block_of, p->node_count * sizeof *p->block_of},
        {(void **)&p->node_of, p->block_count * sizeof *p->node_of},
        {(void **)&p->bounds_begin, (p->block_count + (size_t)1) * sizeof *p->bounds_begin},
    };
    memcpy(out, list, sizeof list);
}

static size_t extent_bytes(const shl_skinned *p)
{
    return (size_t)p->block_count * SHL_EXTENTS * SHL_LANES * sizeof *p->extents;
}

size_t shl_skinned_bytes(const shl_skinned *skinned)
{
    shl_skinned copy = *skinned;
    column list[COLUMNS];
    columns_of(&copy, list);
    size_t bytes = skinned->extents ? extent_bytes(skinned) : 0;
    for (int i = 0; i < COLUMNS; i++)
        bytes += *list[i].data ? list[i].bytes : 0;
    return bytes;
}

static shoal_status reserve(shl_skinned *skinned, int begin, int end,
                            const shoal_allocator *allocator)
{
    column list[COLUMNS];
    columns_of(skinned, list);
    for (int i = begin; i < end; i++) {
        *list[i].data = shl_zalloc(allocator, list[i].bytes);
        if (!*list[i].data && list[i].bytes)
            return SHOAL_ERR_MEMORY;
    }
    return SHOAL_OK;
}

shoal_status shl_skinned_reserve(shl_skinned *skinned, const shoal_allocator *allocator)
{
    skinned->extents = shl_zalloc(allocator, extent_bytes(skinned));
    if (!skinned->extents && extent_bytes(skinned))
        return SHOAL_ERR_MEMORY;
    return reserve(skinned, SHARES, COLUMNS, allocator);
}

shoal_status shl_skinned_reserve_weights(shl_skinned *skinned, const shoal_allocator *allocator)
{
    return reserve(skinned, 0, SHARES, allocator);
}

void shl_skinned_finish(shl_skinned *skinned, const shoal_allocator *allocator)
{
    column list[COLUMNS];
    columns_of(skinned, list);
    for (int i = 0; i < COLUMNS; i++)
        shl_free(allocator, *list[i].data, list[i].bytes);
    shl_free(allocator, skinned->extents, extent_bytes(skinned));
    memset(skinned, 0, sizeof *skinned);
}
