// SPDX-License-Identifier: MIT
// What all builders share: triangles in an order of which every node is a range, and nodes
// split level by level.
#ifndef SHL_RUNTIME_TREES_RANGES_H
#define SHL_RUNTIME_TREES_RANGES_H

#include "runtime/trees/build.h"

// A range of triangles that becomes one node.
typedef struct shl_tri_range {
    uint32_t begin, end; // in `order`
    uint32_t tag;        // the builder's own
} shl_tri_range;

typedef struct shl_build {
    const shl_build_input *in;
    const shoal_allocator *allocator;
    uint32_t arity;
    uint32_t *order; // [triangle_count] triangle numbers; splitting a range reorders it
    uint32_t root;   // tag of the root
    shl_tree *out;
} shl_build;

// Splits `range` into 2 to arity others, in place, which cover it from begin to end. Less
// than 2 means that the builder sees no way; the range is then cut into even pieces.
typedef uint32_t shl_split_fn(void *ctx, const shl_tri_range *range,
                              shl_tri_range out[SHL_LANES]);

// Rows of the tree in level order, from the root down to leaves of at most eight triangles.
// Where a split would make the tree deeper than SHL_LEVELS_MAX, even pieces are taken instead.
SHOAL_CHECK shoal_status shl_split_all(shl_build *build, shl_split_fn *split, void *ctx);

// Builders: order and rows.
typedef shoal_status shl_builder_fn(shl_build *build);
shl_builder_fn shl_build_surface_area, shl_build_shape, shl_build_connectivity;

static inline uint32_t shl_leaves_of(uint32_t triangles)
{
    return (triangles + SHL_LANES - 1) / SHL_LANES; // no model has 2^32 - 8 of them
}

#endif
