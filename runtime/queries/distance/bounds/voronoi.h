// SPDX-License-Identifier: MIT
// How far each triangle is from the nearest triangle of another owner, up to a cell: bounds
// from the second-order discrete Voronoi diagram of a banded grid that is never stored.
//
// Let d(A) be the true distance, r = sqrt(3)/2 half the diagonal of a cell, all in cells. For
// each triangle A the result U(A) holds
//
//   U finite:    U - 2 r - eps <= d(A) <= U + eps
//   U infinite:  d(A) > 2 (band - r)
//
// if the grid covers the boxes of all triangles. Why: any sample g proves d(A) <= d(g, A) +
// d(g, other). And the midpoint m of the shortest segment lies in the hull of all triangles, so
// some sample g is within r of it, where d(g, A) and d(g, other) are at most d(A) / 2 + r; both
// are in g's list if that is at most band. Sums above 2 band prove nothing below and are
// dropped.
#ifndef SHL_RUNTIME_QUERIES_DISTANCE_BOUNDS_VORONOI_H
#define SHL_RUNTIME_QUERIES_DISTANCE_BOUNDS_VORONOI_H

#include "kernels/kernels.h"
#include "layouts/memory.h"

#include <stdatomic.h>

#define SHL_VORONOI_R 0.8660255f       // half the diagonal of a cell, rounded up
enum { SHL_VORONOI_BRICKS = 1 << 26 }; // at most; 12 bytes each

typedef struct shl_voronoi_def {
    const shl_cell_tri *tris; // [count] by shl_cell_tri_set(); owners below UINT32_MAX
    uint32_t count;
    uint32_t cells[3];   // of the grid, which begins at 0
    float band;          // cells; at least 1
    float eps;           // shl_voronoi_eps() of the largest error of a triangle
    uint64_t pair_limit; // the most (brick, triangle) pairs that may be kept
    bool whole; // bricks of one owner are gone through too: for bench, which tells what
                // leaving them out is worth. Bounds are the same
} shl_voronoi_def;

// What the errors of two distances and their sum come to.
float shl_voronoi_eps(double worst_error, float band);

// How far a triangle can be from the samples it is measured from: for shl_cell_tri_set().
static inline double shl_voronoi_cutoff(float band)
{
    return (double)band + 2 * (double)SHL_BRICK_RADIUS + 1;
}

// All zero is valid; memory is kept from run to run.
typedef struct shl_voronoi {
    shl_voronoi_def def;
    const shl_kernels *kernels;
    const shoal_allocator *allocator;
    uint32_t extent[3], bricks;
    uint32_t chunks, active_count, longest;
    uint64_t pair_count;
    shl_array owners;  // [bricks] lowest and highest owner whose band touches the brick
    shl_array begin;   // [bricks + 1] where its list begins
    shl_array active;  // [active_count] bricks whose lists are not empty
    shl_array list;    // [pair_count] triangles, brick by brick
    shl_array least;   // [count] float bits: atomics need an integer
    shl_array *found;  // [chunks] (brick, triangle) pairs of a chunk
    uint32_t *written; // [chunks] how many
    uint32_t chunk_capacity;
} shl_voronoi;

// What a worker needs for itself.
typedef struct shl_voronoi_worker {
    shl_brick_scratch *scratch;
    float *least; // [longest]
} shl_voronoi_worker;

// The stages, in this order. Each range may be divided among workers; chunks and
// bricks are the rows.
// Errors: ARGUMENT (band, cells), LIMIT (grid too large, more pairs than the limit), MEMORY.
SHOAL_CHECK shoal_status shl_voronoi_begin(shl_voronoi *b, const shl_voronoi_def *def,
                                           const shl_kernels *kernels,
                                           const shoal_allocator *allocator);
void shl_voronoi_owners(shl_voronoi *b, uint32_t begin, uint32_t end); // chunks
SHOAL_CHECK shoal_status shl_voronoi_pairs(shl_voronoi *b, uint32_t begin,
                                           uint32_t end); // chunks
SHOAL_CHECK shoal_status shl_voronoi_lists(shl_voronoi *b);
void shl_voronoi_distances(shl_voronoi *b, uint32_t begin, uint32_t end, // active bricks
                           const shl_voronoi_worker *worker);
// upper[0, count), infinite where nothing is known; of triangles from `begin` on, or of all.
void shl_voronoi_range(const shl_voronoi *b, uint32_t begin, uint32_t count, float *upper);
void shl_voronoi_end(const shl_voronoi *b, float *upper);

// All of them.
SHOAL_CHECK shoal_status shl_voronoi_run(shl_voronoi *b, const shl_voronoi_def *def,
                                         const shl_kernels *kernels,
                                         const shoal_allocator *allocator, float *upper);
void shl_voronoi_finish(shl_voronoi *b);

#endif
