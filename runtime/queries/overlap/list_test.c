// SPDX-License-Identifier: MIT
// Pairs of triangles that a skin's list names.
#include "runtime/queries/overlap/walk.h"
#include "runtime/traverse/eval_cache.h"

// The row of a triangle of the list; there is room for its leaf.
static uint32_t present(const shl_walk *w, const shl_free_body *b, uint32_t name)
{
    if (!shl_is_lazy(b))
        return name;
    const shl_kernels *kernels = &w->scene->ctx->kernels;
    return shl_reduced_leaf(kernels, b, name / SHL_LANES, w->worker).first + name % SHL_LANES;
}

static shl_tri_pair present_pair(const shl_walk *w, const shl_near *near)
{
    return (shl_tri_pair){present(w, w->a, near->a), present(w, w->b, near->b)};
}

static bool needs_room(const shl_walk *w)
{
    const shl_reduced_cache *cache = w->worker->reduced;
    return (shl_is_lazy(w->a) || shl_is_lazy(w->b)) && shl_reduced_cache_full(cache, 2);
}

// How far the triangles of some rows of a new list may move before they can touch.
static void measure_slack(shl_walk *w, shl_near *near, uint32_t count)
{
    float slack[SHL_NEAR_GRAIN];
    shl_tri_pair *list = w->worker->candidates;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        if (needs_room(w))
            shl_reduced_cache_drop_leaves(w->worker->reduced);
        for (end = begin; end < count && !needs_room(w); end++)
            list[end - begin] = present_pair(w, &near[end]);
        w->scene->ctx->kernels.tri_slack(&w->side_a, &w->side_b, list, end - begin, slack);
        for (uint32_t i = begin; i < end; i++)
            near[i].slack = slack[i - begin];
    }
}

// Rows from `begin` on that may touch by now become candidates; returns where it stopped.
static uint32_t take_near(shl_walk *w, const shl_near *near, uint32_t begin, uint32_t end)
{
    const float moved = w->scene->skin.moved_most;
    shl_tri_pair *list = w->worker->candidates;
    uint32_t kept = 0, i = begin;
    if (!shl_is_lazy(w->a) && !shl_is_lazy(w->b)) {
        for (; i < end; i++) {
            list[kept] = (shl_tri_pair){near[i].a, near[i].b};
            kept += !(near[i].slack > moved);
        }
    }
    for (; i < end && !needs_room(w); i++) {
        if (!(near[i].slack > moved))
            list[kept++] = present_pair(w, &near[i]);
    }
    w->candidate_count = kept;
    return i;
}

// Rows of one body pair.
static shoal_status walk_near(shl_walk *w, const shl_near *near, uint32_t count)
{
    const uint32_t batch = w->only_first ? SHL_FIRST_BATCH : SHL_NEAR_GRAIN;
    shoal_status st = SHOAL_OK;
    for (uint32_t at = 0; at < count && !st && !shl_walk_decided(w);) {
        if (needs_room(w))
            shl_reduced_cache_drop_leaves(w->worker->reduced);
        at = take_near(w, near, at, count - at < batch ? count : at + batch);
        if (w->candidate_count)
            st = shl_walk_flush(w);
    }
    return st;
}

// Tests what the list of a skin names: no boxes, no trees.
shoal_status shl_run_near(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    shoal_scene *s = ctx;
    shl_walk w = {.scene = s, .worker = &s->workers[worker]};
    w.found = (shl_found *)s->found.data + chunk;
    *w.found = (shl_found){0};
    shl_near *near = s->skin.near.data;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = rows.begin, end; i < rows.end && !st; i = end) {
        for (end = i; end < rows.end && near[end].pair == near[i].pair;)
            end++;
        shl_walk_enter(&w, (shl_body_pair *)s->body_pairs.data + near[i].pair);
        w.columns = false; // a list has no leaves
        if (s->skin.listing)
            measure_slack(&w, near + i, end - i);
        st = walk_near(&w, near + i, end - i);
    }
    return st;
}
