// SPDX-License-Identifier: MIT
// A query: how pairs of bodies become results. A query is a folder here, with tables and jobs
// of its own, one of these structs, and a line in runtime/scene/modules.c.
#ifndef SHL_RUNTIME_QUERIES_QUERY_H
#define SHL_RUNTIME_QUERIES_QUERY_H

#include "runtime/scene/hash.h"
#include "runtime/scene/ports.h"

typedef struct shl_query {
    const char *name;
    uint32_t bits;             // of shoal_query
    uint32_t pair_bits;        // those of them that need pairs of bodies
    const char *const *tables; // names of its own ones, NULL at the end
    shl_array_list arrays;     // that the scene frees and guards, by number of `tables`
    size_t self_bytes;         // zero at first; freed by the scene
    uint32_t sum_tables;       // those of them, one bit each, that `sums` reads
    // Its tables have the numbers from `table` on. Destroyed also if this fails.
    shoal_status (*create)(void *self, const shl_ports *ports, uint32_t table);
    void (*destroy)(void *self); // what `arrays` does not list; may be NULL
    // Before a step: what is asked for, perhaps nothing of this query. *certificates becomes
    // true if self culling is of use.
    shoal_status (*begin)(void *self, uint32_t queries, bool *certificates);
    shoal_status (*jobs)(void *self, shl_step_stage stage, shl_graph *graph);
    // After the jobs of SHL_STAGE_DEMAND: whether a query that is asked for needs boxes, and by
    // how much those of bodies are grown for it. NULL: it does, and they are not.
    bool (*boxes)(const void *self);
    float (*margin)(const void *self);
    void (*end)(void *self, const shl_step_end *end);
    // Adds to the trace what others than workers did; may be NULL.
    shoal_status (*trace)(const void *self, shl_graph *graph);
    void (*list_tables)(void *self, shl_extents *out); // the same, for the guard
    // Counts and sums of the lists that were asked for; returns how many.
    uint32_t (*sums)(const void *self, shl_list_sum out[SHL_SUMS_MAX]);
    // Rows of the list of a query in the last step, also of one that was too long to be kept.
    // NULL: lists cannot be bounded.
    uint64_t (*row_count)(const void *self, uint32_t query);
    void (*stats)(const void *self, shoal_stats *out); // may be NULL
} shl_query;

// All of them (runtime/scene/modules.c).
extern const shl_query *const shl_queries[];
extern const uint32_t shl_query_count;

// For the public functions of a query: its self in a scene; NULL if the library was built
// without.
const void *shl_scene_query(const shoal_scene *scene, const shl_query *query);

#endif
