// SPDX-License-Identifier: MIT
// What a walk asks of reduced bodies: boxes of nodes and corners of triangles, made when
// touched and kept in memory of the worker's own. There are no arrays of nodes or vertices that
// belong to a body.
#ifndef SHL_RUNTIME_TRAVERSE_EVAL_CACHE_H
#define SHL_RUNTIME_TRAVERSE_EVAL_CACHE_H

#include "runtime/scene/scene.h"

enum {
    SHL_CACHE_LEAVES = 1 << 11, // evaluated leaves of a worker; all go when it is full
    SHL_CACHE_VERTICES = 1 << 14,
    SHL_CACHE_PLACES = 1 << 13, // of the hash table over them
    SHL_CACHE_BLOCKS = 256,     // opened nodes, one place each, for each side of a pair
    // What one leaf may need room for: a node of kind points is evaluated with all its leaves.
    SHL_GROUP_LEAVES = SHL_LANES + 1,
    SHL_GROUP_VERTICES = SHL_LANES * SHL_LEAF_VERTICES + 4,
};

// A node of a body; all zero is none.
typedef struct shl_cache_key {
    uint32_t body1; // 1 + its number
    uint32_t node;
} shl_cache_key;

// An opened node. Pairs of children whose boxes overlap may still be parted by their slants.
typedef struct shl_opened {
    shl_block block;
    shl_slants slants; // where shl_reduced_slanted() only
} shl_opened;

// One worker's, for one step. Evaluated leaves look like a body of their own to the triangle
// test: rows of triangles that name rows of vertices.
typedef struct shl_reduced_cache {
    shl_block leaf_block[SHL_CACHE_LEAVES]; // boxes of its triangles
    double xyz[3 * SHL_CACHE_VERTICES];
    shl_tri tri[SHL_LANES * SHL_CACHE_LEAVES];
    uint32_t tree_first[SHL_CACHE_LEAVES]; // the model's row of its first triangle
    uint32_t leaf_node[SHL_CACHE_LEAVES];
    uint32_t vertex_at[SHL_CACHE_LEAVES]; // its first vertex
    bool boxed[SHL_CACHE_LEAVES];         // leaf_block is there
    shl_cache_key leaf_key[SHL_CACHE_LEAVES];
    uint32_t leaf_count, vertex_count;
    uint32_t drops;                     // how often leaves were dropped
    uint16_t leaf_at[SHL_CACHE_PLACES]; // 1 + place in the lists above; 0: none
    shl_cache_key block_key[2][SHL_CACHE_BLOCKS];
    shl_opened opened[2][SHL_CACHE_BLOCKS];
    shl_tree alone; // of one leaf, whose triangles are rows alone_first and up
    uint32_t alone_first;
    uint8_t alone_count, alone_leaf;
} shl_reduced_cache;

// Makes a cache whose bytes are all zero ready for use.
void shl_reduced_cache_begin(shl_reduced_cache *cache);

// Whether what shl_reduced_open() returns begins a shl_opened with slants. Boxes that are kept
// from step to step have none.
static inline bool shl_reduced_slanted(const shl_free_body *body, uint32_t node)
{
    return body->reduced && body->reduced->bounds == SHL_BOUNDS_AFFINE && !body->wide &&
           body->reduced->block_of[node] >= body->front_count;
}

// Whether leaves have to be dropped before this many may be asked for.
static inline bool shl_reduced_cache_full(const shl_reduced_cache *cache, uint32_t leaves)
{
    return cache->leaf_count + leaves * SHL_GROUP_LEAVES > SHL_CACHE_LEAVES ||
           cache->vertex_count + leaves * SHL_GROUP_VERTICES > SHL_CACHE_VERTICES;
}

// The model's row of a triangle row of the cache.
static inline uint32_t shl_cache_tree_row(const shl_reduced_cache *cache, uint32_t row)
{
    return cache->tree_first[row / SHL_LANES] + row % SHL_LANES;
}

// Caches for all workers, if there are none yet, and room for the model's contact spheres; NULL
// has none.
SHOAL_CHECK shoal_status shl_reduced_caches_make(shoal_scene *scene, const shl_reduced *model);
void shl_reduced_caches_finish(shoal_scene *scene);

// Positions have changed: nothing in the cache holds any more. NULL is fine.
void shl_reduced_cache_clear(shl_reduced_cache *cache);

// Forgets the leaves and keeps the nodes.
void shl_reduced_cache_drop_leaves(shl_reduced_cache *cache);

// Before the search: what kernels read of the body, its box, and whether it is bad.
void shl_reduced_prepare(const shl_kernels *kernels, shl_free_body *body);

// What kernels read of a ready body if it were neither turned nor moved.
void shl_reduced_still(const shl_free_body *body, shl_reduced_ready *out);

// Boxes of an inner node's children. Valid until the next call for the same side, 0 or 1.
const shl_block *shl_reduced_open(const shl_kernels *kernels, const shl_free_body *body,
                                  uint32_t node, int side, shl_walker *worker);

// Boxes of children of a body beyond float32: its own for each.
void shl_reduced_wide(const shl_free_body *body, uint32_t count, shl_block *out);

// The place of a leaf whose vertices and triangles are in the cache, which must not be full for
// one more leaf. Its triangles are rows SHL_LANES * place and up. Valid until leaves are
// dropped.
uint32_t shl_reduced_place(const shl_kernels *kernels, const shl_free_body *body, uint32_t node,
                           shl_walker *worker);

// The same with the boxes of its triangles.
shl_lanes shl_reduced_leaf(const shl_kernels *kernels, const shl_free_body *body, uint32_t node,
                           shl_walker *worker);

#endif
