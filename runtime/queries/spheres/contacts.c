// SPDX-License-Identifier: MIT
// Contacts of spheres, in two passes over the body pairs: the first counts, the second writes
// each pair's contacts to their place. Nothing is sorted afterwards and nothing grows
// meanwhile: workers keep what the first pass finds while they have room for it, which is as
// much as the last step leads to expect, and the second looks again only at the other pairs.
#include "runtime/queries/spheres/spheres.h"
#include "runtime/scene/hash.h"
#include "runtime/scene/steps.h"
#include "runtime/traverse/eval_cache.h"

#include <math.h>
#include <string.h>

// One pair of bodies being looked at.
typedef struct looking {
    shoal_scene *scene;
    shl_walker *worker;
    shl_free_body *a, *b; // a has spheres
    bool spheres_b;       // so has b
    shoal_contact *out;   // where to
    size_t room;          // rows that are there; beyond them it only counts
    size_t count;
} looking;

// Lists the pairs of two bodies of which one has spheres.
shoal_status shl_run_contact_plan(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    const shoal_allocator *allocator = &s->allocator;
    const size_t most = s->queries & SHOAL_QUERY_PROXIES ? s->body_pair_count : 0;
    s->contact_rows = 0;
    s->contact_count = 0;
    shoal_status st =
        shl_array_reserve(&s->contact_pairs, most * sizeof(uint32_t), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&s->contact_begin, (most + 1) * sizeof(size_t), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&s->contact_kept, most * sizeof(shl_kept), 0, allocator);
    for (uint32_t i = 0; i < s->workers_count; i++)
        s->workers[i].contact_rows = 0;
    for (uint32_t i = 0; i < most && st == SHOAL_OK; i++) {
        const shl_body_pair *pair = (const shl_body_pair *)s->body_pairs.data + i;
        const shl_free_body *bodies = shl_bodies(s);
        if (pair->a != pair->b &&
            (shl_has_proxies(&bodies[pair->a]) || shl_has_proxies(&bodies[pair->b])))
            ((uint32_t *)s->contact_pairs.data)[s->contact_rows++] = i;
    }
    return st;
}

static void add(looking *l, const shoal_contact *contact, uint32_t proxy, uint32_t element)
{
    if (l->count < l->room) {
        shoal_contact *row = &l->out[l->count];
        *row = *contact;
        row->body_a = l->a->number;
        row->proxy_a = proxy;
        row->body_b = l->b->number;
        row->element_b = element;
    }
    l->count++;
}

static void sphere_with_sphere(looking *l, uint32_t i, uint32_t k)
{
    const shl_sphere a = shl_sphere_at(&l->worker->spheres[0], l->a, i);
    const shl_sphere b = shl_sphere_at(&l->worker->spheres[1], l->b, k);
    shoal_contact contact;
    if (shl_sphere_sphere(&a, &b, &contact))
        add(l, &contact, i, k);
}

// Triangles of one leaf.
static void sphere_with_leaf(looking *l, uint32_t proxy, uint32_t node)
{
    const shoal_context *ctx = l->scene->ctx;
    const shl_tree *t = l->b->tree;
    const shl_sphere sphere = shl_sphere_at(&l->worker->spheres[0], l->a, proxy);
    const shl_box box = shl_sphere_box(&sphere);
    shl_reduced_cache *cache = l->worker->reduced;
    const shl_tri *tri = t->tri;
    shl_block slot;
    shl_lanes lanes;
    if (shl_is_lazy(l->b)) {
        if (shl_reduced_cache_full(cache, 1))
            shl_reduced_cache_drop_leaves(cache);
        lanes = shl_reduced_leaf(&ctx->kernels, l->b, node, l->worker);
        tri = cache->tri;
    } else {
        lanes.block = shl_open(ctx, l->b, node, 1, &slot, l->worker);
        lanes.first = t->first[node];
    }
    const bool wide = shl_is_lazy(l->b) || l->b->scalar == SHOAL_F64;
    const void *xyz = shl_is_lazy(l->b) ? cache->xyz : l->b->xyz;
    shl_node_pair hit[SHL_LANES + 1];
    const uint32_t n = ctx->kernels.block_clip(lanes, 0, &box, hit);
    for (uint32_t i = 0; i < n; i++) {
        const shl_tri *at = &tri[hit[i].a];
        double corners[9];
        for (size_t k = 0; k < 9; k++) {
            const size_t scalar = 3 * (size_t)at->v[k / 3] + k % 3;
            corners[k] =
                wide ? ((const double *)xyz)[scalar] : (double)((const float *)xyz)[scalar];
        }
        shoal_contact contact;
        if (shl_sphere_triangle(&sphere, corners, &contact))
            add(l, &contact, proxy, at->id);
    }
}

static shl_lanes open_a(looking *l, uint32_t node)
{
    return shl_spheres_open(&l->worker->spheres[0], &l->scene->ctx->kernels, l->a, node);
}

static shl_lanes open_b(looking *l, uint32_t node, shl_block *slot)
{
    const shoal_context *ctx = l->scene->ctx;
    if (l->spheres_b)
        return shl_spheres_open(&l->worker->spheres[1], &ctx->kernels, l->b, node);
    const shl_block *block = shl_is_lazy(l->b)
                                 ? shl_reduced_open(&ctx->kernels, l->b, node, 1, l->worker)
                                 : shl_open(ctx, l->b, node, 1, slot, l->worker);
    return (shl_lanes){block, l->b->tree->first[node]};
}

// Two trees at once: that over the spheres of a, and that over b's spheres or triangles. All
// spheres below a node are in its box, so what is apart holds no contact.
static void descend(looking *l)
{
    const shl_kernels *kernels = &l->scene->ctx->kernels;
    const uint32_t nodes_a = l->a->reduced->proxy_nodes,
                   nodes_b = l->spheres_b ? l->b->reduced->proxy_nodes : 0;
    shl_node_pair *stack = l->worker->stack;
    uint32_t depth = 1;
    stack[0] = (shl_node_pair){0};
    for (int k = 0; k < 3; k++) {
        stack[0].clip.lo[k] = fmaxf(l->a->box.lo[k], l->b->box.lo[k]);
        stack[0].clip.hi[k] = fminf(l->a->box.hi[k], l->b->box.hi[k]);
    }
    while (depth) {
        const shl_node_pair pair = stack[--depth];
        shl_node_pair *below = stack + depth;
        const bool inner_a = pair.a < nodes_a,
                   inner_b = l->spheres_b ? pair.b < nodes_b : !l->b->tree->leaf[pair.b];
        shl_block slot;
        if (inner_a && inner_b) {
            depth += kernels->block_pairs(open_a(l, pair.a), open_b(l, pair.b, &slot),
                                          &pair.clip, false, below);
        } else if (inner_a) {
            depth += kernels->block_clip(open_a(l, pair.a), pair.b, &pair.clip, below);
        } else if (inner_b) {
            const uint32_t n =
                kernels->block_clip(open_b(l, pair.b, &slot), pair.a, &pair.clip, below);
            for (uint32_t i = 0; i < n; i++)
                below[i] = (shl_node_pair){below[i].b, below[i].a, below[i].clip};
            depth += n;
        } else if (l->spheres_b) {
            sphere_with_sphere(l, pair.a - nodes_a, pair.b - nodes_b);
        } else {
            sphere_with_leaf(l, pair.a - nodes_a, pair.b);
        }
    }
}

// Contacts of the pair in row `row`; returns how many.
static size_t look(looking *l, uint32_t row)
{
    const shoal_scene *s = l->scene;
    const shl_body_pair *pair = (const shl_body_pair *)s->body_pairs.data +
                                ((const uint32_t *)s->contact_pairs.data)[row];
    shl_free_body *a = &shl_bodies(l->scene)[pair->a], *b = &shl_bodies(l->scene)[pair->b];
    l->count = 0;
    l->a = shl_has_proxies(a) ? a : b;
    l->b = shl_has_proxies(a) ? b : a;
    l->spheres_b = shl_has_proxies(l->b);
    shl_spheres_enter(&l->worker->spheres[0], l->a);
    if (l->spheres_b)
        shl_spheres_enter(&l->worker->spheres[1], l->b);
    descend(l);
    if (l->count <= l->room)
        shl_sort_contacts(l->out, l->count);
    return l->count;
}

shoal_status shl_run_contact_count(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    shl_walker *w = &s->workers[worker];
    looking l = {.scene = s, .worker = w};
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        l.out = w->contacts.data;
        if (l.out)
            l.out += w->contact_rows;
        l.room = w->contacts.capacity / sizeof(shoal_contact) - w->contact_rows;
        const size_t count = look(&l, i);
        const bool kept = count <= l.room;
        ((size_t *)s->contact_begin.data)[i] = count;
        ((shl_kept *)s->contact_kept.data)[i] =
            (shl_kept){w->contact_rows, kept ? worker + 1 : 0};
        w->contact_rows += kept ? count : 0;
    }
    return SHOAL_OK;
}

// Room for what the first pass finds in the next step, which keeps what it found in this one.
// Workers share what the largest step so far has found, and half as much again, since some get
// more of it than others.
static shoal_status make_room(shoal_scene *s)
{
    const size_t rows = s->contacts.capacity / sizeof(shoal_contact);
    const size_t share = rows / 2 * 3 / s->workers_count;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < s->workers_count && st == SHOAL_OK; i++) {
        shl_walker *w = &s->workers[i];
        st = shl_array_reserve(&w->contacts, share * sizeof(shoal_contact),
                               w->contact_rows * sizeof(shoal_contact), &s->allocator);
    }
    return st;
}

shoal_status shl_run_contact_scan(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    size_t *begin = s->contact_begin.data, sum = 0;
    for (uint32_t i = 0; i < s->contact_rows; i++) {
        const size_t count = begin[i];
        begin[i] = sum;
        sum += count;
    }
    begin[s->contact_rows] = sum;
    shoal_status st =
        shl_array_reserve(&s->contacts, sum * sizeof(shoal_contact), 0, &s->allocator);
    if (st == SHOAL_OK)
        st = make_room(s);
    if (st != SHOAL_OK)
        return st;
    s->contact_count = sum;
    return shl_plan_sums(s, SHL_SUM_CONTACTS);
}

shoal_status shl_run_contacts(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    const size_t *begin = s->contact_begin.data;
    looking l = {.scene = s, .worker = &s->workers[worker]};
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_kept *kept = (const shl_kept *)s->contact_kept.data + i;
        l.room = begin[i + 1] - begin[i];
        if (l.room == 0)
            continue;
        l.out = (shoal_contact *)s->contacts.data + begin[i];
        if (kept->worker1)
            memcpy(l.out,
                   (const shoal_contact *)s->workers[kept->worker1 - 1].contacts.data +
                       kept->first,
                   l.room * sizeof *l.out);
        else
            (void)look(&l, i);
    }
    return SHOAL_OK;
}
