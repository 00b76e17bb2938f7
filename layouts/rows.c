// SPDX-License-Identifier: MIT
#include "layouts/rows.h"

#include <string.h>

_Static_assert(sizeof(shl_page) == SHL_PAGE_BYTES, "a page is a page");

shoal_status shl_rows_init(shl_rows *r, uint32_t row_bytes, uint32_t workers,
                           const shoal_allocator *allocator)
{
    *r = (shl_rows){.allocator = allocator,
                    .row_bytes = row_bytes,
                    .page_rows = (uint32_t)(sizeof((shl_page *)0)->rows / row_bytes),
                    .workers = workers};
    r->ends = shl_zalloc(allocator, workers * sizeof *r->ends);
    return r->ends ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

void shl_rows_finish(shl_rows *r)
{
    for (uint32_t i = 0; r->ends && i < r->workers; i++) {
        for (shl_page *page = r->ends[i].extra, *next; page; page = next) {
            next = page->extra;
            shl_free(r->allocator, page, sizeof *page);
        }
    }
    for (uint32_t i = 0; i < r->page_count; i++)
        shl_free(r->allocator, ((shl_page **)r->pages.data)[i], sizeof(shl_page));
    shl_array_finish(&r->pages, r->allocator);
    if (r->ends)
        shl_free(r->allocator, r->ends, r->workers * sizeof *r->ends);
    r->ends = NULL;
    r->page_count = 0;
}

void shl_rows_begin(shl_rows *r)
{
    for (uint32_t i = 0; i < r->workers; i++)
        r->ends[i].page = NULL;
    atomic_store_explicit(&r->taken, 0, memory_order_relaxed);
}

static shl_page *take(shl_rows *r, shl_rows_end *end)
{
    const uint32_t i = atomic_fetch_add_explicit(&r->taken, 1, memory_order_relaxed);
    if (i < r->page_count)
        return ((shl_page **)r->pages.data)[i];
    shl_page *page = shl_alloc(r->allocator, sizeof *page);
    if (!page)
        return NULL;
    page->extra = end->extra;
    end->extra = page;
    return page;
}

void *shl_rows_append(shl_rows *r, uint32_t worker, shl_run *run, uint32_t *count)
{
    shl_rows_end *end = &r->ends[worker];
    if (!end->page || end->filled == r->page_rows) {
        shl_page *page = take(r, end);
        if (!page)
            return NULL;
        page->next = NULL;
        if (end->page)
            end->page->next = page;
        end->page = page;
        end->filled = 0;
    }
    const uint32_t left = r->page_rows - end->filled;
    *count = *count < left ? *count : left;
    char *rows = end->page->rows + (size_t)end->filled * r->row_bytes;
    if (run->count == 0) {
        run->page = end->page;
        run->begin = end->filled;
    }
    run->count += *count;
    end->filled += *count;
    return rows;
}

static shoal_status add_ready(shl_rows *r, shl_page *page)
{
    const shoal_status st =
        shl_array_append(&r->pages, r->page_count, &page, sizeof page, r->allocator);
    r->page_count += st == SHOAL_OK;
    return st;
}

shoal_status shl_rows_reserve_next(shl_rows *r, size_t count)
{
    for (uint32_t i = 0; i < r->workers; i++) {
        while (r->ends[i].extra) {
            shl_page *page = r->ends[i].extra;
            const shoal_status st = add_ready(r, page);
            if (st != SHOAL_OK)
                return st;
            r->ends[i].extra = page->extra;
        }
    }
    // every worker may leave a page half full
    const size_t wanted = count ? count / r->page_rows + 1 + r->workers : 0;
    while (r->page_count < wanted) {
        shl_page *page = shl_alloc(r->allocator, sizeof *page);
        const shoal_status st = page ? add_ready(r, page) : SHOAL_ERR_MEMORY;
        if (st != SHOAL_OK) {
            shl_free(r->allocator, page, sizeof *page);
            return st;
        }
    }
    return SHOAL_OK;
}

void shl_rows_copy(const shl_rows *r, const shl_run *run, void *to)
{
    char *out = to;
    const shl_page *page = run->page;
    size_t left = run->count, row = run->begin;
    for (; left; page = page->next, row = 0) {
        const size_t n = left < r->page_rows - row ? left : r->page_rows - row;
        memcpy(out, page->rows + row * r->row_bytes, n * r->row_bytes);
        out += n * r->row_bytes;
        left -= n;
    }
}

void shl_rows_each(const shl_rows *r, shl_each_memory_fn *each, void *ctx)
{
    each(ctx, r->pages.data, r->pages.capacity);
    for (uint32_t i = 0; i < r->page_count; i++)
        each(ctx, ((shl_page *const *)r->pages.data)[i], sizeof(shl_page));
    for (uint32_t i = 0; i < r->workers; i++) {
        for (const shl_page *page = r->ends[i].extra; page; page = page->extra)
            each(ctx, page, sizeof *page);
    }
}
