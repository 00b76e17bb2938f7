// SPDX-License-Identifier: MIT
// Between bodies and the broad phase: each body's box goes in, body pairs come out.
//
// A body's loose box stands for its own while it holds the body and is not much larger. Loose
// boxes rest while bodies move, and boxes that all rest need no new search; what they found too
// much is sorted out by the bodies' own boxes, so the pairs are always the same.
//
// While a list of near triangles is made, all boxes are grown; a step that uses the list keeps
// its pairs, and "judge" leaves the broad phase nothing to do.
#include "runtime/scene/steps.h"

#include "kernels/block_grow.h"

enum { LOOSE_MAX = 3 }; // volume of a loose box over that of the body's own

shoal_status shl_plan_boxes(shoal_scene *s)
{
    const bool wanted =
        s->queries & (SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_PROXIES);
    s->broad.wanted = wanted;
    s->box_rows = wanted ? s->body_count : 0;
    atomic_store_explicit(&s->loose_used, 0, memory_order_relaxed);
    atomic_store_explicit(&s->loose_left, 0, memory_order_relaxed);
    return wanted ? shl_broad_reserve(&s->broad, s->body_count) : SHOAL_OK;
}

bool shl_loose_holds(const shl_free_body *b)
{
    bool holds = true;
    for (int k = 0; k < 3; k++)
        holds &= b->loose.lo[k] <= b->box.lo[k] && b->box.hi[k] <= b->loose.hi[k];
    return holds;
}

// Grown by half a skin if a list is made: two boxes are then a skin nearer.
static shl_box reach(const shoal_scene *s, const shl_box *box)
{
    shl_box out = *box;
    if (s->skin.listing)
        shl_grow_box(&out, 0.5f * s->skin.grow);
    return out;
}

static double volume(const shl_box *box)
{
    double v = 1;
    for (int k = 0; k < 3; k++)
        v *= (double)box->hi[k] - (double)box->lo[k];
    return v;
}

shoal_status shl_run_boxes(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    uint32_t used = 0, left = 0;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_free_body *b = &shl_bodies(s)[i];
        const shl_box *box = b->joined ? &b->box : NULL;
        if (box && b->has_loose) {
            const bool holds = shl_loose_holds(b);
            const bool use = holds && volume(&b->loose) < LOOSE_MAX * volume(&b->box);
            used += use;
            left += !holds;
            box = use ? &b->loose : box;
        }
        const shl_box grown = box ? reach(s, box) : (shl_box){{0}, {0}};
        shl_broad_set(&s->broad, i, box ? &grown : NULL);
    }
    if (used)
        atomic_fetch_add_explicit(&s->loose_used, used, memory_order_relaxed);
    if (left)
        atomic_fetch_add_explicit(&s->loose_left, left, memory_order_relaxed);
    return SHOAL_OK;
}

static void put_pair(shoal_scene *s, uint32_t a, uint32_t b)
{
    shl_body_pair *p = (shl_body_pair *)s->body_pairs.data + s->body_pair_count++;
    p->a = a;
    p->b = b;
    atomic_init(&p->hit, 0);
}

// The pairs of the list, with no contact found yet.
static void keep_pairs(shoal_scene *s)
{
    for (uint32_t i = 0; i < s->body_pair_count; i++)
        atomic_init(&((shl_body_pair *)s->body_pairs.data)[i].hit, 0);
    s->stats.body_pairs = s->skin.body_pairs;
}

static bool near(const shoal_scene *s, uint32_t a, uint32_t b)
{
    const shl_box x = reach(s, &shl_bodies(s)[a].box), y = reach(s, &shl_bodies(s)[b].box);
    return shl_broad_overlap(&x, &y);
}

shoal_status shl_run_pairs(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    if (s->skin.reused) {
        keep_pairs(s);
        return SHOAL_OK;
    }
    const shl_free_body *bodies = shl_bodies(s);
    const bool loose = atomic_load_explicit(&s->loose_used, memory_order_relaxed) > 0;
    const size_t found = s->broad.wanted ? s->broad.pair_count : 0;
    const size_t most = found + (s->queries & SHOAL_QUERY_SELF ? s->body_count : 0);
    if (most > UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    shoal_status st =
        shl_array_reserve(&s->body_pairs, most * sizeof(shl_body_pair), 0, &s->allocator);
    if (st != SHOAL_OK)
        return st;
    s->body_pair_count = 0;
    for (size_t i = 0; i < found; i++) {
        const uint64_t pair = ((const uint64_t *)s->broad.pairs.data)[i];
        const uint32_t a = (uint32_t)(pair >> 32), b = (uint32_t)pair;
        if (!loose || near(s, a, b))
            put_pair(s, a, b);
    }
    s->stats.body_pairs = s->skin.body_pairs = s->body_pair_count;
    for (uint32_t a = 0; a < s->body_count && (s->queries & SHOAL_QUERY_SELF); a++) {
        if (bodies[a].joined)
            put_pair(s, a, a);
    }
    return SHOAL_OK;
}
