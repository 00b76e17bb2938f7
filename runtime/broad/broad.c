// SPDX-License-Identifier: MIT
// Which method finds the pairs, and the jobs they are made of.
#include "runtime/broad/broad.h"

#include <shoal/study.h>
#include <string.h>

// Where each ceases to be the fastest, by shoal bench L5.
enum { BRUTE_MAX = 64, SWEEP_MAX = 4096, MERGE_ROWS = 64 };

uint32_t shl_broad_arrays(shl_broad *b, shl_array *out[SHL_BROAD_ARRAYS])
{
    shl_incremental *s = &b->incremental;
    shl_array *const all[] = {
        &b->boxes,   &b->pairs,   &b->counts,  &b->items, &b->keys,      &b->ids,
        &b->blocks,  &b->columns, &b->scratch, &b->found, &b->slab_keys, &s->ends[0],
        &s->ends[1], &s->ends[2], &s->boxes,   &s->added, &s->removed,
    };
    _Static_assert(sizeof all / sizeof *all == SHL_BROAD_ARRAYS, "arrays were added");
    memcpy(out, all, sizeof all);
    return SHL_BROAD_ARRAYS;
}

void shl_broad_finish(shl_broad *b)
{
    shl_array *arrays[SHL_BROAD_ARRAYS];
    for (uint32_t i = 0; i < shl_broad_arrays(b, arrays); i++)
        shl_array_finish(arrays[i], b->allocator);
}

static const shl_box nothing = {{1, 1, 1}, {0, 0, 0}};

shoal_status shl_broad_reserve(shl_broad *b, uint32_t rows)
{
    shoal_status st = shl_array_reserve(&b->boxes, rows * sizeof(shl_box),
                                        b->rows * sizeof(shl_box), b->allocator);
    for (uint32_t i = b->rows; i < rows && st == SHOAL_OK; i++)
        shl_broad_boxes(b)[i] = nothing;
    if (st == SHOAL_OK)
        b->rows = rows;
    return st;
}

static bool same_box(const shl_box *x, const shl_box *y)
{
    bool same = true;
    for (int k = 0; k < 3; k++)
        same &= x->lo[k] == y->lo[k] && x->hi[k] == y->hi[k];
    return same;
}

void shl_broad_set(shl_broad *b, uint32_t row, const shl_box *box)
{
    shl_box *to = &shl_broad_boxes(b)[row];
    const shl_box *from = box ? box : &nothing;
    if (same_box(to, from))
        return;
    *to = *from;
    atomic_store_explicit(&b->changed, true, memory_order_relaxed);
}

// A single box has no tree, and no neighbour.
static shoal_status make_tree(shl_broad *b)
{
    const shoal_status st = b->live > 1 ? shl_broad_tree(b) : SHOAL_OK;
    b->find_rows = b->capacity_rows = 0;
    return st;
}

static shoal_status search(shl_broad *b)
{
    bool done = true;
    if (b->tree_only)
        return make_tree(b);
    if (b->used == SHOAL_BROAD_INCREMENTAL) {
        shoal_status st = shl_incremental_update(b, &done);
        b->known = st == SHOAL_OK && done;
        if (st != SHOAL_OK || done)
            return st;
        b->used = SHOAL_BROAD_TREE;
    }
    if (b->used != SHOAL_BROAD_BRUTE && b->live > 1)
        return b->used == SHOAL_BROAD_SWEEP ? shl_broad_sweep(b) : shl_broad_tree(b);
    const shoal_status st = shl_broad_brute(b);
    b->known = st == SHOAL_OK;
    return st;
}

// Small sets and the incremental method are done here; others only get ready.
static shoal_status begin(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_broad *b = ctx;
    b->slab_rows = b->order_rows = b->merge_rows = b->level_rows = 0;
    b->find_rows = b->capacity_rows = b->refind_rows = b->pair_rows = b->bucket_rows = 0;
    if (!b->wanted)
        return SHOAL_OK;
    const bool changed = atomic_exchange_explicit(&b->changed, false, memory_order_relaxed);
    if (b->known && !changed)
        return SHOAL_OK;
    b->kept = b->known;
    b->known = false;
    b->live = 0;
    for (uint32_t i = 0; i < b->rows; i++)
        b->live += shl_broad_live(&shl_broad_boxes(b)[i]);
    b->used = b->method != SHOAL_BROAD_AUTO ? b->method
              : b->live <= BRUTE_MAX        ? SHOAL_BROAD_BRUTE
              : b->live <= SWEEP_MAX        ? SHOAL_BROAD_SWEEP
                                            : SHOAL_BROAD_TREE;
    return search(b);
}

shoal_status shl_broad_tree_jobs(shl_broad *b, shl_graph *graph, uint64_t table, uint32_t phase,
                                 const char *const names[SHL_BROAD_TREE_JOBS])
{
    const shl_job_desc jobs[SHL_BROAD_TREE_JOBS] = {
        {names[0], begin, .writes = table},
        {names[1], shl_broad_count, &b->slab_rows, SHL_BROAD_ROWS, .writes = table},
        {names[2], shl_broad_offsets, &b->level_rows, .writes = table},
        {names[3], shl_broad_spread, &b->slab_rows, SHL_BROAD_ROWS, .writes = table},
        {names[4], shl_broad_order, &b->order_rows, 1, .writes = table},
        {names[5], shl_broad_merge, &b->merge_rows, MERGE_ROWS, .writes = table},
        {names[6], shl_broad_levels, &b->level_rows, .writes = table},
    };
    return SHL_DECLARE(graph, jobs, .ctx = b, .phase = phase);
}

shoal_status shl_broad_jobs(shl_broad *b, shl_graph *graph, uint64_t table, uint32_t phase)
{
    static const char *const names[SHL_BROAD_TREE_JOBS] = {
        "broad_begin", "broad_count", "broad_offsets", "broad_spread",
        "broad_order", "broad_merge", "broad_levels"};
    const shl_job_desc jobs[] = {
        {"broad_find", shl_broad_find, &b->find_rows, 1, .reads = b->meet_reads,
         .writes = table},
        {"broad_capacity", shl_broad_capacity, &b->capacity_rows, .writes = table},
        // only if the list was too short for all that was found
        {"broad_refind", shl_broad_find, &b->refind_rows, 1, .reads = b->meet_reads,
         .writes = table},
        {"broad_histogram", shl_broad_histogram, &b->pair_rows, SHL_BROAD_ROWS,
         .writes = table},
        {"broad_buckets", shl_broad_buckets, &b->capacity_rows, .writes = table},
        {"broad_scatter", shl_broad_scatter, &b->pair_rows, SHL_BROAD_ROWS, .writes = table},
        {"broad_sort", shl_broad_sort, &b->bucket_rows, 1, .writes = table},
    };
    const shoal_status st = shl_broad_tree_jobs(b, graph, table, phase, names);
    if (st != SHOAL_OK)
        return st;
    return SHL_DECLARE(graph, jobs, .ctx = b, .phase = phase);
}
