// SPDX-License-Identifier: MIT
// A leaf at work: all that tests of its triangles read, gathered once and then used for every
// leaf that is near. Float32 only.
#ifndef SHL_KERNELS_BOXES_LEAF_H
#define SHL_KERNELS_BOXES_LEAF_H

#include "kernels/tri/tri_overlap.h"

// Steps of a coordinate, from 0 to SHL_GRID_MAX: those below `origin` are 0, those beyond the
// last are the last. Each rounding on the way is monotone, and so is the whole: where a <= b,
// the step of a is at most that of b. So boxes that overlap do so in steps, and nothing is
// lost.
typedef struct shl_lattice {
    float origin[3];
    float scale[3]; // at least 0, not NaN; may be infinite
} shl_lattice;

enum { SHL_GRID_MAX = 65534 };

// A grid that tells positions in a box apart.
static inline shl_lattice shl_grid_of(const shl_box *box)
{
    shl_lattice grid;
    for (int k = 0; k < 3; k++) {
        const float size = box->hi[k] - box->lo[k];
        grid.origin[k] = box->lo[k];
        grid.scale[k] = size > 0 ? (float)SHL_GRID_MAX / size : 0;
    }
    return grid;
}

// Lanes are triangles. Those past the last overlap nothing and repeat it otherwise.
typedef struct shl_leaf_tris {
    _Alignas(64) float corner[3][3][SHL_LANES]; // [corner][axis]
    uint16_t box[3][2][SHL_LANES];              // [axis][lo, hi] in steps
    uint32_t vertex[3][SHL_LANES];              // [corner] rows
    uint32_t first;                             // row of the first triangle
} shl_leaf_tris;

// Opens a leaf.
//
//   reads    tree columns of the leaf, its triangles, xyz of their vertices
//   writes   *out
//   equal    exact for finite input
typedef void shl_leaf_open_fn(const shl_tree *tree, const float *xyz, uint32_t leaf,
                              const shl_lattice *grid, shl_leaf_tris *out);
shl_leaf_open_fn shl_leaf_open_ref, shl_leaf_open_avx2, shl_leaf_open_avx512;

enum {
    SHL_COLUMN_BATCH = 192, // pairs tested together: all columns stay in the first-level cache
    SHL_COLUMN_ROWS = SHL_COLUMN_BATCH + SHL_LANES * SHL_LANES + 16
};

// Pairs of triangles to be tested, their corners in columns. Corners may be those of other
// numbers, moved and rounded: none of their coordinates is off by more than `rounding`, but for
// one translation of all.
typedef struct shl_tri_columns {
    _Alignas(64) float corner[2][3][3][SHL_COLUMN_ROWS]; // [side][corner][axis]
    shl_tri_pair row[SHL_COLUMN_ROWS];                   // which triangles they are
    float rounding;                                      // 0: the corners are exact
} shl_tri_columns;

// Two leaves are one and the same, and only pairs with lane a < lane b are wanted.
// Pairs that share a vertex are left out.
enum { SHL_LEAF_SELF = 1, SHL_LEAF_NONADJACENT = 2 };

// Adds the pairs of triangles of two leaves whose boxes overlap in steps of one grid.
//
//   reads    *a, *b
//   writes   rows [count, returned) of `out`; up to 8 rows more may be touched
//   returns  the new number of rows, at most 64 more
//   equal    exact, order by lane of a, then lane of b
typedef uint32_t shl_leaf_pairs_fn(const shl_leaf_tris *a, const shl_leaf_tris *b,
                                   uint32_t kind, shl_tri_columns *out, uint32_t count);
shl_leaf_pairs_fn shl_leaf_pairs_ref, shl_leaf_pairs_avx2, shl_leaf_pairs_avx512;

// Keeps the pairs whose closed triangles share a point, as tri_overlap does.
//
//   reads    rows [0, count) of `columns`, and of the sides, which have the true corners, what
//            a pair that floating point cannot decide names; rows up to the next multiple of 16
//            are read and not used
//   writes   out[0, returned) in the order of the rows, up to 16 slots more may be touched;
//            *exact_count += pairs the float64 filter could not decide
//   equal    exact: every variant returns the same pairs and the same exact_count
typedef uint32_t shl_tri_columns_fn(const shl_tri_columns *columns, uint32_t count,
                                    const shl_tri_side *a, const shl_tri_side *b,
                                    shl_tri_pair *out, uint64_t *exact_count);
shl_tri_columns_fn shl_tri_columns_ref, shl_tri_columns_avx2, shl_tri_columns_avx512;

#endif
