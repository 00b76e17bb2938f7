// SPDX-License-Identifier: MIT
// Lists that many workers append to at once. Rows of one size stand in pages that workers take
// as they need them, so who finds how much may change from step to step without anyone
// allocating; what one chunk of a job appends is a run, and runs in the order of their chunks
// are the list.
#ifndef SHL_LAYOUTS_ROWS_H
#define SHL_LAYOUTS_ROWS_H

#include "layouts/memory.h"

#include <stdatomic.h>

enum { SHL_PAGE_BYTES = 4096 };

typedef struct shl_page {
    struct shl_page *next;  // where the same worker went on
    struct shl_page *extra; // the worker's next extra page
    char rows[SHL_PAGE_BYTES - 2 * sizeof(void *)];
} shl_page;

// Where a worker is.
typedef struct shl_rows_end {
    _Alignas(128) shl_page *page; // being filled
    uint32_t filled;              // rows of it
    shl_page *extra;              // allocated since the last begin: there was no page left
} shl_rows_end;

typedef struct shl_rows {
    const shoal_allocator *allocator;
    uint32_t row_bytes;
    uint32_t page_rows;
    uint32_t workers;
    shl_rows_end *ends; // [workers]
    shl_array pages;    // shl_page *[page_count], ready to be taken
    uint32_t page_count;
    _Atomic uint32_t taken;
} shl_rows;

// Rows that one chunk appended, in a chain of pages.
typedef struct shl_run {
    shl_page *page;
    uint32_t begin; // first row in that page
    size_t count;
    size_t offset; // in the list, after shl_runs_scan()
} shl_run;

SHOAL_CHECK shoal_status shl_rows_init(shl_rows *rows, uint32_t row_bytes, uint32_t workers,
                                       const shoal_allocator *allocator);
void shl_rows_finish(shl_rows *rows);

// All pages are free again.
void shl_rows_begin(shl_rows *rows);

// Room for up to *count rows behind those of the run, at least one; the caller fills all that
// it gets. NULL: no memory.
void *shl_rows_append(shl_rows *rows, uint32_t worker, shl_run *run, uint32_t *count);

// Once all is appended: keeps extra pages, and has as many ready as another such list of
// `count` rows may need.
SHOAL_CHECK shoal_status shl_rows_reserve_next(shl_rows *rows, size_t count);

// Copies a run.
void shl_rows_copy(const shl_rows *rows, const shl_run *run, void *to);

// Calls `each` for all memory it holds.
typedef void shl_each_memory_fn(void *ctx, const void *memory, size_t bytes);
void shl_rows_each(const shl_rows *rows, shl_each_memory_fn *each, void *ctx);

#endif
