// SPDX-License-Identifier: MIT
// What a module sees of the scene it is part of: const pointers that it is given when the scene
// is made, and the tables that modules share.
#ifndef SHL_RUNTIME_SCENE_PORTS_H
#define SHL_RUNTIME_SCENE_PORTS_H

#include "runtime/context.h"
#include "runtime/jobs/graph.h"
#include "runtime/scene/bodies.h"

// Shared tables; the numbers from SHL_TABLE_OWN on are given to modules for theirs.
enum {
    SHL_NUMBER_BODIES, // rows of bodies: their boxes and flags
    SHL_NUMBER_STATES, // positions in tree order, poses, maps
    SHL_NUMBER_NODES,  // what kinds make of states; nodes opened late have stamps
    SHL_NUMBER_TREES,  // those that bodies have for themselves
    SHL_NUMBER_BROAD,  // the broad phase and its pairs
    SHL_NUMBER_HASH,
    SHL_TABLE_OWN,
    SHL_TABLE_BODIES = 1 << SHL_NUMBER_BODIES,
    SHL_TABLE_STATES = 1 << SHL_NUMBER_STATES,
    SHL_TABLE_NODES = 1 << SHL_NUMBER_NODES,
    SHL_TABLE_TREES = 1 << SHL_NUMBER_TREES,
    SHL_TABLE_BROAD = 1 << SHL_NUMBER_BROAD,
    SHL_TABLE_HASH = 1 << SHL_NUMBER_HASH,
    // what opening nodes and reading triangles needs
    SHL_READS_VIEWS = SHL_TABLE_BODIES | SHL_TABLE_STATES | SHL_TABLE_TREES,
    SHL_OPENS_VIEWS = SHL_TABLE_NODES,
};

// What the times of jobs count as in the statistics.
typedef enum shl_phase {
    SHL_PHASE_OTHER,
    SHL_PHASE_GATHER,
    SHL_PHASE_REFIT,
    SHL_PHASE_BROAD,
    SHL_PHASE_REBUILD,
    SHL_PHASE_DISTANCE,
    SHL_PHASE_BOUNDS, // of distances
    SHL_PHASE_SPHERES,
    SHL_PHASE_SEARCH,
    SHL_PHASE_LISTS,
    SHL_PHASE_SORT,
    SHL_PHASES
} shl_phase;

// Modules declare their jobs stage by stage.
typedef enum shl_step_stage {
    SHL_STAGE_STATES, // kinds: positions in tree order
    SHL_STAGE_DEMAND, // queries: whether they need boxes at all
    SHL_STAGE_BOXES, // kinds: boxes of bodies and of some nodes; then pairs of bodies are found
    SHL_STAGE_SEARCH,  // queries
    SHL_STAGE_PROFILE, // kinds: what this step tells about the next
    SHL_STAGES
} shl_step_stage;

// Pairs of bodies that the broad phase found: a << 32 | b, a < b, ascending.
typedef struct shl_body_pairs {
    const uint64_t *rows; // [count]
    uint32_t count;
} shl_body_pairs;

typedef struct shl_ports {
    shoal_context *ctx; // kernels, machine, GPU and log
    const shoal_allocator *allocator;
    const shoal_scene_def *def;
    const shl_bodies *bodies;
    const shl_body_pairs *pairs;
    const uint64_t *max_rows;    // [32] by a query's bit: how long its list may be
    void *const *kinds;          // [shl_kind_count] the kinds' selves, for views
    struct shl_scratch *scratch; // [workers]
    uint32_t workers;
} shl_ports;

// How many rows the list of a query may have. If there are more, its jobs keep none beyond it
// and go on counting; the step then fails, when all has been counted.
static inline uint64_t shl_max_rows(const shl_ports *ports, uint32_t query)
{
    return ports->max_rows[__builtin_ctz(query)];
}
#define SHL_ROWS_UNBOUNDED UINT64_MAX

// How a step ended, for those who learn from it.
typedef struct shl_step_end {
    bool good;
    bool boxes;                // were made
    double search_ns;          // that searches of trees took, all workers together
    const shl_job_time *times; // [jobs]
} shl_step_end;

// The bit of one of the tables that a module has from `first` on.
static inline uint64_t shl_table_bit(uint32_t first, uint32_t table)
{
    return UINT64_C(1) << (first + table);
}

// For the guard: memory of one of the tables, numbered from `first` on.
typedef struct shl_table_list {
    shl_extents *out;
    uint32_t first;
} shl_table_list;

static inline void shl_table_extent(void *list, const void *memory, size_t bytes)
{
    const shl_table_list *l = list;
    shl_extents_add(l->out, (shl_extent){(void *)memory, bytes, l->first, SHL_EXTENT_OWN});
}

static inline void shl_table_array(void *list, uint32_t table, shl_array *array)
{
    const shl_table_list l = {((shl_table_list *)list)->out,
                              ((shl_table_list *)list)->first + table};
    shl_table_extent((void *)&l, array->data, array->capacity);
}

#endif
