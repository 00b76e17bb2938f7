// SPDX-License-Identifier: MIT
// The search itself, and its pairs in canonical order: first into buckets by the first row,
// then sorted within each.
#include "layouts/radix.h"
#include "runtime/broad/broad.h"

#include <string.h>

enum { BATCH = 1024, FEW = 8192 }; // so few pairs are one bucket

shoal_status shl_broad_expect(shl_broad *b, uint32_t searches, uint32_t portion, size_t bytes)
{
    b->scratch_bytes = (bytes + SHL_ALIGN - 1) / SHL_ALIGN * SHL_ALIGN;
    shoal_status st =
        shl_array_reserve(&b->scratch, b->workers * b->scratch_bytes, 0, b->allocator);
    if (st != SHOAL_OK)
        return st;
    atomic_store_explicit(&b->found_count, 0, memory_order_relaxed);
    b->searches = searches;
    b->portion = portion;
    b->find_rows = shl_chunk_count(searches, portion);
    b->capacity_rows = 1;
    return SHOAL_OK;
}

// Without the pairs of rows that may not meet.
static uint32_t drop_apart(const shl_broad *b, shl_row_pair *pairs, uint32_t n)
{
    const uint32_t *ids = b->ids.data;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (b->meet(b->meet_ctx, ids[pairs[i].i], ids[pairs[i].j]))
            pairs[kept++] = pairs[i];
    }
    return kept;
}

// Appends pairs of slots of the tree or the sweep. If they do not all fit, the
// search is run again when their number is known.
static void append_pairs(shl_broad *b, shl_row_pair *pairs, uint32_t n)
{
    const uint32_t *ids = b->ids.data;
    n = b->meet ? drop_apart(b, pairs, n) : n;
    const uint64_t at = atomic_fetch_add_explicit(&b->found_count, n, memory_order_relaxed);
    if (n == 0 || at + n > b->found.capacity / sizeof(uint64_t))
        return;
    uint64_t *found = (uint64_t *)b->found.data + at;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t x = ids[pairs[i].i], y = ids[pairs[i].j];
        found[i] = x < y ? x << 32 | y : y << 32 | x;
    }
}

static void find_by_tree(shl_broad *b, shl_chunk leaves, shl_row_pair *out)
{
    uint32_t n = 0;
    for (uint32_t leaf = leaves.begin; leaf < leaves.end; leaf++) {
        for (uint32_t next = leaf; next < b->tree.blocks[0];) {
            n += b->kernels->tree_pairs(&b->tree, leaf, &next, out + n);
            if (n > SHL_TREE_PAIRS_MAX) { // one more call might not fit
                append_pairs(b, out, n);
                n = 0;
            }
        }
    }
    append_pairs(b, out, n);
}

static void find_by_sweep(shl_broad *b, shl_chunk rows, uint32_t *hits)
{
    shl_row_pair pairs[BATCH];
    uint32_t n = 0;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const uint32_t found = b->kernels->sweep(&b->sorted, i, hits);
        for (uint32_t h = 0; h < found; h++) {
            pairs[n++] = (shl_row_pair){i, hits[h]};
            if (n == BATCH) {
                append_pairs(b, pairs, n);
                n = 0;
            }
        }
    }
    append_pairs(b, pairs, n);
}

// A row is a portion of the search: how much that is depends on the method.
shoal_status shl_broad_find(void *ctx, shl_chunk rows)
{
    shl_broad *b = ctx;
    void *scratch = (char *)b->scratch.data + rows.worker * b->scratch_bytes;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_chunk portion = shl_chunk_rows(b->searches, b->portion, i);
        if (b->used == SHOAL_BROAD_SWEEP)
            find_by_sweep(b, portion, scratch);
        else
            find_by_tree(b, portion, scratch);
    }
    return SHOAL_OK;
}

// Room for what was found.
shoal_status shl_broad_capacity(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_broad *b = ctx;
    const uint64_t n = atomic_load_explicit(&b->found_count, memory_order_relaxed);
    if (n > UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    const bool again = n * sizeof(uint64_t) > b->found.capacity;
    b->bucket_shift = 0;
    while ((b->rows - 1) >> b->bucket_shift >= (n < FEW ? 1 : SHL_BROAD_BUCKETS))
        b->bucket_shift++;
    b->bucket_rows = n ? ((b->rows - 1) >> b->bucket_shift) + 1 : 0;
    const size_t chunks = shl_chunk_count((uint32_t)n, SHL_BROAD_ROWS);
    shoal_status st = SHL_RESERVE(b->allocator, {&b->found, n * sizeof(uint64_t)},
                                  {&b->pairs, n * sizeof(uint64_t)},
                                  {&b->counts, chunks * b->bucket_rows * sizeof(uint32_t)});
    if (st != SHOAL_OK)
        return st;
    if (again)
        atomic_store_explicit(&b->found_count, 0, memory_order_relaxed);
    b->refind_rows = again ? b->find_rows : 0;
    b->pair_rows = (uint32_t)n;
    b->pair_count = n;
    return SHOAL_OK;
}

// How many pairs of a chunk go into each bucket.
shoal_status shl_broad_histogram(void *ctx, shl_chunk rows)
{
    shl_broad *b = ctx;
    const uint64_t *found = b->found.data;
    uint32_t *counts = (uint32_t *)b->counts.data + (size_t)rows.chunk * b->bucket_rows;
    memset(counts, 0, b->bucket_rows * sizeof *counts);
    for (uint32_t i = rows.begin; i < rows.end; i++)
        counts[found[i] >> 32 >> b->bucket_shift]++;
    return SHOAL_OK;
}

void shl_broad_begins(uint32_t *counts, uint32_t chunks, uint32_t bins, uint32_t *begin)
{
    uint32_t sum = 0;
    for (uint32_t p = 0; p < bins; p++) {
        begin[p] = sum;
        for (uint32_t c = 0; c < chunks; c++) {
            const uint32_t n = counts[(size_t)c * bins + p];
            counts[(size_t)c * bins + p] = sum;
            sum += n;
        }
    }
    begin[bins] = sum;
}

shoal_status shl_broad_buckets(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_broad *b = ctx;
    shl_broad_begins(b->counts.data, shl_chunk_count(b->pair_rows, SHL_BROAD_ROWS),
                     b->bucket_rows, b->bucket_begin);
    return SHOAL_OK;
}

shoal_status shl_broad_scatter(void *ctx, shl_chunk rows)
{
    shl_broad *b = ctx;
    const uint64_t *found = b->found.data;
    uint32_t *at = (uint32_t *)b->counts.data + (size_t)rows.chunk * b->bucket_rows;
    for (uint32_t i = rows.begin; i < rows.end; i++)
        ((uint64_t *)b->pairs.data)[at[found[i] >> 32 >> b->bucket_shift]++] = found[i];
    return SHOAL_OK;
}

shoal_status shl_broad_sort(void *ctx, shl_chunk rows)
{
    shl_broad *b = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const uint32_t begin = b->bucket_begin[i];
        shl_radix_sort((uint64_t *)b->pairs.data + begin, (uint64_t *)b->found.data + begin,
                       b->bucket_begin[i + 1] - begin, 0);
    }
    return SHOAL_OK;
}
