// SPDX-License-Identifier: MIT
#include "layouts/models/self_cull.h"

#include <string.h>

_Static_assert(SHL_LANES == 8, "as the list of columns says");

void shl_certificate_columns(shl_certificate *s, shl_column out[SHL_CERTIFICATE_COLUMNS])
{
    const size_t nodes = s->node_count, leaves = s->leaf_count, covers = s->cover_count,
                 nears = s->near_count;
    const shl_column list[SHL_CERTIFICATE_COLUMNS] = {
        SHL_ROWS(s, axis, uint8_t, nodes,
                 "coordinate that the plane of a leaf lacks; 3: a triangle is too steep"),
        SHL_ROWS(s, slot, uint32_t, nodes, "row of a leaf in `inverse`"),
        SHL_ROWS(s, inverse, float, 4 * 8 * leaves,
                 "[leaf][4][lane] inverse of a triangle's edges in the plane"),
        SHL_ROWS(s, cover_begin, uint32_t, nodes + 1, "first row in `cover`"),
        SHL_ROWS(s, cover, uint32_t, covers, "node that the graph over the rectangle lies in"),
        SHL_ROWS(s, near_begin, uint32_t, nodes + 1, "first row in `near`"),
        SHL_ROWS(s, near, uint32_t, nears, "node that shares a vertex"),
    };
    memcpy(out, list, sizeof list);
}

size_t shl_certificate_bytes(const shl_certificate *certificate)
{
    shl_certificate copy = *certificate;
    shl_column list[SHL_CERTIFICATE_COLUMNS];
    shl_certificate_columns(&copy, list);
    return shl_columns_bytes(list, SHL_CERTIFICATE_COLUMNS);
}

shoal_status shl_certificate_reserve(shl_certificate *certificate,
                                     const shoal_allocator *allocator)
{
    shl_column list[SHL_CERTIFICATE_COLUMNS];
    shl_certificate_columns(certificate, list);
    return shl_columns_reserve(list, SHL_CERTIFICATE_COLUMNS, allocator);
}

void shl_certificate_finish(shl_certificate *certificate, const shoal_allocator *allocator)
{
    shl_column list[SHL_CERTIFICATE_COLUMNS];
    shl_certificate_columns(certificate, list);
    shl_columns_finish(list, SHL_CERTIFICATE_COLUMNS, allocator);
    memset(certificate, 0, sizeof *certificate);
}
