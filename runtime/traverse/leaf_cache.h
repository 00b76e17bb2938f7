// SPDX-License-Identifier: MIT
// Leaves opened for the triangle tests and kept in memory of the worker's own: no two workers
// wait for each other, and what a walk uses again and again stays in the cache of its core.
// Those of free bodies in float32 are what they are. Those of two reduced bodies are
// evaluated, moved to an origin between the two and rounded: a filter, with the true ones in
// shl_reduced_cache for what it leaves open.
#ifndef SHL_RUNTIME_TRAVERSE_LEAF_CACHE_H
#define SHL_RUNTIME_TRAVERSE_LEAF_CACHE_H

#include "runtime/scene/scene.h"

enum { SHL_LEAF_PLACES = 128 }; // a side of a pair; leaves that follow each other do not clash

// One worker's, for one step.
typedef struct shl_leaf_cache {
    shl_leaf_tris leaf[2][SHL_LEAF_PLACES];
    shl_tri_columns columns;            // what is to be tested
    shl_tri_pair kept[SHL_COLUMN_ROWS]; // what touches
    uint32_t node1[2][SHL_LEAF_PLACES]; // 1 + node; 0: empty
    const shl_free_body *body[2];       // whose leaves they are
    double origin[3];                   // of leaves that are moved
    uint32_t drops;                     // of the other cache when these were made
    shl_lattice grid;                   // of the steps of their boxes
} shl_leaf_cache;

// Caches for all workers, if there are none yet.
SHOAL_CHECK shoal_status shl_leaf_caches_make(shoal_scene *scene);
void shl_leaf_caches_finish(shoal_scene *scene);

// Positions have changed: nothing in the cache holds any more. NULL is fine.
void shl_leaf_cache_clear(shl_leaf_cache *cache);

// Leaves of a node with eight children, or one leaf, by lane.
typedef struct shl_leaf_row {
    const shl_leaf_tris *leaf[SHL_LANES];
} shl_leaf_row;

// From now on the two sides, 0 and 1, are these bodies, both free and in float32 or both such
// that shl_leaf_moved().
void shl_leaf_cache_enter(shl_leaf_cache *cache, const shl_free_body *a,
                          const shl_free_body *b);

// Whether leaves of this body can be moved and rounded. Those of kind points are evaluated many
// at a time, and boxed on the way.
static inline bool shl_leaf_moved(const shl_free_body *body)
{
    return body->reduced && !body->wide;
}

// Opens the leaves base + lane for one side. What is opened for side 0 stays while side 1 is
// opened. Where leaves are moved, shl_reduced_cache has room for them all.
void shl_leaves_open(const shl_kernels *kernels, uint32_t base, uint32_t lanes, int side,
                     shl_walker *worker, shl_leaf_row *out);

#endif
