// SPDX-License-Identifier: MIT
// A surface cut by planes into small pieces, each in two, level by level. Triangles are cut,
// too, so the pieces are those of the surface, however finely it is meshed.
#ifndef SHL_RUNTIME_TREES_PIECES_H
#define SHL_RUNTIME_TREES_PIECES_H

#include "runtime/trees/reduced.h"

// A part of a triangle: corners are rows of points.
typedef struct shl_patch {
    uint32_t v[3];
    uint32_t of; // the user's triangle
} shl_patch;

typedef struct shl_piece {
    uint32_t begin, end; // of the patches
    uint32_t parts;      // that it is to become
    uint8_t gap; // how many cuts came before the one that parts it from the piece before it
} shl_piece;

typedef struct shl_pieces {
    uint32_t count; // of pieces, in the order of the splits
    uint32_t point_count;
    uint32_t vertex_count; // points below are the user's vertices, others lie on cuts
    uint32_t field_count;
    shl_array pieces;  // shl_piece
    shl_array patches; // shl_patch
    shl_array rest;    // double [point_count][3]
    shl_array fields;  // float [point_count][field_count][3], interpolated on cuts
} shl_pieces;

// At most 2^level pieces; fewer if some are parts of one triangle earlier. A pure function of
// the mesh and the fields, not of the tree. Errors: MEMORY, LIMIT (a coordinate beyond
// SHL_REDUCED_MAX). What there is must be finished in any case.
SHOAL_CHECK shoal_status shl_pieces_make(shl_pieces *pieces, const shl_tree *tree,
                                         const shl_reduced_input *input, uint32_t level,
                                         const shoal_allocator *allocator);
void shl_piece_list_finish(shl_pieces *pieces, const shoal_allocator *allocator);

// How many nodes the tree over contact spheres has, one around each piece.
uint32_t shl_sphere_nodes(const shl_pieces *pieces);

// Fills the spheres and the tree over them. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_spheres_build(const shl_pieces *pieces,
                                           const shoal_allocator *allocator,
                                           shl_reduced *reduced);

#endif
