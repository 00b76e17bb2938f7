// SPDX-License-Identifier: MIT
// Pairs of triangles that touch: between bodies, the first of each body pair, within a body.
// Two trees at once from a frontier of node pairs down to triangles, or a neighbour list.
#ifndef SHL_RUNTIME_QUERIES_OVERLAP_OVERLAP_H
#define SHL_RUNTIME_QUERIES_OVERLAP_OVERLAP_H

#include "layouts/rows.h"
#include "runtime/queries/query.h"
#include "runtime/traverse/leaf_cache.h"

enum {
    SHL_FRONTIER_WANTED = 128,  // a few body pairs are opened up to this many node pairs
    SHL_BATCHES_WANTED = 16,    // a worker, so that all end together
    SHL_BATCH_MAX = 32,         // node pairs
    SHL_LIST_GRAIN = 1024,      // triangle pairs of the neighbour list a chunk
    SHL_CANDIDATE_BATCH = 1024, // triangle pairs tested together
    SHL_CANDIDATE_ROWS = SHL_CANDIDATE_BATCH + SHL_DESCEND_MAX,
    SHL_FIRST_BATCH = 16, // looking for any contact: test early
};

// Two bodies to search, or one with itself.
typedef struct shl_overlap_pair {
    uint32_t a, b;
    _Atomic uint32_t hit;  // first contact: set by whoever finds it
    uint32_t hit_a, hit_b; // its witness, the user's triangle numbers
} shl_overlap_pair;

// Where a search starts.
typedef struct shl_frontier_row {
    shl_node_pair nodes;
    uint32_t pair; // row in pairs
} shl_frontier_row;

enum {
    SHL_PAIRS,
    SHL_SELF,
    SHL_RESULT_LISTS,
    SHL_LIST_ENTRIES = SHL_RESULT_LISTS,
    SHL_FOUND_LISTS
};

// Lists that users see.
enum { SHL_TOTAL_HITS = SHL_RESULT_LISTS, SHL_TOTALS };

// What one chunk of a search found, by list.
typedef struct shl_found {
    shl_run run[SHL_FOUND_LISTS];
} shl_found;

// Rows of one body_a in a result list; sorted apart from the others.
typedef struct shl_group {
    uint32_t list;
    size_t begin, end;
} shl_group;

// Two triangles of the neighbour list, by rows, or of an evaluated body by what lasts.
typedef struct shl_list_entry {
    uint32_t pair; // row in pairs
    uint32_t a;    // triangle of its first body
    float slack;   // they cannot touch before their bodies moved by this together
    uint32_t b;
} shl_list_entry;

// Rows of a body's whereabouts to compare: a row of "overlap_list_displacement".
typedef struct shl_watched_range {
    uint32_t body; // row of the watched bodies
    uint32_t begin, end;
} shl_watched_range;

// Where a watched body was when the list was made.
typedef struct shl_watched_body {
    uint32_t body;
    size_t offset; // in the reference
} shl_watched_body;

// The neighbour list: which triangles are near each other, and for how long that stays true.
typedef struct shl_list {
    float grow;             // boxes of one side, while a list is made; 0: no list
    bool active;            // and no body and no query of this step forbids one
    bool valid;             // the last step left a list that fits its bodies and queries
    bool usable;            // so this step may use it, if nothing moved too far
    bool reused;            // it does
    bool listing;           // it makes a new one
    uint32_t queries;       // that the list is for
    uint32_t changes;       // of bodies when it was made
    uint32_t body_count;    // watched
    uint32_t range_count;   // rows of ranges and displacement
    shl_array bodies;       // shl_watched_body
    shl_array ranges;       // shl_watched_range
    shl_array reference;    // their whereabouts when the list was made
    shl_array displacement; // double, of a range since then
    uint32_t displacement_rows, snapshot_rows; // of jobs
    uint32_t chunk_count;                      // of the search that makes a list
    shl_array chunks;                          // shl_found
    uint32_t entry_count;
    shl_array entries;       // shl_list_entry
    float displacement_most; // by two bodies together, since the list was made
} shl_list;

// One worker's own memory.
typedef struct shl_overlap_scratch {
    _Alignas(128) shl_tri_pair *candidates; // [SHL_CANDIDATE_ROWS] NULL until a step asks
} shl_overlap_scratch;

typedef struct shl_overlap {
    const shl_ports *ports;
    uint32_t table;   // number of the first of its own ones
    uint32_t queries; // of its own, in this step
    uint32_t asked;   // all of them
    shl_overlap_scratch *scratch;
    uint32_t pair_count, between; // rows of pairs; the first of them are between two bodies
    shl_array pairs;              // shl_overlap_pair
    uint32_t frontier_count;
    uint32_t batch; // node pairs searched in one go
    uint32_t batch_count;
    shl_array frontier, frontier_next; // shl_frontier_row
    uint32_t found_count;
    shl_array found; // shl_found, one a chunk
    shl_rows rows[SHL_FOUND_LISTS];
    uint32_t group_count;
    shl_array groups;                    // shl_group
    shl_array result[SHL_RESULT_LISTS];  // shoal_pair
    shl_array sorting[SHL_RESULT_LISTS]; // shoal_pair, scratch
    size_t result_count[SHL_RESULT_LISTS];
    shl_array hits; // shoal_pair
    size_t hit_count;
    _Atomic uint64_t emitted[SHL_RESULT_LISTS]; // rows found, of bounded lists
    uint64_t total[SHL_TOTALS];                 // rows found, kept or not
    shl_sums sums;
    shl_list list;
} shl_overlap;

enum {
    SHL_OVERLAP_PAIRS,
    SHL_OVERLAP_FRONTIER,
    SHL_OVERLAP_FOUND,
    SHL_OVERLAP_RESULTS,
    SHL_OVERLAP_GROUPS,
    SHL_OVERLAP_HITS,
    SHL_OVERLAP_REFERENCE,
    SHL_OVERLAP_DISPLACEMENT,
    SHL_OVERLAP_LIST,
};

static inline shl_overlap_pair *shl_overlap_pairs(const shl_overlap *self)
{
    return self->pairs.data;
}

// How many rows a result list may have.
static inline uint64_t shl_overlap_max(const shl_overlap *self, int list)
{
    return shl_max_rows(self->ports, list == SHL_PAIRS  ? SHOAL_QUERY_PAIRS
                                     : list == SHL_SELF ? SHOAL_QUERY_SELF
                                                        : SHOAL_QUERY_FIRST);
}

static inline bool shl_overlap_bounded(const shl_overlap *self, int list)
{
    return shl_overlap_max(self, list) != SHL_ROWS_UNBOUNDED;
}

// Whether self queries look for pairs that share no vertex, and only for those.
static inline bool shl_overlap_nonadjacent(const shl_overlap *self)
{
    return self->queries & SHOAL_QUERY_SELF && !(self->queries & SHOAL_QUERY_SELF_ADJACENT);
}

extern const shl_query shl_overlap_query;

shl_job_fn shl_overlap_run_frontier, shl_overlap_run_search, shl_overlap_run_scan,
    shl_overlap_run_collect, shl_overlap_run_groups, shl_overlap_run_sort, shl_overlap_run_hits;
shl_job_fn shl_list_run_displacement, shl_list_run_validate, shl_list_run_snapshot,
    shl_list_run_scan, shl_list_run_compact, shl_list_run_test;

// Before and after the jobs: whether the list may be used, and that it is there.
SHOAL_CHECK shoal_status shl_list_begin(shl_overlap *self);
void shl_list_end(shl_overlap *self, const shl_step_end *end);

// Sorts n pairs with one body_a by (triangle_a, body_b, triangle_b).
void shl_sort_pairs(shoal_pair *pairs, shoal_pair *scratch, size_t n);

#endif
