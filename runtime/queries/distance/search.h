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

#include "kernels/tri_distance.h"
#include "runtime/scene/scene.h"

#include <math.h>

// One search: its two bodies, and what it looks for.
typedef struct shl_search {
    shoal_scene *scene;
    shl_walker *worker;
    shl_free_body *a, *b;
    double slack;                // the most that a computed distance may be below the truth
    float limit;                 // squared gaps above it do not matter
    shl_near_pair *pair;         // the nearest triangles of the bodies, or
    shl_near_tri *own;           // [lanes] the nearest triangle of b for each of a leaf of a
    float own_limit[SHL_LANES];  // as limit, for each of them; negative: no triangle
    double own_upper[SHL_LANES]; // what is known of each beside that; infinite: nothing
    const float *tris_a, *tris_b, *nodes_a, *nodes_b; // lower bounds of the bodies' triangles
                                                      // and nodes, squares; NULL: none
} shl_search;

// A leaf's triangles as kernels read them. Candidates name them by lanes.first + lane; valid
// until the worker's leaves are dropped.
typedef struct shl_leaf {
    shl_lanes lanes;
    shl_block slot;
} shl_leaf;

// Largest error of a computed distance of triangles in two boxes.
double shl_search_slack(const shl_box *a, const shl_box *b);

// Squares of gaps above the result belong to pairs beyond `bound`.
float shl_search_limit(double bound, double slack);

// Square of the gap of two boxes, as kernels compute it.
float shl_box_gap(const shoal_context *ctx, const shl_box *a, const shl_box *b);

// The nearest triangles of two bodies, a's number below b's. s->pair holds what is known.
void shl_search_bodies(shl_search *s);

// For each triangle of the leaf `node` of a, with box `box`, the nearest of b, which may be a:
// then triangles that share a vertex do not count. s->own holds what is known.
void shl_search_leaf(shl_search *s, uint32_t node, const shl_box *box);

// Opens a leaf; with a reduced body there must be room in the cache.
void shl_search_open(const shl_search *s, shl_free_body *body, uint32_t node, int side,
                     shl_leaf *out);

// Room for so many more leaves of reduced bodies; what was opened before may be gone.
void shl_search_room(shl_walker *worker, uint32_t leaves);

// Corners of a triangle, wherever its body has them. Opens at most one leaf.
void shl_spot_corners(shoal_scene *scene, shl_walker *worker, uint32_t body,
                      const shl_spot *spot, double out[9]);

// Whether the spot names a triangle of the body's tree as it is now.
bool shl_spot_holds(const shl_free_body *body, const shl_spot *spot);

// Whether triangles of one tree share a vertex; the same triangle does.
bool shl_tris_adjacent(const shl_tri *x, const shl_tri *y);

// Place in the list of bodies of a row that begins are given for.
uint32_t shl_place_of_row(const shl_array *begin, uint32_t count, uint32_t row);

// The points of a pair: what users see. With `turn` the pair's second triangle comes first.
void shl_nearest_set(const shl_near_pair *pair, const shl_closest *closest, bool turn,
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

// Whether searches know nothing but boxes.
static inline bool shl_plain(const shoal_scene *scene)
{
    return scene->def.distance_engine == SHOAL_DISTANCE_PLAIN;
}

// First rows of bodies' triangles and nodes.
SHOAL_CHECK shoal_status shl_plan_rows(shoal_scene *scene);

// Rows of triangles, if a query asks for them.
SHOAL_CHECK shoal_status shl_plan_near_triangles(shoal_scene *scene);

// Infinity.
#define SHL_BOUND_NONE 0x7ff0000000000000u

// A bound that is lowered by many threads, as the bits of a double that is not negative.
static inline double shl_bound_get(const _Atomic uint64_t *bound)
{
    union {
        uint64_t bits;
        double value;
    } u = {atomic_load_explicit(bound, memory_order_relaxed)};
    return u.value;
}

static inline void shl_bound_lower(_Atomic uint64_t *bound, double value)
{
    union {
        double value;
        uint64_t bits;
    } u = {value};
    uint64_t seen = atomic_load_explicit(bound, memory_order_relaxed);
    while (u.bits < seen &&
           !atomic_compare_exchange_weak_explicit(bound, &seen, u.bits, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

#endif
