// SPDX-License-Identifier: MIT
// The result hash: sums over the rows of each list, in chunks, then one chain over the lists.
// <shoal/results.h> has the definition.
#ifndef SHL_RUNTIME_SCENE_HASH_H
#define SHL_RUNTIME_SCENE_HASH_H

#include "runtime/jobs/graph.h"

#include <shoal/results.h>

// The sum over [count] rows of a list, modulo 2^64.
typedef uint64_t shl_row_sum_fn(uint64_t seed, const void *rows, size_t count);
shl_row_sum_fn shl_sum_pairs, shl_sum_hits, shl_sum_contacts, shl_sum_nearest, shl_sum_bodies;

uint64_t shl_list_front(uint32_t list);

enum { SHL_SUMS_MAX = 8, SHL_SUM_GRAIN = 4096 }; // lists of a query; rows per chunk

// A list of results as whoever sums it sees it.
typedef struct shl_summed_list {
    uint32_t number; // as documented; never given to another list
    bool asked;      // else it adds nothing to the hash
    const void *rows;
    size_t count, row_bytes;
    shl_row_sum_fn *sum;
} shl_summed_list;

typedef struct shl_list_sum {
    uint32_t number;
    uint64_t count, sum;
} shl_list_sum;

// A query's lists and their sums, one for each chunk of a list.
typedef struct shl_sums {
    shl_summed_list list[SHL_SUMS_MAX];
    uint32_t count;
    uint32_t rows;   // of the job
    shl_array chunk; // uint64_t [rows]
} shl_sums;

// Once the lists' lengths are known, in each step.
SHOAL_CHECK shoal_status shl_sums_plan(shl_sums *sums, const shl_summed_list *lists,
                                       uint32_t count, const shoal_allocator *allocator);

// The job; its context are the sums.
shl_job_fn shl_sums_run;

// The sums of the lists that were asked for; returns how many.
uint32_t shl_sums_total(const shl_sums *sums, shl_list_sum *out);

// The chain over the sums of all lists, in the order of their numbers; sorts them.
uint64_t shl_hash_chain(shl_list_sum *sums, uint32_t count);

#endif
