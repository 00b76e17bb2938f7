// SPDX-License-Identifier: MIT
// Bodies whose boxes overlap: all against all for few, one sorted axis and a sweep for many.
#include "runtime/steps/steps.h"

#include "kernels/block_grow.h"
#include "runtime/steps/radix.h"

#include <math.h>
#include <string.h>

enum { BRUTE_MAX = 64 };

typedef struct broad {
    float *lo[3], *hi[3]; // [count + 8] boxes of the joined bodies, as columns
    uint32_t *body;       // [count] whose box it is
    uint64_t *keys;       // [count] sort key above, row below
    uint64_t *spare;      // [count]
    uint32_t *hits;       // [count + 8] what one sweep found
    uint32_t count;
} broad;

static bool box_overlap(const shl_box *a, const shl_box *b)
{
    bool all = true;
    for (int k = 0; k < 3; k++)
        all &= a->lo[k] <= b->hi[k] && b->lo[k] <= a->hi[k];
    return all;
}

// The box of a body, grown if a list is made: half a skin for each of two.
static shl_box reach(const shoal_scene *s, uint32_t body)
{
    shl_box box = shl_bodies(s)[body].box;
    if (s->skin.listing)
        shl_grow_box(&box, 0.5f * s->skin.grow);
    return box;
}

static shoal_status push_pair(shoal_scene *s, uint32_t a, uint32_t b)
{
    if (s->body_pair_count == UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    const size_t size = sizeof(shl_body_pair), n = s->body_pair_count;
    shoal_status st =
        shl_array_reserve(&s->body_pairs, (n + 1) * size, n * size, &s->allocator);
    if (st != SHOAL_OK)
        return st;
    shl_body_pair *p = (shl_body_pair *)s->body_pairs.data + s->body_pair_count++;
    p->a = a;
    p->b = b;
    atomic_init(&p->hit, 0);
    return SHOAL_OK;
}

static shoal_status brute(shoal_scene *s)
{
    const shl_free_body *bodies = shl_bodies(s);
    shoal_status st = SHOAL_OK;
    for (uint32_t a = 0; a < s->body_count && !st; a++) {
        if (!bodies[a].joined)
            continue;
        shl_box near = bodies[a].box;
        if (s->skin.listing)
            shl_grow_box(&near, s->skin.grow);
        for (uint32_t b = a + 1; b < s->body_count && !st; b++) {
            if (bodies[b].joined && box_overlap(&near, &bodies[b].box))
                st = push_pair(s, a, b);
        }
    }
    return st;
}

// The axis along which box centres spread most; a pure function of the boxes. The pairs found
// do not depend on it.
static int widest_axis(const shoal_scene *s)
{
    const shl_free_body *bodies = shl_bodies(s);
    double best = -1;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double sum = 0, squares = 0, n = 0;
        for (uint32_t i = 0; i < s->body_count; i++) {
            if (!bodies[i].joined)
                continue;
            const double c = 0.5 * bodies[i].box.lo[k] + 0.5 * bodies[i].box.hi[k];
            sum += c;
            squares += c * c;
            n++;
        }
        const double variance = n > 0 ? squares / n - sum / n * (sum / n) : 0;
        if (variance > best) {
            best = variance;
            axis = k;
        }
    }
    return axis;
}

static shoal_status reserve(shoal_scene *s, broad *w, uint32_t count)
{
    const shoal_allocator *allocator = &s->allocator;
    const size_t rows = ((size_t)count + 8 + 15) / 16 * 16;
    shoal_status st = shl_array_reserve(&s->broad[0], 6 * rows * sizeof(float), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&s->broad[1], 2 * rows * sizeof(uint32_t), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&s->broad[2], 2 * rows * sizeof(uint64_t), 0, allocator);
    if (st != SHOAL_OK)
        return st;
    float *columns = s->broad[0].data;
    for (int k = 0; k < 3; k++) {
        w->lo[k] = columns + 2 * k * rows;
        w->hi[k] = columns + (2 * k + 1) * rows;
    }
    w->body = s->broad[1].data;
    w->hits = w->body + rows;
    w->keys = s->broad[2].data;
    w->spare = w->keys + rows;
    w->count = count;
    return SHOAL_OK;
}

// Floats as unsigned integers of the same order.
static uint32_t ordered_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits ^ ((bits >> 31) ? 0xffffffffu : 0x80000000u);
}

static void fill_sorted(const shoal_scene *s, broad *w, int axis)
{
    const shl_free_body *bodies = shl_bodies(s);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->body_count; i++) {
        if (bodies[i].joined)
            w->keys[n++] = (uint64_t)ordered_bits(reach(s, i).lo[axis]) << 32 | i;
    }
    shl_radix_sort(w->keys, w->spare, n, 32);
    const shl_box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < n + 8; i++) {
        const uint32_t body = i < n ? (uint32_t)w->keys[i] : 0;
        const shl_box box = i < n ? reach(s, body) : nothing;
        for (int k = 0; k < 3; k++) { // the sorted axis comes first
            const int from = (axis + k) % 3;
            w->lo[k][i] = box.lo[from];
            w->hi[k][i] = box.hi[from];
        }
        if (i < n)
            w->body[i] = body;
    }
}

// Sorting (a << 32 | b) puts pairs in canonical order.
static shoal_status order_pairs(shoal_scene *s)
{
    const size_t n = s->body_pair_count;
    shoal_status st =
        shl_array_reserve(&s->broad[2], 2 * n * sizeof(uint64_t), 0, &s->allocator);
    if (st != SHOAL_OK || n == 0)
        return st;
    uint64_t *keys = s->broad[2].data;
    shl_body_pair *pairs = s->body_pairs.data;
    for (size_t i = 0; i < n; i++)
        keys[i] = (uint64_t)pairs[i].a << 32 | pairs[i].b;
    shl_radix_sort(keys, keys + n, n, 0);
    for (size_t i = 0; i < n; i++) {
        pairs[i].a = (uint32_t)(keys[i] >> 32);
        pairs[i].b = (uint32_t)keys[i];
    }
    return SHOAL_OK;
}

static shoal_status sweep(shoal_scene *s, uint32_t joined)
{
    broad w;
    shoal_status st = reserve(s, &w, joined);
    if (st != SHOAL_OK)
        return st;
    fill_sorted(s, &w, widest_axis(s));
    const shl_sorted_boxes boxes = {
        {w.lo[0], w.lo[1], w.lo[2]}, {w.hi[0], w.hi[1], w.hi[2]}, w.count};
    for (uint32_t i = 0; i < w.count && !st; i++) {
        const uint32_t hits = s->ctx->kernels.sweep(&boxes, i, w.hits);
        for (uint32_t h = 0; h < hits && !st; h++) {
            const uint32_t a = w.body[i], b = w.body[w.hits[h]];
            st = push_pair(s, a < b ? a : b, a < b ? b : a);
        }
    }
    return st != SHOAL_OK ? st : order_pairs(s);
}

// Self pairs stand before the others of their body: (a, a) is the smallest (a, b).
static shoal_status add_self(shoal_scene *s)
{
    const shl_free_body *bodies = shl_bodies(s);
    shoal_status st = SHOAL_OK;
    for (uint32_t a = 0; a < s->body_count && !st; a++) {
        if (bodies[a].joined)
            st = push_pair(s, a, a);
    }
    return st;
}

// The pairs of the list, with no contact found yet.
static void keep_pairs(shoal_scene *s)
{
    for (uint32_t i = 0; i < s->body_pair_count; i++)
        atomic_init(&((shl_body_pair *)s->body_pairs.data)[i].hit, 0);
    s->stats.body_pairs = s->skin.body_pairs;
}

shoal_status shl_run_broad(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    if (s->skin.reused) {
        keep_pairs(s);
        return SHOAL_OK;
    }
    s->body_pair_count = 0;
    uint32_t joined = 0;
    for (uint32_t i = 0; i < s->body_count; i++)
        joined += shl_bodies(s)[i].joined;
    shoal_status st = SHOAL_OK;
    const bool few = s->def.broad == SHOAL_BROAD_BRUTE ||
                     (s->def.broad == SHOAL_BROAD_AUTO && joined <= BRUTE_MAX);
    if (s->queries & (SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST))
        st = few ? brute(s) : sweep(s, joined);
    s->stats.body_pairs = s->skin.body_pairs = s->body_pair_count;
    if (st == SHOAL_OK && (s->queries & SHOAL_QUERY_SELF))
        st = add_self(s);
    return st;
}
