// SPDX-License-Identifier: MIT
// What a model keeps for bodies of kind reduced, whose vertices are R (p + U q) + t: the rest
// shape p, the displacement fields U, and what bounds each node of the tree for any q.
#ifndef SHL_LAYOUTS_MODELS_REDUCED_H
#define SHL_LAYOUTS_MODELS_REDUCED_H

#include "layouts/tree.h"

enum {
    SHL_FIELDS_MAX = 64,
    SHL_LEAF_VERTICES = 3 * SHL_LANES, // at most, and already a multiple of 4
};

// How the children of a node are bounded (James & Pai 2004, and better). Rows of eight floats,
// one a child, stand in this order, first those of the rest shape, then those of each field:
//
//   spheres   c[3] r           | u[3] d           |p - c| <= r     |U_j - u_j| <= d_j
//   boxes     c[3] h[3]        | u[3] d[3]        the same along each axis
//   affine    c[3] h[3]        | u[3] d G[9]      |U_j - u_j - G_j (p - c)| <= d_j
typedef enum shl_bounds {
    SHL_BOUNDS_SPHERES = 0,
    SHL_BOUNDS_BOXES,
    SHL_BOUNDS_AFFINE,
    SHL_BOUNDS_COUNT
} shl_bounds;

static inline uint32_t shl_bounds_rest_rows(shl_bounds bounds)
{
    return bounds == SHL_BOUNDS_SPHERES ? 4 : 6;
}

static inline uint32_t shl_bounds_field_rows(shl_bounds bounds)
{
    static const uint8_t rows[SHL_BOUNDS_COUNT] = {4, 6, 13};
    return rows[bounds];
}

// Contact spheres have a tree of their own over them: up to eight in a row make a node of the
// lowest level, up to eight nodes in a row one of the next. Nodes stand in level order from the
// root, node 0, and the spheres after them, so children of node n have the numbers from
// sphere_first[n] to sphere_first[n + 1], and those beyond the last node are spheres. A node's
// block has the rows of spheres: on the lowest level those of the spheres themselves, above it
// spheres that contain in any state all spheres below them.
typedef struct shl_reduced {
    uint32_t field_count; // M, at most SHL_FIELDS_MAX
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t node_count;
    uint32_t block_count; // inner nodes
    shl_bounds bounds;
    uint32_t block_floats;  // from one block to the next
    double *rest;           // [3 * vertex_count] tree order, one spare
    float *fields;          // [vertex_count][field_count][3] tree order, one spare
    uint32_t *block_of;     // [node_count] block of an inner node
    float *blocks;          // [block_count][block_floats]
    float *delta;           // [block_count][SHL_LANES] no vertex of a child moves
                            // farther than this times |q - q'|
    shl_tri *local;         // [triangle_count] corners as places in the leaf's list
    uint32_t sphere_count;  // 0: none were asked for
    uint32_t sphere_nodes;  // of the tree over them
    uint32_t *sphere_first; // [sphere_nodes + 1]
    uint32_t *sphere_node;  // [sphere_count] the node above a sphere
    float *sphere_blocks;   // [sphere_nodes][shl_sphere_floats]
    double extent;          // no coordinate of p is larger
    double field_extent[SHL_FIELDS_MAX]; // no coordinate of U_j is larger
} shl_reduced;

// What a step works out once for each body before nodes are opened.
typedef struct shl_reduced_ready {
    const double *rotation;    // [9] row by row
    const double *translation; // [3]
    const double *q;           // [field_count]
    float base[3];             // translation, rounded
    float lo[3], hi[3]; // what base lacks, less and plus the slack of all rounding errors
    float turn[9];      // rotation, rounded
    float stretch;      // no row of it is longer
    float weight[];     // [field_count] q, rounded
} shl_reduced_ready;

static inline const float *shl_reduced_block(const shl_reduced *r, uint32_t node)
{
    return r->blocks + (size_t)r->block_of[node] * r->block_floats;
}

// Floats of one block of the tree over spheres.
static inline size_t shl_sphere_floats(const shl_reduced *r)
{
    return 4 * SHL_LANES * (r->field_count + (size_t)1);
}

// A sphere's slot in its node's block.
static inline uint32_t shl_sphere_lane(const shl_reduced *r, uint32_t sphere)
{
    return r->sphere_nodes + sphere - r->sphere_first[r->sphere_node[sphere]];
}

static inline const float *shl_sphere_block(const shl_reduced *r, uint32_t node)
{
    return r->sphere_blocks + node * shl_sphere_floats(r);
}

// The columns as data, for whoever walks all of them.
enum { SHL_REDUCED_COLUMNS = 9 };
void shl_reduced_columns(shl_reduced *reduced, shl_column out[SHL_REDUCED_COLUMNS]);

size_t shl_reduced_bytes(const shl_reduced *reduced);

// Columns for the counts that are set. On failure what there is must still be finished.
SHOAL_CHECK shoal_status shl_reduced_reserve(shl_reduced *reduced,
                                             const shoal_allocator *allocator);

// Frees the columns; accepts a half-made one.
void shl_reduced_finish(shl_reduced *reduced, const shoal_allocator *allocator);

#endif
