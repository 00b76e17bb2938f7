// SPDX-License-Identifier: MIT
// A box cut into convex pieces: the Voronoi cells of random points in it. Pieces share their
// vertices and the triangles between them.
#ifndef SHL_SCENES_SHAPES_PIECES_H
#define SHL_SCENES_SHAPES_PIECES_H

#include <shoal/base.h>

#define SHL_OUTSIDE UINT32_MAX

// A triangle, counter-clockwise as seen from outside of piece[0].
typedef struct shl_facet {
    uint32_t corner[3];
    uint32_t piece[2]; // piece[1] SHL_OUTSIDE: on the surface of the box
} shl_facet;

typedef struct shl_pieces {
    uint32_t piece_count, vertex_count, facet_count;
    uint32_t vertex_capacity, facet_capacity;
    double *xyz;      // [3 * vertex_count]
    shl_facet *facet; // [facet_count]
} shl_pieces;

// A box of the given half sides around the origin. With `fine` each triangle is cut in four.
// Errors: ARGUMENT (no piece, or more than 64), LIMIT (a cell with more sides than there is
// room for), MEMORY.
SHOAL_CHECK shoal_status shl_pieces_cut(const double half[3], uint32_t count, uint64_t seed,
                                        bool fine, shl_pieces *out);
void shl_pieces_finish(shl_pieces *pieces);

#endif
