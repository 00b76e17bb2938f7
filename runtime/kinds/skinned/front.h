// SPDX-License-Identifier: MIT
// The update front of skinned bodies (Steinemann et al. 2007, 3.4).
#ifndef SHL_RUNTIME_KINDS_SKINNED_FRONT_H
#define SHL_RUNTIME_KINDS_SKINNED_FRONT_H

#include "runtime/kinds/skinned/skinned.h"

enum { SHL_FRONT_SLICES = 8 }; // rows of "skinned_front" for each body

// Blocks stand in the order of the model's.
typedef struct shl_skinned_front {
    uint32_t count;           // nodes that are refreshed before the search
    shl_block *blocks;        // [count] boxes of their children
    uint32_t *nodes;          // [count] parents first
    uint32_t *slot;           // [block_count] 1 + place in the two above; 0: none
    _Atomic uint8_t *visited; // [node_count] opened since the state changed
} shl_skinned_front;

// Room for what a body keeps.
SHOAL_CHECK shoal_status shl_skinned_front_reserve(shl_skinned_body *body,
                                                   const shoal_allocator *allocator);

// The body has a new state: the nodes that were opened since the last one are those to refresh.
// `none`: it has no boxes of nodes in this state.
void shl_skinned_front_plan(const shl_skinned_body *body, bool none);

// Makes one of SHL_FRONT_SLICES slices of the front's boxes, from bounds; then joins them, from
// the lowest up.
void shl_skinned_front_refit(const shl_kernels *kernels, const shl_skinned_body *body,
                             uint32_t part, shl_scratch *scratch);
void shl_skinned_front_merge(const shl_kernels *kernels, const shl_skinned_body *body);

// Boxes of a node's children if they were refreshed, else NULL.
static inline const shl_block *shl_skinned_front_block(const shl_skinned_body *body,
                                                       uint32_t node)
{
    const shl_skinned_front *f = body->front;
    const uint32_t slot = f->slot[body->model->block_of[node]];
    return slot ? &f->blocks[slot - 1] : NULL;
}

// Whether a node's children are leaves, all of them: it is then cheaper to evaluate the
// vertices of all of them, once each, than to bound where they are.
static inline bool shl_skinned_grouped(const shl_tree *tree, uint32_t node)
{
    return !tree->inner[node] && !tree->leaf[node];
}

#endif
