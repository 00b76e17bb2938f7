// SPDX-License-Identifier: MIT
// Searches for what is nearest: two trees at once, nodes nearest first, cut off by what is
// known already.
//
// Why results do not depend on the search. A pair of triangles is left out only if the gap of
// boxes around them exceeds a distance that some real pair has by more than the error of a
// computed distance. So every pair that could be the answer, ties included, is computed, in
// whatever order, and the least one by (distance, numbers) is one and the same.
#ifndef SHL_RUNTIME_QUERIES_DISTANCE_SEARCH_H
#define SHL_RUNTIME_QUERIES_DISTANCE_SEARCH_H

#include "kernels/tri/tri_distance.h"
#include "runtime/queries/distance/distance.h"

#include <math.h>

// One search: its two bodies, and what it looks for.
typedef struct shl_distance_search {
    shl_distance *distance;
    shl_scratch *scratch;
    shl_view a, b;
    double slack;                // the most that a computed distance may be below the truth
    float limit;                 // squared gaps above it do not matter
    shl_closest_pair *pair;      // the nearest triangles of the bodies, or
    bool within_only;            // whether they are within the query's distance, no more; or
    bool before_grid;            // the grid's bounds are not there yet
    shl_closest_tri *own;        // [lanes] the nearest triangle of b for each of a leaf of a
    float own_limit[SHL_LANES];  // as limit, for each of them; negative: no triangle
    double own_upper[SHL_LANES]; // what is known of each beside that; infinite: nothing
    const float *tris_a, *tris_b, *nodes_a, *nodes_b; // lower bounds of the bodies' triangles
                                                      // and nodes, squares; NULL: none
} shl_distance_search;

// Largest error of a computed distance of triangles in two boxes.
double shl_search_slack(const shl_box *a, const shl_box *b);

// Squares of gaps above the result belong to pairs beyond `bound`.
float shl_search_limit(double bound, double slack);

// Square of the gap of two boxes, as kernels compute it.
float shl_box_gap(const shl_kernels *kernels, const shl_box *a, const shl_box *b);

// The nearest triangles of two bodies, a's number below b's. s->pair holds what is known.
void shl_search_bodies(shl_distance_search *s);

// For each triangle of the leaf `node` of a, with box `box`, the nearest of b, which may be a:
// then triangles that share a vertex do not count. s->own holds what is known.
void shl_search_leaf(shl_distance_search *s, uint32_t node, const shl_box *box);

// Whether triangles of one tree share a vertex; the same triangle does.
bool shl_tris_adjacent(const shl_tri *x, const shl_tri *y);

// The points of a pair: what users see. With `turn` the pair's second triangle comes first.
void shl_nearest_set(const shl_closest_pair *pair, const shl_closest *closest, bool turn,
                     shoal_nearest *out);

// There is nothing to be near to.
static inline shoal_nearest shl_nearest_none(uint32_t body, uint32_t triangle)
{
    return (shoal_nearest){.body_a = body,
                           .triangle_a = triangle,
                           .body_b = SHOAL_NONE,
                           .triangle_b = SHOAL_NONE,
                           .distance = INFINITY};
}

#endif
