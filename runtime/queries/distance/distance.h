// SPDX-License-Identifier: MIT
// Distances: the nearest other body of each, all pairs within a distance, the nearest triangle
// of each triangle. Bodies here are those that take part, by their slot in a list. Pairs and
// triangles of one step bound the search of the next.
#ifndef SHL_RUNTIME_QUERIES_DISTANCE_DISTANCE_H
#define SHL_RUNTIME_QUERIES_DISTANCE_DISTANCE_H

#include "layouts/rows.h"
#include "runtime/broad/broad.h"
#include "runtime/queries/distance/bounds/grid.h"
#include "runtime/queries/query.h"
#include "runtime/traverse/open.h"

#include <shoal/study.h>

// Two bodies, a < b, and their nearest triangles as far as they are known.
typedef struct shl_closest_pair {
    double distance;
    uint32_t a, b;
    uint32_t revision_a, revision_b; // of the bodies of a witness; 0: there is none
    shl_tri_ref at_a, at_b;
} shl_closest_pair;

// The nearest triangle to a triangle; SHL_NONE: no body.
typedef struct shl_closest_tri {
    double distance;
    uint32_t body;
    shl_tri_ref at;
} shl_closest_tri;

// Which rows of triangles a body has.
typedef struct shl_closest_layout {
    uint32_t body, revision, first, count;
} shl_closest_layout;

// A body and the square of its box's gap to something.
typedef struct shl_body_gap {
    uint32_t body;
    float gap;
} shl_body_gap;

// Lists that users see, in the order of their queries.
enum {
    SHL_TOTAL_NEAREST,
    SHL_TOTAL_WITHIN,
    SHL_TOTAL_TRIANGLES,
    SHL_TOTAL_SELF,
    SHL_DISTANCE_TOTALS
};

// One worker's own memory.
typedef struct shl_distance_scratch {
    _Alignas(128) shl_array around; // shl_body_gap [bodies] around a leaf
    uint32_t around_count;
    shl_array boxes;        // shl_block, boxes around a body
    shl_array brick, least; // shl_brick_scratch; float [longest list]
} shl_distance_scratch;

typedef struct shl_distance {
    const shl_ports *ports;
    uint32_t table;   // number of the first of its own ones
    uint32_t queries; // of its own, in this step
    shl_distance_scratch *scratch;
    uint32_t first_job, end_job; // of its own in the graph
    uint32_t body_count;
    shl_array bodies;       // uint32_t [body_count] numbers, ascending
    shl_broad tree;         // over the boxes of all bodies, by number
    double slack;           // most that any computed distance is below the truth
    shl_array bound;        // _Atomic uint64_t by number: a double that bounds the distance
    uint32_t witness_count; //
    shl_array witness;      // shl_closest_pair by number, of the last step that asked
    uint32_t bound_rows, neighbour_rows, pair_count, point_rows, node_rows,
        warm_start_rows;    // of jobs
    shl_rows found;         // uint64_t a << 32 | b: pairs of bodies near each other
    shl_array runs;         // shl_run of each chunk
    shl_array keys;         // uint64_t [2][pair_count] for sorting
    bool warm_started;      // "distance_warm_start" has done that part of "distance_triangles"
    shl_array pairs;        // shl_closest_pair by (a, b)
    shl_array winner;       // uint32_t by number: row in pairs
    shl_array within_pairs; // uint32_t [within_count] rows in pairs
    shl_array tri_begin;    // uint32_t [body_count + 1] first triangle of a body
    shl_array node_begin;   // uint32_t [body_count + 1] first node of a body
    shl_array slot;         // uint32_t by number: slot in the list
    uint32_t layout_count;
    shl_array layout;     // shl_closest_layout of bodies when `best` was made
    shl_array best_spare; // shl_closest_tri, for `best` to move to when bodies come and go
    shl_array best[2]; // shl_closest_tri by triangle, tree order: of other bodies, of its own
    bool known[2];     // the last step that asked left them whole
    shl_array nearest, within, tris[2]; // shoal_nearest
    size_t nearest_count, within_count, tri_count[2];
    uint64_t total[SHL_DISTANCE_TOTALS]; // rows of the lists, kept or not
    _Atomic uint64_t listed, passed; // pairs of a bounded list of those within, see bodies.c
    shl_sums sums;
    shl_grid grid; // bounds of distances
} shl_distance;

enum { SHL_DISTANCE_SEARCH, SHL_DISTANCE_RESULTS, SHL_DISTANCE_GRID, SHL_DISTANCE_TREE };
enum { SHL_NEIGHBOUR_GRAIN = 64 }; // bodies whose neighbours are listed together

extern const shl_query shl_distance_query;

static inline uint32_t shl_distance_body(const shl_distance *d, uint32_t slot)
{
    return ((const uint32_t *)d->bodies.data)[slot];
}

static inline const shl_box *shl_distance_box(const shl_distance *d, uint32_t slot)
{
    return &d->ports->bodies->box[shl_distance_body(d, slot)];
}

// Whether two different bodies may meet. While some may not, the tree's `meet` is set.
static inline bool shl_distance_may_meet(const shl_distance *d, uint32_t a, uint32_t b)
{
    return shl_broad_may_meet(&d->tree, a, b);
}

static inline const shl_kernels *shl_distance_kernels(const shl_distance *d)
{
    return &d->ports->ctx->kernels;
}

// Whether searches know nothing but boxes.
static inline bool shl_distance_plain(const shl_distance *d)
{
    return d->ports->def->distance_engine == SHOAL_DISTANCE_PLAIN;
}

// First rows of bodies' triangles and nodes.
SHOAL_CHECK shoal_status shl_distance_plan_rows(shl_distance *d);

// Rows of triangles, if a query asks for them.
SHOAL_CHECK shoal_status shl_distance_plan_triangles(shl_distance *d);

// Place in the list of bodies of a row that begins are given for.
uint32_t shl_distance_slot(const shl_array *begin, uint32_t count, uint32_t row);

shl_job_fn shl_distance_run_plan, shl_distance_run_engine, shl_distance_run_bounds,
    shl_distance_run_neighbours, shl_distance_run_pairs, shl_distance_run_search,
    shl_distance_run_reduce, shl_distance_run_closest, shl_distance_run_warm_start,
    shl_distance_run_triangles;
shl_job_fn shl_grid_run_cull, shl_grid_run_tris, shl_grid_run_submit, shl_grid_run_collect,
    shl_grid_run_owners, shl_grid_run_pairs, shl_grid_run_lists, shl_grid_run_distances,
    shl_grid_run_bounds;

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
