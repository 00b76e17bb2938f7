// SPDX-License-Identifier: MIT
// Pairs of triangles that the neighbour list names.
#include "runtime/queries/overlap/search.h"
#include "runtime/traverse/eval_cache.h"

static bool evaluated(const shl_search *w)
{
    return (w->a.flags | w->b.flags) & SHL_VIEW_EVALUATED;
}

// The row of a triangle of the list; the eval cache has room for its leaf.
static uint32_t present(const shl_search *w, const shl_view *v, uint32_t name)
{
    if (!shl_view_is(v, SHL_VIEW_EVALUATED))
        return name;
    return SHL_LANES * v->kind->evaluate(v, name / SHL_LANES, w->scratch) + name % SHL_LANES;
}

static shl_tri_pair present_pair(const shl_search *w, const shl_list_entry *entries)
{
    return (shl_tri_pair){present(w, &w->a, entries->a), present(w, &w->b, entries->b)};
}

static bool cache_full(const shl_search *w)
{
    return evaluated(w) && shl_eval_full(w->scratch->eval, 2);
}

// How far the triangles of some rows of a new list may move before they can touch.
static void measure_slack(shl_search *w, shl_list_entry *entries, uint32_t count)
{
    float slack[SHL_LIST_GRAIN];
    shl_tri_pair *list = w->own->candidates;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        if (cache_full(w))
            shl_eval_drop_leaves(w->scratch->eval);
        for (end = begin; end < count && !cache_full(w); end++)
            list[end - begin] = present_pair(w, &entries[end]);
        w->a.kernels->tri_slack(&w->side_a, &w->side_b, list, end - begin, slack);
        for (uint32_t i = begin; i < end; i++)
            entries[i].slack = slack[i - begin];
    }
}

// Rows from `begin` on that may touch by now become candidates; returns where it stopped.
static uint32_t collect_candidates(shl_search *w, const shl_list_entry *entries, uint32_t begin,
                                   uint32_t end)
{
    const float displacement = w->overlap->list.displacement_most;
    shl_tri_pair *list = w->own->candidates;
    uint32_t kept = 0, i = begin;
    if (!evaluated(w)) {
        for (; i < end; i++) {
            list[kept] = (shl_tri_pair){entries[i].a, entries[i].b};
            kept += !(entries[i].slack > displacement);
        }
    }
    for (; i < end && !cache_full(w); i++) {
        if (!(entries[i].slack > displacement))
            list[kept++] = present_pair(w, &entries[i]);
    }
    w->candidate_count = kept;
    return i;
}

// Rows of one body pair.
static shoal_status test_rows(shl_search *w, const shl_list_entry *entries, uint32_t count)
{
    const uint32_t batch = w->only_first ? SHL_FIRST_BATCH : SHL_LIST_GRAIN;
    shoal_status st = SHOAL_OK;
    for (uint32_t at = 0; at < count && !st && !shl_search_decided(w);) {
        if (cache_full(w))
            shl_eval_drop_leaves(w->scratch->eval);
        at = collect_candidates(w, entries, at, count - at < batch ? count : at + batch);
        if (w->candidate_count)
            st = shl_search_flush(w);
    }
    return st;
}

// Tests what the list names: no boxes, no trees.
shoal_status shl_list_run_test(void *ctx, shl_chunk rows)
{
    shl_overlap *o = ctx;
    shl_search w = {.overlap = o,
                    .own = &o->scratch[rows.worker],
                    .scratch = &o->ports->scratch[rows.worker],
                    .found = (shl_found *)o->found.data + rows.chunk};
    *w.found = (shl_found){0};
    shl_list_entry *entries = o->list.entries.data;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = rows.begin, end; i < rows.end && !st; i = end) {
        for (end = i; end < rows.end && entries[end].pair == entries[i].pair;)
            end++;
        shl_search_enter(&w, shl_overlap_pairs(o) + entries[i].pair);
        w.path = SHL_SEARCH_ROWS; // a list has no leaves
        if (o->list.listing)
            measure_slack(&w, entries + i, end - i);
        st = test_rows(&w, entries + i, end - i);
    }
    return st;
}
