// SPDX-License-Identifier: MIT
#include "layouts/tree.h"

#include <string.h>

void shl_tree_columns(shl_tree *t, shl_column out[SHL_TREE_COLUMNS])
{
    const size_t nodes = t->node_count, lists = t->list_count, triangles = t->triangle_count,
                 vertices = t->vertex_count;
    const shl_column list[SHL_TREE_COLUMNS] = {
        SHL_ROWS(t, first, uint32_t, nodes, "first child, or first triangle row of a leaf"),
        SHL_ROWS(t, count, uint8_t, nodes, "children or triangles, 1 to 8"),
        SHL_ROWS(t, leaf, uint8_t, nodes, "1 for a leaf"),
        SHL_ROWS(t, inner, uint8_t, nodes, "bit k: child k is an inner node"),
        SHL_ROWS(t, parent, uint32_t, nodes, "parent; 0 for the root"),
        SHL_ROWS(t, vertex_begin, uint32_t, nodes, "first vertex row that the node owns"),
        SHL_ROWS(t, vertex_end, uint32_t, nodes, "one past the last"),
        SHL_ROWS(t, list_begin, uint32_t, nodes + 1, "first row in `list`"),
        SHL_ROWS(t, list, uint32_t, lists, "vertex row beyond the owned range, ascending"),
        SHL_ROWS(t, tri, shl_tri, triangles, "corners as vertex rows, and the user's number"),
        SHL_ROWS(t, order, uint32_t, vertices, "the user's vertex of a vertex row"),
    };
    memcpy(out, list, sizeof list);
}

size_t shl_tree_bytes(const shl_tree *tree)
{
    shl_tree copy = *tree;
    shl_column list[SHL_TREE_COLUMNS];
    shl_tree_columns(&copy, list);
    return shl_columns_bytes(list, SHL_TREE_COLUMNS);
}

void shl_tree_finish(shl_tree *tree, const shoal_allocator *allocator)
{
    shl_column list[SHL_TREE_COLUMNS];
    shl_tree_columns(tree, list);
    shl_columns_finish(list, SHL_TREE_COLUMNS, allocator);
    memset(tree, 0, sizeof *tree);
}
