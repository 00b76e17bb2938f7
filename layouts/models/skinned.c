// SPDX-License-Identifier: MIT
#include "layouts/models/skinned.h"

#include <string.h>

_Static_assert(SHL_LANES == 8 && SHL_EXTENTS == 27 && SHL_ZONE_ROWS == 8,
               "as the list of columns says");

void shl_skinned_columns(shl_skinned *p, shl_column out[SHL_SKINNED_COLUMNS])
{
    const size_t vertices = p->vertex_count, weights = p->weight_count,
                 triangles = p->triangle_count, points = p->point_count, padded = p->padded,
                 nodes = p->node_count, blocks = p->block_count, bounds = p->bounds_count;
    const shl_column list[SHL_SKINNED_COLUMNS] = {
        SHL_ROWS(p, rest, double, 3 * vertices + 1, "rest position, in tree order; one spare"),
        SHL_ROWS(p, weight_begin, uint32_t, vertices + 1, "first weight of a vertex row"),
        SHL_ROWS(p, weight_point, uint32_t, weights, "control point of a weight"),
        SHL_ROWS(p, weight, float, weights, "weight, in the user's order per vertex"),
        SHL_ROWS(p, local, shl_tri, triangles,
                 "corners as places among the vertices that are evaluated together"),
        SHL_ROWS(p, at, double, 3 * points, "rest position of a control point"),
        SHL_ROWS(p, support, double, points,
                 "distance to the farthest vertex that a control point moves"),
        SHL_ROWS(p, zone, float, 8 * padded,
                 "[group of 8][8][lane] box of what a control point moves, range of weights"),
        SHL_ROWS(p, block_of, uint32_t, nodes, "block of an inner node"),
        SHL_ROWS(p, node_of, uint32_t, blocks, "inner node of a block"),
        SHL_ROWS(p, bounds_begin, uint32_t, blocks + 1, "first weight bound of a block"),
        SHL_ROWS(p, bounds_point, uint32_t, bounds,
                 "control point of a weight bound, ascending in each block"),
        SHL_ROWS(p, weight_bounds, shl_weight_bounds, bounds,
                 "least and largest weight of a control point in each of eight children"),
        SHL_ROWS(p, extents, float, 27 * 8 * blocks,
                 "[block][27][lane] extent of a child's rest positions in a direction"),
    };
    memcpy(out, list, sizeof list);
}

size_t shl_skinned_bytes(const shl_skinned *skinned)
{
    shl_skinned copy = *skinned;
    shl_column list[SHL_SKINNED_COLUMNS];
    shl_skinned_columns(&copy, list);
    return shl_columns_bytes(list, SHL_SKINNED_COLUMNS);
}

shoal_status shl_skinned_reserve(shl_skinned *skinned, const shoal_allocator *allocator)
{
    shl_column list[SHL_SKINNED_COLUMNS];
    shl_skinned_columns(skinned, list);
    return shl_columns_reserve(list, SHL_SKINNED_COLUMNS, allocator);
}

void shl_skinned_finish(shl_skinned *skinned, const shoal_allocator *allocator)
{
    shl_column list[SHL_SKINNED_COLUMNS];
    shl_skinned_columns(skinned, list);
    shl_columns_finish(list, SHL_SKINNED_COLUMNS, allocator);
    memset(skinned, 0, sizeof *skinned);
}
