// SPDX-License-Identifier: MIT
// Leaves and nodes of bodies without kept boxes, made when touched and kept in memory of the
// worker's own for one step. Evaluated leaves look like a body of their own to the triangle
// tests: rows of triangles that name rows of vertices.
#ifndef SHL_RUNTIME_TRAVERSE_EVAL_CACHE_H
#define SHL_RUNTIME_TRAVERSE_EVAL_CACHE_H

#include "layouts/models/reduced.h"
#include "runtime/traverse/open.h"

enum {
    SHL_EVAL_LEAVES = 1 << 11, // evaluated leaves of a worker; all go when it is full
    SHL_EVAL_VERTICES = 1 << 14,
    SHL_EVAL_SLOTS = 1 << 13, // of the hash table over them
    SHL_EVAL_BLOCKS = 256,    // opened nodes, one place each, for each side of a pair
    // The most that one leaf may need: a kind may evaluate a node with all its leaves.
    SHL_EVAL_GROUP_LEAVES = SHL_LANES + 1,
    SHL_EVAL_GROUP_VERTICES = SHL_LANES * SHL_LEAF_VERTICES + 4,
};

// A node of a body; all zero is none.
typedef struct shl_eval_key {
    uint32_t body1; // 1 + its number
    uint32_t node;
} shl_eval_key;

// An opened node. Pairs of children whose boxes overlap may still be parted by their slants.
typedef struct shl_eval_node {
    shl_block block;
    shl_slants slants; // if the kind has made some
} shl_eval_node;

typedef struct shl_eval_cache {
    shl_block leaf_block[SHL_EVAL_LEAVES]; // boxes of its triangles
    double xyz[3 * SHL_EVAL_VERTICES];
    shl_tri tri[SHL_LANES * SHL_EVAL_LEAVES];
    uint32_t tree_first[SHL_EVAL_LEAVES]; // the model's row of its first triangle
    uint32_t leaf_node[SHL_EVAL_LEAVES];
    uint32_t vertex_at[SHL_EVAL_LEAVES]; // its first vertex
    bool boxed[SHL_EVAL_LEAVES];         // leaf_block is there
    shl_eval_key leaf_key[SHL_EVAL_LEAVES];
    uint32_t leaf_count, vertex_count;
    uint32_t drops;                   // how often leaves were dropped
    uint16_t leaf_at[SHL_EVAL_SLOTS]; // 1 + place in the lists above; 0: none
    shl_eval_key block_key[2][SHL_EVAL_BLOCKS];
    shl_eval_node opened[2][SHL_EVAL_BLOCKS];
    shl_tree alone; // of one leaf, whose triangles are rows alone_first and up
    uint32_t alone_first;
    uint8_t alone_count, alone_leaf;
} shl_eval_cache;

// Makes a cache whose bytes are all zero ready for use.
void shl_eval_begin(shl_eval_cache *cache);

// Positions have changed: nothing in the cache holds any more.
void shl_eval_clear(shl_eval_cache *cache);

// Forgets the leaves and keeps the nodes.
void shl_eval_drop_leaves(shl_eval_cache *cache);

// Whether leaves have to be dropped before this many may be asked for. NULL never is full.
static inline bool shl_eval_full(const shl_eval_cache *cache, uint32_t leaves)
{
    return cache &&
           (cache->leaf_count + leaves * SHL_EVAL_GROUP_LEAVES > SHL_EVAL_LEAVES ||
            cache->vertex_count + leaves * SHL_EVAL_GROUP_VERTICES > SHL_EVAL_VERTICES);
}

// Room for so many more leaves; what was opened before may be gone.
static inline void shl_eval_reserve(shl_eval_cache *cache, uint32_t leaves)
{
    if (shl_eval_full(cache, leaves))
        shl_eval_drop_leaves(cache);
}

// The model's row of a triangle row of the cache, and what outlives the step: eight times its
// leaf's node and its lane in it.
static inline uint32_t shl_eval_tree_row(const shl_eval_cache *cache, uint32_t row)
{
    return cache->tree_first[row / SHL_LANES] + row % SHL_LANES;
}

static inline uint32_t shl_eval_lasting(const shl_eval_cache *cache, uint32_t row)
{
    return cache->leaf_node[row / SHL_LANES] * SHL_LANES + row % SHL_LANES;
}

// --- For kinds. ---

// The slot of a leaf, or the first of a group of slots that is known by its node;
// SHL_NONE: nowhere yet, and *slot is where shl_eval_take() will note it.
uint32_t shl_eval_find(const shl_eval_cache *cache, uint32_t body, uint32_t node,
                       uint32_t *slot);
uint32_t shl_eval_take(shl_eval_cache *cache, uint32_t body, uint32_t node, uint32_t count,
                       uint32_t slot);

// Triangles of a leaf in slot `at`, whose vertices are there from row `base` on.
void shl_eval_tris(shl_eval_cache *cache, const shl_view *view, uint32_t node, uint32_t at,
                   uint32_t base);

// Boxes of the triangles in slot `at`, made once.
const shl_block *shl_eval_boxes(shl_eval_cache *cache, const shl_kernels *kernels, uint32_t at,
                                uint8_t count);

// Where an opened node is kept for a side; *made if it is there already.
shl_eval_node *shl_eval_open(shl_eval_cache *cache, uint32_t body, uint32_t node, int side,
                             bool *found);

// The same box for each of `count` children.
void shl_eval_fill(const shl_box *box, uint32_t count, shl_block *out);

#endif
