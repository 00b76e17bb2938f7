// SPDX-License-Identifier: MIT
// What a model keeps for bodies of kind skinned, whose vertices blend the maps of simulation
// nodes. Those are called control points: nodes are those of the tree.
#ifndef SHL_LAYOUTS_MODELS_SKINNED_H
#define SHL_LAYOUTS_MODELS_SKINNED_H

#include "layouts/tree.h"

#include <shoal/study.h>

// How the boxes that single control points give a piece become one (shoal_blend), and what is
// known of where the vertices are (shoal_influence).
typedef enum shl_blend {
    SHL_BLEND_UNION = 0,
    SHL_BLEND_CORNER,
    SHL_BLEND_KNAPSACK,
    SHL_BLEND_DUAL,
    SHL_BLENDS
} shl_blend;

typedef enum shl_region {
    SHL_REGION_BOXES = 0,
    SHL_REGION_CLIPPED,
    SHL_REGION_DIRECTIONS,
    SHL_REGIONS
} shl_region;

enum {
    // Directions with entries -1, 0 and 1; row 9 (1 + z) + 3 (1 + y) + (1 + x). The opposite of
    // row i is row 26 - i, and row 13 is none.
    SHL_EXTENTS = 27,
    // Centre and half size of a box; a point's least weight of all vertices, and its range
    SHL_ZONE_ROWS = 8,
    SHL_MAP_ROWS = 12,        // A and t
    SHL_WEIGHT_ONE = 1 << 15, // weights in blocks are multiples of one over this
};

// The row of a direction along one axis.
static inline uint32_t shl_extent_row(int axis, bool negative)
{
    static const uint8_t step[3] = {1, 3, 9};
    return negative ? 13u - step[axis] : 13u + step[axis];
}

// Least and largest weight of a point over the vertices of each child of a node, rounded
// outwards. A child on which the point does not act has 0 and 0.
typedef struct shl_weight_bounds {
    _Alignas(32) uint16_t least[SHL_LANES];
    uint16_t most[SHL_LANES];
} shl_weight_bounds;

// Rest positions in bounds are relative to `middle`. Columns of all control points are padded
// to a multiple of eight, by control points that act on nothing.
typedef struct shl_skinned {
    uint32_t point_count;
    uint32_t padded; // point_count, up to a multiple of SHL_LANES
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t node_count;
    uint32_t block_count; // inner nodes
    uint32_t bounds_count;
    uint32_t bounds_most; // of any block
    size_t weight_count;
    shl_blend blend;
    shl_region region;
    double *rest;           // [3 * vertex_count] tree order, one spare
    uint32_t *weight_begin; // [vertex_count + 1] of a vertex row
    uint32_t *weight_point; // [weight_count] in the order that the user gave
    float *weight;          // [weight_count]
    shl_tri *local;     // [triangle_count] corners as places among what is evaluated at once
    double *at;         // [3 * point_count] their rest positions
    double *support;    // [point_count] how far the farthest vertex is that it acts on
    float *zone;        // [padded / 8][SHL_ZONE_ROWS][8] box of what a point acts on, weights
    uint32_t *block_of; // [node_count] block of an inner node
    uint32_t *node_of;  // [block_count] the inner node of a block
    uint32_t *bounds_begin;           // [block_count + 1]
    uint32_t *bounds_point;           // [bounds_count] ascending in each block
    shl_weight_bounds *weight_bounds; // [bounds_count]
    float *extents;   // [block_count][SHL_EXTENTS][SHL_LANES] no p of a child is beyond
    double middle[3]; // of the box of the rest shape, as floats
    double half[3];   // of it
    double extent;    // no coordinate of p is larger
    double off;       // no sum of a vertex's weights is farther from 1
    double rounding;  // of the evaluator, over the largest number that it meets
} shl_skinned;

// The map of one point as kernels read it: to A p + t, relative to the body's base.
typedef struct shl_point_map {
    float turn[9];      // A row by row
    float at[3];        // t
    float lo[3], hi[3]; // box of all that the point acts on
    float part[3][3];   // row k of A is part[k][0] times the direction row[k][0], and so on
    uint8_t row[3][3];
    uint8_t spare[3];
} shl_point_map;

// What a step works out once for each body before nodes are opened.
typedef struct shl_skinned_ready {
    float base[3];
    float slack[3]; // of all rounding errors, but for those that grow with the number of terms
    float slack_term;     // for each of them
    float most;           // no coordinate of a vertex is farther from base, but for rounding
    const double *maps;   // [point_count][12] rows of G, each with its entry of s
    const float *columns; // [padded / 8][SHL_MAP_ROWS][8] A and t
    const shl_point_map *map; // [point_count]
} shl_skinned_ready;

// A row of one point in columns of groups of eight.
static inline size_t shl_group_at(size_t point, size_t rows, size_t row)
{
    return (point / SHL_LANES * rows + row) * SHL_LANES + point % SHL_LANES;
}

// The columns as data, for whoever walks all of them.
enum { SHL_SKINNED_COLUMNS = 14 };
void shl_skinned_columns(shl_skinned *skinned, shl_column out[SHL_SKINNED_COLUMNS]);

size_t shl_skinned_bytes(const shl_skinned *skinned);

// Columns for the counts that are set, but for those that are there: a second call, with
// bounds_count, makes the rest.
SHOAL_CHECK shoal_status shl_skinned_reserve(shl_skinned *skinned,
                                             const shoal_allocator *allocator);

// Frees the columns; accepts a half-made one.
void shl_skinned_finish(shl_skinned *skinned, const shoal_allocator *allocator);

#endif
