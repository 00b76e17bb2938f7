// SPDX-License-Identifier: MIT
#include "layouts/models/reduced.h"

#include <string.h>

_Static_assert(SHL_LANES == 8, "as the list of columns says");

void shl_reduced_columns(shl_reduced *r, shl_column out[SHL_REDUCED_COLUMNS])
{
    const size_t vertices = r->vertex_count, fields = r->field_count, nodes = r->node_count,
                 blocks = r->block_count, block_rows = r->block_floats / SHL_LANES,
                 spheres = r->sphere_count, sphere_nodes = r->sphere_nodes,
                 triangles = r->triangle_count;
    const shl_column list[SHL_REDUCED_COLUMNS] = {
        SHL_ROWS(r, rest, double, 3 * vertices + 1, "rest position, in tree order; one spare"),
        SHL_ROWS(r, fields, float, 3 * vertices * fields + 1,
                 "displacement [vertex][field][3], in tree order; one spare"),
        SHL_ROWS(r, block_of, uint32_t, nodes, "block of an inner node"),
        SHL_ROWS(r, blocks, float, 8 * block_rows * blocks,
                 "bounds of a node's children: rows of eight lanes, by method of bounds"),
        SHL_ROWS(r, delta, float, 8 * blocks,
                 "largest displacement of a child's vertices per unit of distance in q"),
        SHL_ROWS(r, local, shl_tri, triangles, "corners as places in the leaf's vertex list"),
        SHL_ROWS(r, sphere_first, uint32_t, sphere_nodes + (sphere_nodes > 0),
                 "first child of a node of the tree over the contact spheres"),
        SHL_ROWS(r, sphere_node, uint32_t, spheres, "node above a contact sphere"),
        SHL_ROWS(r, sphere_blocks, float, 32 * (fields + 1) * sphere_nodes,
                 "bounding spheres of a node's children: rows of eight lanes"),
    };
    memcpy(out, list, sizeof list);
}

size_t shl_reduced_bytes(const shl_reduced *reduced)
{
    shl_reduced copy = *reduced;
    shl_column list[SHL_REDUCED_COLUMNS];
    shl_reduced_columns(&copy, list);
    return shl_columns_bytes(list, SHL_REDUCED_COLUMNS);
}

shoal_status shl_reduced_reserve(shl_reduced *reduced, const shoal_allocator *allocator)
{
    shl_column list[SHL_REDUCED_COLUMNS];
    shl_reduced_columns(reduced, list);
    return shl_columns_reserve(list, SHL_REDUCED_COLUMNS, allocator);
}

void shl_reduced_finish(shl_reduced *reduced, const shoal_allocator *allocator)
{
    shl_column list[SHL_REDUCED_COLUMNS];
    shl_reduced_columns(reduced, list);
    shl_columns_finish(list, SHL_REDUCED_COLUMNS, allocator);
    memset(reduced, 0, sizeof *reduced);
}
