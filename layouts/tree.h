// SPDX-License-Identifier: MIT
// Trees of up to eight children a node, in level order: a level is a range of rows, a node's
// children are one range, its triangles are one range, and its vertices are one range plus a
// short list.
#ifndef SHL_LAYOUTS_TREE_H
#define SHL_LAYOUTS_TREE_H

#include "layouts/columns.h"

enum {
    SHL_LANES = 8,               // most children of a node and triangles of a leaf
    SHL_LEVELS_MAX = 32,         // below the root; a binary tree over 2^29 triangles needs 26
    SHL_LEAF_LIST_MIN = 12,      // few leaves of closed meshes have more vertices: no guessing
    SHL_SUBTREE_VERTICES = 4096, // at most, on average, in a subtree that is refreshed at once
};

// A triangle in tree order: corners as vertex rows, and the user's number.
typedef struct shl_tri {
    uint32_t v[3];
    uint32_t id;
} shl_tri;

// World boxes of the eight children of a node. Unused lanes are empty: lo = +inf, hi = -inf,
// so that no comparison ever lets them through.
typedef struct shl_block {
    _Alignas(64) float lo[3][SHL_LANES];
    float hi[3][SHL_LANES];
} shl_block;

typedef struct shl_box {
    float lo[3], hi[3];
} shl_box;

// The shape of a tree, shared by all bodies of a model.
//
// Leaves hold triangles where others hold children: child lane k of node n is the node
// first[n] + k, or the triangle row first[n] + k if n is a leaf. Rows are in level order;
// leaves may stand on several levels. Narrow trees use the first lanes of each node only.
//
// Vertices are renumbered in the order in which the triangles, in tree order, first name them,
// but for those that several subtrees name (subtree_level), which stand last in the first of
// these. What a node's triangles name first is one range; what they share with earlier nodes is
// in the node's list. Nodes below such a subtree list those last ones, too. A leaf's range is
// empty and its list holds all its vertices: eight triangles touch too few for a range to pay.
// Lists ascend and are padded by repeating their last vertex, to a multiple of 4, and those of
// leaves to SHL_LEAF_LIST_MIN at least.
typedef struct shl_tree {
    uint32_t node_count;
    uint32_t leaf_count;
    uint32_t triangle_count;
    uint32_t vertex_count;
    uint32_t used_vertices; // rows below it belong to triangles, rows above to none
    uint32_t last_named;    // no triangle row below it names the last vertex row
    uint32_t list_count;
    uint32_t depth;         // levels below the root
    uint32_t subtree_level; // of the roots of subtrees that are refreshed as one row each
    uint32_t level[SHL_LEVELS_MAX + 2]; // first row of each level, one beyond at the end
    uint32_t *first;                    // [node_count] child or triangle row
    uint8_t *count;                     // [node_count] children or triangles, 1..8
    uint8_t *leaf;                      // [node_count] 1 for a leaf
    uint8_t *inner;                     // [node_count] bit k: child k is no leaf; 0 for a leaf
    uint32_t *parent;                   // [node_count] 0 for the root
    uint32_t *vertex_begin;             // [node_count] owned range of vertex rows
    uint32_t *vertex_end;               // [node_count]
    uint32_t *list_begin;               // [node_count + 1] into list
    uint32_t *list;                     // [list_count] vertex rows
    shl_tri *tri;                       // [triangle_count]
    uint32_t *order;                    // [vertex_count] user's vertex of a row
} shl_tree;

// The columns as data, for whoever walks all of them.
enum { SHL_TREE_COLUMNS = 11 };
void shl_tree_columns(shl_tree *tree, shl_column out[SHL_TREE_COLUMNS]);

// Everything the tree's columns hold, in bytes.
size_t shl_tree_bytes(const shl_tree *tree);

// Frees the columns; accepts a half-made tree.
void shl_tree_finish(shl_tree *tree, const shoal_allocator *allocator);

#endif
