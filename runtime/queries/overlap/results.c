// SPDX-License-Identifier: MIT
// From what the chunks found to results: place, copy, sort, hash.
#include "runtime/scene/hash.h"
#include "runtime/scene/steps.h"

#include <string.h>

// Each chunk's place in the results; room for all of them.
shoal_status shl_run_scan(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    for (int kind = 0; kind < SHL_KINDS; kind++) {
        size_t sum = 0;
        for (uint32_t i = 0; i < s->found_count; i++) {
            shl_found *f = (shl_found *)s->found.data + i;
            f->offset[kind] = sum;
            sum += f->count[kind];
        }
        const size_t bytes = sum * sizeof(shoal_pair);
        shoal_status st = shl_array_reserve(&s->result[kind], bytes, 0, &s->allocator);
        if (st == SHOAL_OK)
            st = shl_array_reserve(&s->scratch[kind], bytes, 0, &s->allocator);
        if (st != SHOAL_OK)
            return st;
        s->result_count[kind] = sum;
    }
    shoal_status st = shl_pages_settle(s);
    return st == SHOAL_OK ? shl_plan_sums(s, SHL_SUM_PAIRS) : st;
}

void shl_found_copy(const shl_found *f, int kind, void *out)
{
    shoal_pair *to = out;
    const shl_page *page = f->page[kind];
    size_t left = f->count[kind], row = f->begin[kind];
    for (; left; page = page->next, row = 0) {
        const size_t n = left < SHL_PAGE_ROWS - row ? left : SHL_PAGE_ROWS - row;
        memcpy(to, page->rows + row, n * sizeof *to);
        to += n;
        left -= n;
    }
}

shoal_status shl_run_collect(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_found *f = (const shl_found *)s->found.data + i;
        for (int kind = 0; kind < SHL_KINDS; kind++) {
            if (f->count[kind]) // perhaps no result has memory yet
                shl_found_copy(f, kind, (shoal_pair *)s->result[kind].data + f->offset[kind]);
        }
    }
    return SHOAL_OK;
}

// Seeds are in the order of body_a, so the results already are; only rows of one body_a are
// still to be sorted among themselves.
shoal_status shl_run_group(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    s->group_count = 0;
    for (uint32_t kind = 0; kind < SHL_KINDS; kind++) {
        const shoal_pair *pairs = s->result[kind].data;
        for (size_t begin = 0, end; begin < s->result_count[kind]; begin = end) {
            for (end = begin + 1; end < s->result_count[kind]; end++) {
                if (pairs[end].body_a != pairs[begin].body_a)
                    break;
            }
            const size_t n = s->group_count, size = sizeof(shl_group);
            shoal_status st =
                shl_array_reserve(&s->groups, (n + 1) * size, n * size, &s->allocator);
            if (st != SHOAL_OK)
                return st;
            ((shl_group *)s->groups.data)[s->group_count++] = (shl_group){kind, begin, end};
        }
    }
    return SHOAL_OK;
}

shoal_status shl_run_sort(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_group *g = (const shl_group *)s->groups.data + i;
        shl_sort_pairs((shoal_pair *)s->result[g->kind].data + g->begin,
                       (shoal_pair *)s->scratch[g->kind].data + g->begin, g->end - g->begin);
    }
    return SHOAL_OK;
}

static shoal_status push_hit(shoal_scene *s, shoal_pair hit)
{
    const size_t size = sizeof hit, n = s->hit_count;
    shoal_status st = shl_array_reserve(&s->hits, (n + 1) * size, n * size, &s->allocator);
    if (st == SHOAL_OK)
        ((shoal_pair *)s->hits.data)[s->hit_count++] = hit;
    return st;
}

// One witness a body pair: found on the way, or taken from the full list.
static shoal_status list_hits(shoal_scene *s)
{
    s->hit_count = 0;
    if (!(s->queries & SHOAL_QUERY_FIRST))
        return SHOAL_OK;
    shl_body_pair *pairs = s->body_pairs.data;
    if (s->queries & SHOAL_QUERY_PAIRS) {
        // body_pairs are sorted, so each pair of the list finds its row by bisection
        const shoal_pair *found = s->result[SHL_PAIRS].data;
        for (size_t i = 0; i < s->result_count[SHL_PAIRS]; i++) {
            const uint64_t key = (uint64_t)found[i].body_a << 32 | found[i].body_b;
            uint32_t low = 0, high = (uint32_t)s->stats.body_pairs;
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
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < s->stats.body_pairs && !st; i++) {
        if (atomic_load_explicit(&pairs[i].hit, memory_order_relaxed))
            st = push_hit(s,
                          (shoal_pair){pairs[i].a, pairs[i].hit_a, pairs[i].b, pairs[i].hit_b});
    }
    return st;
}

static shoal_status list_bad(shoal_scene *s)
{
    s->bad_count = 0;
    for (uint32_t i = 0; i < s->body_count; i++) {
        const shl_free_body *b = &shl_bodies(s)[i];
        if (!b->model || b->source == SHL_SOURCE_NONE || !b->bad)
            continue;
        shoal_status st = shl_array_reserve(&s->bad, (s->bad_count + 1) * sizeof(uint32_t),
                                            s->bad_count * sizeof(uint32_t), &s->allocator);
        if (st != SHOAL_OK)
            return st;
        ((uint32_t *)s->bad.data)[s->bad_count++] = i;
    }
    return SHOAL_OK;
}

shoal_status shl_run_hash(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    shoal_status st = list_hits(s);
    if (st == SHOAL_OK)
        st = list_bad(s);
    if (st != SHOAL_OK)
        return st;
    shl_hash_lists(s);
    return SHOAL_OK;
}
