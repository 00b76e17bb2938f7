// SPDX-License-Identifier: MIT
// Injectivity certificates: where a model's rest shape is a graph over a coordinate plane, and
// how to get a triangle's gradient over that plane.
#ifndef SHL_LAYOUTS_MODELS_SELF_CULL_H
#define SHL_LAYOUTS_MODELS_SELF_CULL_H

#include "layouts/tree.h"

enum { SHL_NO_AXIS = 3 };

// Let u be the rest position without coordinate `axis`. A leaf, or a node whose children are
// all leaves, has a cover if there is a rectangle in the u plane with triangles T such that
// * T has all triangles of the node and of its `near` nodes, whose u lie in it,
// * over its inside, u is one-to-one on T, and no border edge of T crosses the inside,
// * all of T are below the nodes in `cover`.
// So T is the graph of one function over the rectangle, which is convex.
typedef struct shl_certificate {
    uint32_t node_count;
    uint32_t leaf_count;
    uint32_t cover_count, near_count;
    uint8_t *axis;         // [node_count] of leaves; SHL_NO_AXIS: some triangle is too steep
    uint32_t *slot;        // [node_count] of leaves: row of inverse
    float *inverse;        // [leaf_count][4][SHL_LANES] r00 r01 r10 r11: inverse of the edges
                           // (u1 - u0, u2 - u0); lanes past the last triangle repeat it
    uint32_t *cover_begin; // [node_count + 1] an empty list: no cover
    uint32_t *cover;       // [cover_count] leaves and nodes of leaves
    uint32_t *near_begin;  // [node_count + 1]
    uint32_t *near;        // [near_count] nodes of the same kind that share a vertex
} shl_certificate;

// Gradients of eight triangles: dx/du0, dy/du0, dz/du0, dx/du1, dy/du1, dz/du1, 0, 0.
typedef struct shl_gradients {
    float lo[8], hi[8];
} shl_gradients;

// The columns as data, for whoever walks all of them.
enum { SHL_CERTIFICATE_COLUMNS = 7 };
void shl_certificate_columns(shl_certificate *certificate,
                             shl_column out[SHL_CERTIFICATE_COLUMNS]);

size_t shl_certificate_bytes(const shl_certificate *certificate);

// Columns for the counts that are set, but for those that are there. On failure what there is
// must still be finished.
SHOAL_CHECK shoal_status shl_certificate_reserve(shl_certificate *certificate,
                                                 const shoal_allocator *allocator);

// Frees the columns; accepts a half-made one.
void shl_certificate_finish(shl_certificate *certificate, const shoal_allocator *allocator);

#endif
