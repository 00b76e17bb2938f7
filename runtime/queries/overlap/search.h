// SPDX-License-Identifier: MIT
// State of a worker that searches pairs of triangles, by trees or from a neighbour list.
#ifndef SHL_RUNTIME_QUERIES_OVERLAP_SEARCH_H
#define SHL_RUNTIME_QUERIES_OVERLAP_SEARCH_H

#include "runtime/queries/overlap/overlap.h"

// How candidates are kept and tested.
typedef enum shl_search_path {
    SHL_SEARCH_ROWS,      // a list of rows
    SHL_SEARCH_COLUMNS,   // columns of corners, which are exact: both bodies are in float32
    SHL_SEARCH_RECENTRED, // the same, moved and rounded: both bodies are evaluated
} shl_search_path;

// One search: a worker's memory and the two bodies it is looking at.
typedef struct shl_search {
    shl_overlap *overlap;
    shl_overlap_scratch *own;
    shl_scratch *scratch;
    shl_found *found; // this chunk's
    shl_overlap_pair *pair;
    shl_view a, b;
    shl_tri_side side_a, side_b; // where rows of candidates lead
    uint32_t candidate_count;    // in the worker's list, or in its columns
    shl_search_path path;
    bool self;        // a and b are one body
    bool only_first;  // stop at the first contact
    bool listing;     // candidates are listed, not tested
    bool nonadjacent; // of one body, and pairs that share a vertex are not asked for
    bool cull;        // some of its parts may be known not to meet
    float grow;       // boxes of a
} shl_search;

// The next candidates are of these two bodies.
void shl_search_enter(shl_search *search, shl_overlap_pair *pair);

// Decides the collected candidates and keeps what touches.
SHOAL_CHECK shoal_status shl_search_flush(shl_search *search);

static inline bool shl_search_decided(const shl_search *s)
{
    return s->only_first && atomic_load_explicit(&s->pair->hit, memory_order_relaxed);
}

#endif
