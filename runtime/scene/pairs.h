// SPDX-License-Identifier: MIT
// Between bodies and the broad phase: each body's box goes in, pairs of bodies come out.
//
// A body's fat box stands for its own while it holds the body and is not much larger. Fat boxes
// rest while bodies move, and boxes that all rest need no new search; what they found too much
// is sorted out by the bodies' own boxes, so the pairs are always the same.
#ifndef SHL_RUNTIME_SCENE_PAIRS_H
#define SHL_RUNTIME_SCENE_PAIRS_H

#include "runtime/broad/broad.h"
#include "runtime/scene/ports.h"

typedef struct shl_pairs {
    const shl_ports *ports;
    shl_broad broad;
    float margin;                        // that all boxes are grown by in this step
    uint32_t filters;                    // of bodies, that the broad phase knows
    bool filtered;                       // in this step some pair may be forbidden
    uint32_t box_rows;                   // bodies whose boxes go in; 0 if no query needs pairs
    _Atomic uint32_t fat_used, fat_left; // bodies, in this step
    shl_array kept;                      // uint64_t, where the broad phase found too much
    shl_body_pairs out;
} shl_pairs;

void shl_pairs_init(shl_pairs *pairs, const shl_ports *ports);
void shl_pairs_finish(shl_pairs *pairs);

// Before a step: room for all bodies' boxes, if pairs are wanted.
SHOAL_CHECK shoal_status shl_pairs_begin(shl_pairs *pairs, bool wanted);

// Whether there is something to find, for queries that need boxes grown by so much.
void shl_pairs_demand(shl_pairs *pairs, bool boxes, float margin);

SHOAL_CHECK shoal_status shl_pairs_jobs(shl_pairs *pairs, shl_graph *graph);
void shl_pairs_list_tables(shl_pairs *pairs, shl_extents *out);

// Whether the body's own box lies in its fat box.
bool shl_fat_holds(const shl_bodies *bodies, uint32_t body);

#endif
