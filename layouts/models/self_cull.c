// SPDX-License-Identifier: MIT
#include "layouts/models/self_cull.h"

#include <string.h>

enum { COLUMNS = 7 };

static void columns_of(shl_certificate *s, shl_column out[COLUMNS])
{
    const size_t nodes = s->node_count;
    const shl_column list[COLUMNS] = {
        {(void **)&s->axis, nodes * sizeof *s->axis},
        {(void **)&s->slot, nodes * sizeof *s->slot},
        {(void **)&s->inverse, s->leaf_count * 4 * SHL_LANES * sizeof *s->inverse},
        {(void **)&s->cover_begin, (nodes + 1) * sizeof *s->cover_begin},
        {(void **)&s->cover, s->cover_count * sizeof *s->cover},
        {(void **)&s->near_begin, (nodes + 1) * sizeof *s->near_begin},
        {(void **)&s->near, s->near_count * sizeof *s->near},
    };
    memcpy(out, list, sizeof list);
}

size_t shl_certificate_bytes(const shl_certificate *certificate)
{
    shl_certificate copy = *certificate;
    shl_column list[COLUMNS];
    columns_of(&copy, list);
    size_t bytes = 0;
    for (int i = 0; i < COLUMNS; i++)
        bytes += *list[i].data ? list[i].bytes : 0;
    return bytes;
}

shoal_status shl_certificate_reserve(shl_certificate *certificate,
                                     const shoal_allocator *allocator)
{
    shl_column list[COLUMNS];
    columns_of(certificate, list);
    for (int i = 0; i < COLUMNS; i++) {
        if (*list[i].data || !list[i].bytes)
            continue;
        *list[i].data = shl_zalloc(allocator, list[i].bytes);
        if (!*list[i].data)
            return SHOAL_ERR_MEMORY;
    }
    return SHOAL_OK;
}

void shl_certificate_finish(shl_certificate *certificate, const shoal_allocator *allocator)
{
    shl_column list[COLUMNS];
    columns_of(certificate, list);
    for (int i = 0; i < COLUMNS; i++)
        shl_free(allocator, *list[i].data, list[i].bytes);
    memset(certificate, 0, sizeof *certificate);
}
