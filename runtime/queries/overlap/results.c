// SPDX-License-Identifier: MIT
// From what the chunks found to results: scan, copy, sort, hash.
#include "runtime/queries/overlap/overlap.h"

#include <string.h>

static shl_found *found_row(const shl_overlap *o, uint32_t chunk)
{
    return (shl_found *)o->found.data + chunk;
}

// Rows that were found. If they are too many, none is a result.
static uint64_t count_found(const shl_overlap *o, int list, size_t kept)
{
    const uint64_t all = shl_overlap_bounded(o, list)
                             ? atomic_load_explicit(&o->emitted[list], memory_order_relaxed)
                             : kept;
    for (uint32_t i = 0; i < o->found_count && all > shl_overlap_max(o, list); i++)
        found_row(o, i)->run[list] = (shl_run){0};
    return all;
}

// What of the results goes into the hash, but for hits, which are not known yet.
static shoal_status plan_sums(shl_overlap *o)
{
    static const uint32_t number[SHL_RESULT_LISTS] = {0, 2},
                          query[SHL_RESULT_LISTS] = {SHOAL_QUERY_PAIRS, SHOAL_QUERY_SELF};
    shl_summed_list lists[SHL_RESULT_LISTS];
    for (int i = 0; i < SHL_RESULT_LISTS; i++)
        lists[i] = (shl_summed_list){.number = number[i],
                                     .asked = o->queries & query[i],
                                     .rows = o->result[i].data,
                                     .count = o->result_count[i],
                                     .row_bytes = sizeof(shoal_pair),
                                     .sum = shl_sum_pairs};
    return shl_sums_plan(&o->sums, lists, SHL_RESULT_LISTS, o->ports->allocator);
}

// Each chunk's offset in the results; memory for all of them.
shoal_status shl_overlap_run_scan(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_overlap *o = ctx;
    const shoal_allocator *allocator = o->ports->allocator;
    for (int list = 0; list < SHL_RESULT_LISTS; list++) {
        size_t sum = 0;
        for (uint32_t i = 0; i < o->found_count; i++) {
            shl_run *run = &found_row(o, i)->run[list];
            run->offset = sum;
            sum += run->count;
        }
        o->total[list] = count_found(o, list, sum);
        sum = o->total[list] > shl_overlap_max(o, list) ? 0 : sum;
        const size_t bytes = sum * sizeof(shoal_pair);
        shoal_status st =
            SHL_RESERVE(allocator, {&o->result[list], bytes}, {&o->sorting[list], bytes});
        if (st == SHOAL_OK)
            st = shl_rows_reserve_next(&o->rows[list], sum);
        if (st != SHOAL_OK)
            return st;
        o->result_count[list] = sum;
    }
    const shoal_status st =
        shl_rows_reserve_next(&o->rows[SHL_LIST_ENTRIES], o->list.entry_count);
    return st == SHOAL_OK ? plan_sums(o) : st;
}

shoal_status shl_overlap_run_collect(void *ctx, shl_chunk rows)
{
    const shl_overlap *o = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        for (int list = 0; list < SHL_RESULT_LISTS; list++) {
            const shl_run *run = &found_row(o, i)->run[list];
            if (run->count) // perhaps no result has memory yet
                shl_rows_copy(&o->rows[list], run,
                              (shoal_pair *)o->result[list].data + run->offset);
        }
    }
    return SHOAL_OK;
}

// The frontier is in the order of body_a, so the results already are; only rows of one body_a
// are still to be sorted among themselves.
shoal_status shl_overlap_run_groups(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_overlap *o = ctx;
    o->group_count = 0;
    for (uint32_t list = 0; list < SHL_RESULT_LISTS; list++) {
        const shoal_pair *pairs = o->result[list].data;
        for (size_t begin = 0, end; begin < o->result_count[list]; begin = end) {
            for (end = begin + 1; end < o->result_count[list]; end++) {
                if (pairs[end].body_a != pairs[begin].body_a)
                    break;
            }
            const size_t n = o->group_count, size = sizeof(shl_group);
            const shoal_status st =
                shl_array_reserve(&o->groups, (n + 1) * size, n * size, o->ports->allocator);
            if (st != SHOAL_OK)
                return st;
            ((shl_group *)o->groups.data)[o->group_count++] = (shl_group){list, begin, end};
        }
    }
    return SHOAL_OK;
}

shoal_status shl_overlap_run_sort(void *ctx, shl_chunk rows)
{
    const shl_overlap *o = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_group *g = (const shl_group *)o->groups.data + i;
        shl_sort_pairs((shoal_pair *)o->result[g->list].data + g->begin,
                       (shoal_pair *)o->sorting[g->list].data + g->begin, g->end - g->begin);
    }
    return SHOAL_OK;
}

static shoal_status push_hit(shl_overlap *o, shoal_pair hit)
{
    const size_t size = sizeof hit, n = o->hit_count;
    if (++o->total[SHL_TOTAL_HITS] > shl_overlap_max(o, SHL_TOTAL_HITS))
        return SHOAL_OK;
    const shoal_status st =
        shl_array_reserve(&o->hits, (n + 1) * size, n * size, o->ports->allocator);
    if (st == SHOAL_OK)
        ((shoal_pair *)o->hits.data)[o->hit_count++] = hit;
    return st;
}

// Pairs are sorted, so each of the list finds its row by bisection.
static void take_witnesses(const shl_overlap *o)
{
    shl_overlap_pair *pairs = shl_overlap_pairs(o);
    const shoal_pair *found = o->result[SHL_PAIRS].data;
    for (size_t i = 0; i < o->result_count[SHL_PAIRS]; i++) {
        const uint64_t key = (uint64_t)found[i].body_a << 32 | found[i].body_b;
        uint32_t low = 0, high = o->between;
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (((uint64_t)pairs[middle].a << 32 | pairs[middle].b) < key)
                low = middle + 1;
            else
                high = middle;
        }
        if (!atomic_exchange_explicit(&pairs[low].hit, 1, memory_order_relaxed)) {
            pairs[low].hit_a = found[i].triangle_a;
            pairs[low].hit_b = found[i].triangle_b;
        }
    }
}

// One witness a body pair: found on the way, or taken from the full list.
shoal_status shl_overlap_run_hits(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_overlap *o = ctx;
    o->hit_count = 0;
    if (!(o->queries & SHOAL_QUERY_FIRST))
        return SHOAL_OK;
    if (o->queries & SHOAL_QUERY_PAIRS)
        take_witnesses(o);
    const shl_overlap_pair *pairs = shl_overlap_pairs(o);
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < o->between && !st; i++) {
        if (atomic_load_explicit(&pairs[i].hit, memory_order_relaxed))
            st = push_hit(o,
                          (shoal_pair){pairs[i].a, pairs[i].hit_a, pairs[i].b, pairs[i].hit_b});
    }
    return st;
}
