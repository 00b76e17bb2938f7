// SPDX-License-Identifier: MIT
// What a worker looks at while it searches pairs of triangles, whether trees or a list name
// them.
#ifndef SHL_RUNTIME_QUERIES_OVERLAP_WALK_H
#define SHL_RUNTIME_QUERIES_OVERLAP_WALK_H

#include "runtime/scene/steps.h"

enum { SHL_FIRST_BATCH = 16 }; // looking for any contact: test early

// One walk: a worker's memory and the two bodies it is looking at.
typedef struct shl_walk {
    shoal_scene *scene;
    shl_walker *worker;
    shl_found *found; // this chunk's
    shl_body_pair *pair;
    shl_free_body *a, *b;
    shl_tri_side side_a, side_b; // where rows of candidates lead
    uint32_t candidate_count;    // in the worker's list, or in its columns
    bool columns;                // leaves have columns of corners: both bodies are free and in
                                 // float32, or both are reduced
    bool moved;                  // and these are rounded
    bool only_first;             // stop at the first contact
    bool listing;                // candidates are listed, not tested
    bool strangers;              // of one body, and pairs that share a vertex are not asked for
    bool sheet;                  // some of its parts may be known not to meet
    float grow;                  // boxes of a
} shl_walk;

// The next candidates are of these two bodies.
void shl_walk_enter(shl_walk *w, shl_body_pair *pair);

// Decides the collected candidates and keeps what touches.
shoal_status shl_walk_flush(shl_walk *w);

static inline bool shl_walk_decided(const shl_walk *w)
{
    return w->only_first && atomic_load_explicit(&w->pair->hit, memory_order_relaxed);
}

#endif
