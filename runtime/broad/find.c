// SPDX-License-Identifier: MIT
// The search itself, and its pairs in canonical order: how many each row has is counted while
// searching, so every pair then knows where to go, and only the partners of one row are left to
// be sorted.
#include "runtime/broad/broad.h"
#include "runtime/steps/radix.h"

#include <string.h>

enum { SMALL = 24, BATCH = 1024 };

shoal_status shl_broad_expect(shl_broad *b, uint32_t searches, uint32_t portion, size_t bytes)
{
    b->scratch_bytes = (bytes + SHL_ALIGN - 1) / SHL_ALIGN * SHL_ALIGN;
    shoal_status st =
        shl_array_reserve(&b->scratch, b->workers * b->scratch_bytes, 0, b->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&b->ends, b->rows * sizeof(uint32_t), 0, b->allocator);
    if (st != SHOAL_OK)
        return st;
    memset(b->ends.data, 0, b->rows * sizeof(uint32_t));
    atomic_store_explicit(&b->found_count, 0, memory_order_relaxed);
    b->searches = searches;
    b->portion = portion;
    b->find_rows = shl_chunk_count(searches, portion);
    b->room_rows = 1;
    return SHOAL_OK;
}

// Notes pairs of places of the tree or the sweep. Those for which there is no room are only
// counted; then the search is run again.
static void keep(shl_broad *b, const shl_row_pair *pairs, uint32_t n)
{
    const uint32_t *ids = b->ids.data;
    _Atomic uint32_t *ends = b->ends.data;
    const bool counting = b->again_rows == 0;
    const uint64_t at = atomic_fetch_add_explicit(&b->found_count, n, memory_order_relaxed);
    const uint64_t room = b->found.capacity / sizeof(uint64_t);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t x = ids[pairs[i].i], y = ids[pairs[i].j];
        const uint32_t a = x < y ? x : y, c = x < y ? y : x;
        if (counting)
            atomic_fetch_add_explicit(&ends[a], 1, memory_order_relaxed);
        if (at + i < room)
            ((uint64_t *)b->found.data)[at + i] = (uint64_t)a << 32 | c;
    }
}

static void find_by_tree(shl_broad *b, shl_span leaves, shl_row_pair *out)
{
    uint32_t n = 0;
    for (uint32_t leaf = leaves.begin; leaf < leaves.end; leaf++) {
        for (uint32_t next = leaf; next < b->tree.blocks[0];) {
            n += b->kernels->tree_pairs(&b->tree, leaf, &next, out + n);
            if (n > SHL_TREE_PAIRS_MAX) { // one more call might not fit
                keep(b, out, n);
                n = 0;
            }
        }
    }
    keep(b, out, n);
}

static void find_by_sweep(shl_broad *b, shl_span rows, uint32_t *hits)
{
    shl_row_pair pairs[BATCH];
    uint32_t n = 0;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const uint32_t found = b->kernels->sweep(&b->sorted, i, hits);
        for (uint32_t h = 0; h < found; h++) {
            pairs[n++] = (shl_row_pair){i, hits[h]};
            if (n == BATCH) {
                keep(b, pairs, n);
                n = 0;
            }
        }
    }
    keep(b, pairs, n);
}

// A row is a portion of the search: how much that is depends on the method.
shoal_status shl_broad_find(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shl_broad *b = ctx;
    void *scratch = (char *)b->scratch.data + worker * b->scratch_bytes;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_span portion = shl_chunk_rows(b->searches, b->portion, i);
        if (b->used == SHOAL_BROAD_SWEEP)
            find_by_sweep(b, portion, scratch);
        else
            find_by_tree(b, portion, scratch);
    }
    return SHOAL_OK;
}

// Room for what was found, and for each row's pairs their place.
shoal_status shl_broad_room(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows, (void)chunk, (void)worker;
    shl_broad *b = ctx;
    const uint64_t n = atomic_load_explicit(&b->found_count, memory_order_relaxed);
    if (n > UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    const bool again = n * sizeof(uint64_t) > b->found.capacity;
    shoal_status st = shl_array_reserve(&b->found, n * sizeof(uint64_t), 0, b->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&b->pairs, n * sizeof(uint64_t), 0, b->allocator);
    if (st != SHOAL_OK)
        return st;
    _Atomic uint32_t *ends = b->ends.data;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < b->rows; i++) {
        const uint32_t count = atomic_load_explicit(&ends[i], memory_order_relaxed);
        atomic_store_explicit(&ends[i], sum, memory_order_relaxed);
        sum += count;
    }
    if (again)
        atomic_store_explicit(&b->found_count, 0, memory_order_relaxed);
    b->again_rows = again ? b->find_rows : 0;
    b->place_rows = (uint32_t)n;
    b->partner_rows = b->rows;
    b->pair_count = n;
    b->known = true; // what is left to do cannot fail
    return SHOAL_OK;
}

// After it ends[row] is where the row's pairs end, and so where those of the next begin.
shoal_status shl_broad_place(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk, (void)worker;
    shl_broad *b = ctx;
    _Atomic uint32_t *ends = b->ends.data;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const uint64_t pair = ((const uint64_t *)b->found.data)[i];
        const uint32_t at =
            atomic_fetch_add_explicit(&ends[pair >> 32], 1, memory_order_relaxed);
        ((uint64_t *)b->pairs.data)[at] = pair;
    }
    return SHOAL_OK;
}

static void sort_pairs(uint64_t *pairs, uint64_t *scratch, size_t n)
{
    if (n > SMALL) {
        shl_radix_sort(pairs, scratch, n, 0);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const uint64_t p = pairs[i];
        size_t j = i;
        for (; j > 0 && pairs[j - 1] > p; j--)
            pairs[j] = pairs[j - 1];
        pairs[j] = p;
    }
}

shoal_status shl_broad_partners(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk, (void)worker;
    shl_broad *b = ctx;
    _Atomic uint32_t *ends = b->ends.data;
    uint32_t begin =
        rows.begin ? atomic_load_explicit(&ends[rows.begin - 1], memory_order_relaxed) : 0;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const uint32_t end = atomic_load_explicit(&ends[i], memory_order_relaxed);
        if (end - begin > 1)
            sort_pairs((uint64_t *)b->pairs.data + begin, (uint64_t *)b->found.data + begin,
                       end - begin);
        begin = end;
    }
    return SHOAL_OK;
}
