// SPDX-License-Identifier: MIT
// Leaves opened for the triangle tests of a pair of bodies and kept in memory of the worker's
// own: no two workers wait for each other, and what a search uses again and again stays in the
// cache of its core. Those of float32 positions are what they are. Those of two evaluated
// bodies are moved to an origin between the two and rounded: a filter, with the true ones in
// the eval cache for what it leaves open.
#ifndef SHL_RUNTIME_TRAVERSE_LEAF_CACHE_H
#define SHL_RUNTIME_TRAVERSE_LEAF_CACHE_H

#include "runtime/traverse/open.h"

enum { SHL_LEAF_SLOTS = 128 }; // a side of a pair; leaves that follow each other do not clash

// One worker's, for one step.
typedef struct shl_leaf_cache {
    shl_leaf_tris leaf[2][SHL_LEAF_SLOTS];
    shl_tri_columns columns;            // what is to be tested
    shl_tri_pair kept[SHL_COLUMN_ROWS]; // what touches
    uint32_t node1[2][SHL_LEAF_SLOTS];  // 1 + node; 0: empty
    uint32_t body1[2];                  // 1 + whose leaves they are; 0: nobody's
    double origin[3];                   // of leaves that are moved
    uint32_t drops;                     // of the eval cache when these were made
    shl_lattice grid;                   // of the steps of their boxes
} shl_leaf_cache;

// Positions have changed: nothing in the cache holds any more.
void shl_leaf_cache_clear(shl_leaf_cache *cache);

// Leaves of a node with eight children, or one leaf, by lane.
typedef struct shl_leaf_row {
    const shl_leaf_tris *leaf[SHL_LANES];
} shl_leaf_row;

// From now on the two sides, 0 and 1, are these bodies, both SHL_VIEW_F32 or both
// SHL_VIEW_RECENTRED.
void shl_leaf_cache_enter(shl_leaf_cache *cache, const shl_view *a, const shl_view *b);

// Opens the leaves base + lane of a side's body. What is opened for side 0 stays while side 1
// is opened. Where leaves are evaluated, the eval cache has room for them all.
void shl_leaves_open(const shl_view *view, uint32_t base, uint32_t lanes, int side,
                     shl_scratch *scratch, shl_leaf_row *out);

#endif
