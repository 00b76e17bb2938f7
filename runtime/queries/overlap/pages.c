// SPDX-License-Identifier: MIT
// Pages for found pairs: taken by workers during a step, all free again in the next.
#include "runtime/scene/steps.h"

static shl_page *take(shoal_scene *s, shl_walker *worker)
{
    const uint32_t i = atomic_fetch_add_explicit(&s->pages_taken, 1, memory_order_relaxed);
    if (i < s->page_count)
        return ((shl_page **)s->pages.data)[i];
    shl_page *page = shl_alloc(&s->allocator, sizeof *page);
    if (!page)
        return NULL;
    page->extra = worker->extra;
    worker->extra = page;
    return page;
}

shoal_status shl_page_room(shoal_scene *s, shl_walker *worker, shl_found *found, int kind,
                           uint32_t *count, shoal_pair **rows)
{
    if (!worker->page[kind] || worker->page_rows[kind] == SHL_PAGE_ROWS) {
        shl_page *page = take(s, worker);
        if (!page)
            return SHOAL_ERR_MEMORY;
        page->next = NULL;
        if (worker->page[kind])
            worker->page[kind]->next = page;
        worker->page[kind] = page;
        worker->page_rows[kind] = 0;
    }
    const uint32_t row = worker->page_rows[kind], room = SHL_PAGE_ROWS - row;
    *count = *count < room ? *count : room;
    *rows = worker->page[kind]->rows + row;
    if (found->count[kind] == 0) {
        found->page[kind] = worker->page[kind];
        found->begin[kind] = row;
    }
    found->count[kind] += *count;
    worker->page_rows[kind] += *count;
    return SHOAL_OK;
}

shoal_status shl_page_push(shoal_scene *s, shl_walker *worker, shl_found *found, int kind,
                           shoal_pair pair)
{
    uint32_t one = 1;
    shoal_pair *row;
    const shoal_status st = shl_page_room(s, worker, found, kind, &one, &row);
    if (st == SHOAL_OK)
        *row = pair;
    return st;
}

static shoal_status add_ready(shoal_scene *s, shl_page *page)
{
    const size_t n = s->page_count, size = sizeof page;
    shoal_status st = shl_array_reserve(&s->pages, (n + 1) * size, n * size, &s->allocator);
    if (st == SHOAL_OK)
        ((shl_page **)s->pages.data)[s->page_count++] = page;
    return st;
}

// Every worker may leave one page of each kind half full, so a step that finds as much as the
// this one needs at most that many pages more than its rows fill.
static size_t pages_wanted(const shoal_scene *s)
{
    size_t pages = 0;
    for (int kind = 0; kind < SHL_KINDS; kind++) {
        if (s->result_count[kind])
            pages += s->result_count[kind] / SHL_PAGE_ROWS + 1 + s->workers_count;
    }
    if (s->skin.near_count)
        pages += s->skin.near_count / SHL_PAGE_ROWS + 1 + s->workers_count;
    return pages;
}

shoal_status shl_pages_settle(shoal_scene *s)
{
    for (uint32_t i = 0; i < s->workers_count; i++) {
        shl_walker *worker = &s->workers[i];
        while (worker->extra) {
            shl_page *page = worker->extra;
            shoal_status st = add_ready(s, page);
            if (st != SHOAL_OK)
                return st;
            worker->extra = page->extra;
        }
    }
    for (const size_t wanted = pages_wanted(s); s->page_count < wanted;) {
        shl_page *page = shl_alloc(&s->allocator, sizeof *page);
        const shoal_status st = page ? add_ready(s, page) : SHOAL_ERR_MEMORY;
        if (st != SHOAL_OK) {
            shl_free(&s->allocator, page, sizeof *page);
            return st;
        }
    }
    return SHOAL_OK;
}

void shl_pages_begin(shoal_scene *s)
{
    for (uint32_t i = 0; i < s->workers_count; i++) {
        for (int kind = 0; kind < SHL_PAGE_KINDS; kind++)
            s->workers[i].page[kind] = NULL;
    }
    atomic_store_explicit(&s->pages_taken, 0, memory_order_relaxed);
}

void shl_pages_finish(shoal_scene *s)
{
    const shoal_allocator *allocator = &s->allocator;
    for (uint32_t i = 0; s->workers && i < s->workers_count; i++) {
        for (shl_page *page = s->workers[i].extra, *next; page; page = next) {
            next = page->extra;
            shl_free(allocator, page, sizeof *page);
        }
    }
    for (uint32_t i = 0; i < s->page_count; i++)
        shl_free(allocator, ((shl_page **)s->pages.data)[i], sizeof(shl_page));
    shl_array_finish(&s->pages, allocator);
}
