// SPDX-License-Identifier: MIT
// The update front of bodies of kind points (Steinemann et al. 2007, 3.4).
#ifndef SHL_RUNTIME_KINDS_SKINNED_FRONT_H
#define SHL_RUNTIME_KINDS_SKINNED_FRONT_H

#include "runtime/scene/scene.h"

enum { SHL_CORNER_PARTS = 8 }; // rows of "corner_refit" for each body

// Room for what a body keeps.
SHOAL_CHECK shoal_status shl_corner_reserve(shoal_scene *scene, const shl_points *model,
                                            shl_free_body *body);
void shl_corner_finish(shoal_scene *scene, shl_free_body *body);

// The body has a new state: the nodes that were opened since the last one are those to refresh.
// `none`: it has no boxes of nodes in this state.
void shl_corner_plan(shl_free_body *body, bool none);

// Boxes of a node's children if they were refreshed, else NULL. Notes that somebody asked.
static inline const shl_block *shl_corner_block(const shl_free_body *body, uint32_t node)
{
    const shl_corner *c = &body->corner;
    const uint32_t block = body->points->block_of[node];
    if (!atomic_load_explicit(&c->asked[block], memory_order_relaxed))
        atomic_store_explicit(&c->asked[block], 1, memory_order_relaxed);
    return c->place[block] ? &c->blocks[c->place[block] - 1] : NULL;
}

#endif
