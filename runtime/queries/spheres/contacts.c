// SPDX-License-Identifier: MIT
// Contacts of spheres, in two passes over the body pairs: the first counts, the second writes
// each pair's contacts to their offset. Nothing is sorted afterwards and nothing grows
// meanwhile: workers keep what the first pass finds while it fits their memory, which is as
// much as the last step leads to expect, and the second looks again only at the other pairs.
#include "runtime/queries/spheres/spheres.h"
#include "runtime/traverse/eval_cache.h"

#include <math.h>
#include <string.h>

// One pair of bodies being looked at.
typedef struct pair_search {
    const shl_spheres *spheres;
    shl_sphere_scratch *own;
    shl_scratch *scratch;
    shl_view a, b;             // a has spheres
    bool spheres_b;            // so has b
    shoal_sphere_contact *out; // where to
    size_t capacity;           // rows that are there; beyond them it only counts
    size_t count;
} pair_search;

static bool tree_of(const shl_spheres *s, uint32_t body, shl_sphere_tree *out)
{
    const shl_bodies *b = s->ports->bodies;
    const shl_sphere_source *source = shl_kinds[b->kind[body]]->spheres;
    return source && source->tree(b->model[body], out);
}

// Room for the spheres of any body.
static shoal_status reserve_caches(shl_spheres *s)
{
    const shl_bodies *bodies = s->ports->bodies;
    if (s->bodies == bodies->youngest)
        return SHOAL_OK;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < bodies->table.count && st == SHOAL_OK; i++) {
        shl_sphere_tree tree;
        if (!bodies->model[i] || !tree_of(s, i, &tree))
            continue;
        for (uint32_t w = 0; w < 2 * s->ports->workers && st == SHOAL_OK; w++)
            st = shl_sphere_cache_reserve(&s->scratch[w / 2].side[w % 2], &tree,
                                          s->ports->allocator);
    }
    s->bodies = st == SHOAL_OK ? bodies->youngest : 0;
    return st;
}

// Lists the pairs of two bodies of which one has spheres.
shoal_status shl_spheres_run_plan(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_spheres *s = ctx;
    const shl_body_pairs *found = s->ports->pairs;
    const shoal_allocator *allocator = s->ports->allocator;
    const size_t most = s->asked ? found->count : 0;
    s->rows = 0;
    s->contact_count = 0;
    shoal_status st = SHL_RESERVE(allocator, {&s->pairs, most * sizeof(uint64_t)},
                                  {&s->begin, (most + 1) * sizeof(size_t)},
                                  {&s->kept, most * sizeof(shl_kept)});
    if (st == SHOAL_OK && most)
        st = reserve_caches(s);
    for (uint32_t i = 0; i < s->ports->workers; i++)
        s->scratch[i].contact_rows = 0;
    for (size_t i = 0; i < most && st == SHOAL_OK; i++) {
        shl_sphere_tree tree;
        if (tree_of(s, (uint32_t)(found->rows[i] >> 32), &tree) ||
            tree_of(s, (uint32_t)found->rows[i], &tree))
            ((uint64_t *)s->pairs.data)[s->rows++] = found->rows[i];
    }
    return st;
}

static void add(pair_search *l, const shoal_sphere_contact *contact, uint32_t sphere,
                uint32_t element)
{
    if (l->count < l->capacity) {
        shoal_sphere_contact *row = &l->out[l->count];
        *row = *contact;
        row->body_a = l->a.body;
        row->sphere_a = sphere;
        row->body_b = l->b.body;
        row->element_b = element;
    }
    l->count++;
}

static void sphere_with_sphere(pair_search *l, uint32_t i, uint32_t k)
{
    const shl_sphere a = shl_sphere_cache_at(&l->own->side[0], &l->a, i);
    const shl_sphere b = shl_sphere_cache_at(&l->own->side[1], &l->b, k);
    shoal_sphere_contact contact;
    if (shl_sphere_sphere(&a, &b, &contact))
        add(l, &contact, i, k);
}

// Triangles of one leaf.
static void sphere_with_leaf(pair_search *l, uint32_t at, uint32_t node)
{
    const shl_sphere sphere = shl_sphere_cache_at(&l->own->side[0], &l->a, at);
    const shl_box box = shl_sphere_box(&sphere);
    shl_block slot;
    shl_eval_reserve(l->scratch->eval, 1);
    const shl_lanes lanes = shl_open_leaf(&l->b, node, 1, &slot, l->scratch);
    const shl_tri_side side = shl_view_side(&l->b, l->scratch);
    shl_node_pair hit[SHL_LANES + 1];
    const uint32_t n = l->b.kernels->block_clip(lanes, 0, &box, hit);
    for (uint32_t i = 0; i < n; i++) {
        double corners[9];
        shoal_sphere_contact contact;
        shl_tri_corners(&side, hit[i].a, corners);
        if (shl_sphere_triangle(&sphere, corners, &contact))
            add(l, &contact, at, side.tri[hit[i].a].id);
    }
}

static shl_lanes open_a(pair_search *l, uint32_t node)
{
    return shl_sphere_cache_open(&l->own->side[0], &l->a, node);
}

static shl_lanes open_b(pair_search *l, uint32_t node, shl_block *slot)
{
    if (l->spheres_b)
        return shl_sphere_cache_open(&l->own->side[1], &l->b, node);
    return (shl_lanes){shl_open(&l->b, node, 1, slot, l->scratch).block,
                       l->b.tree->first[node]};
}

// Two trees at once: that over the spheres of a, and that over b's spheres or triangles. All
// spheres below a node are in its box, so what is apart holds no contact.
static void descend(pair_search *l)
{
    const shl_kernels *kernels = l->a.kernels;
    const uint32_t nodes_a = l->own->side[0].tree.node_count,
                   nodes_b = l->spheres_b ? l->own->side[1].tree.node_count : 0;
    shl_node_pair *stack = l->scratch->stack;
    uint32_t depth = 1;
    stack[0] = (shl_node_pair){0};
    for (int k = 0; k < 3; k++) {
        stack[0].clip.lo[k] = fmaxf(l->a.box->lo[k], l->b.box->lo[k]);
        stack[0].clip.hi[k] = fminf(l->a.box->hi[k], l->b.box->hi[k]);
    }
    while (depth) {
        const shl_node_pair pair = stack[--depth];
        shl_node_pair *below = stack + depth;
        const bool inner_a = pair.a < nodes_a,
                   inner_b = l->spheres_b ? pair.b < nodes_b : !l->b.tree->leaf[pair.b];
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
static size_t search(pair_search *l, uint32_t row)
{
    const shl_spheres *s = l->spheres;
    const uint64_t pair = ((const uint64_t *)s->pairs.data)[row];
    uint32_t a = (uint32_t)(pair >> 32), b = (uint32_t)pair;
    shl_sphere_tree tree;
    if (!tree_of(s, a, &tree)) {
        const uint32_t swap = a;
        a = b;
        b = swap;
        (void)tree_of(s, a, &tree);
    }
    l->count = 0;
    shl_view_of(s->ports, a, &l->a);
    shl_view_of(s->ports, b, &l->b);
    shl_sphere_cache_enter(&l->own->side[0], a, &tree);
    l->spheres_b = tree_of(s, b, &tree);
    if (l->spheres_b)
        shl_sphere_cache_enter(&l->own->side[1], b, &tree);
    descend(l);
    if (l->count <= l->capacity)
        shl_sort_contacts(l->out, l->count);
    return l->count;
}

shoal_status shl_spheres_run_count(void *ctx, shl_chunk rows)
{
    const shl_spheres *s = ctx;
    shl_sphere_scratch *own = &s->scratch[rows.worker];
    pair_search l = {.spheres = s, .own = own, .scratch = &s->ports->scratch[rows.worker]};
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        l.out = own->contacts.data;
        if (l.out)
            l.out += own->contact_rows;
        l.capacity = own->contacts.capacity / sizeof(shoal_sphere_contact) - own->contact_rows;
        const size_t count = search(&l, i);
        const bool kept = count <= l.capacity;
        ((size_t *)s->begin.data)[i] = count;
        ((shl_kept *)s->kept.data)[i] =
            (shl_kept){own->contact_rows, kept ? rows.worker + 1 : 0};
        own->contact_rows += kept ? count : 0;
    }
    return SHOAL_OK;
}

// Memory for what the first pass finds in the next step, which keeps what it found in this one.
// Workers divide what the largest step so far has found, and half as much again, since some get
// more of it than others.
static shoal_status reserve_scratch(const shl_spheres *s)
{
    const size_t rows = s->contacts.capacity / sizeof(shoal_sphere_contact);
    const size_t weight = rows / 2 * 3 / s->ports->workers;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < s->ports->workers && st == SHOAL_OK; i++)
        st = shl_array_reserve(&s->scratch[i].contacts, weight * sizeof(shoal_sphere_contact),
                               s->scratch[i].contact_rows * sizeof(shoal_sphere_contact),
                               s->ports->allocator);
    return st;
}

shoal_status shl_spheres_run_scan(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_spheres *s = ctx;
    const shoal_allocator *allocator = s->ports->allocator;
    size_t *begin = s->begin.data, sum = 0;
    for (uint32_t i = 0; i < s->rows; i++) {
        const size_t count = begin[i];
        begin[i] = sum;
        sum += count;
    }
    begin[s->rows] = sum;
    s->total = sum;
    if (sum > shl_max_rows(s->ports, SHOAL_QUERY_SPHERES)) // nothing is to be written
        s->rows = 0, sum = 0;
    shoal_status st =
        shl_array_reserve(&s->contacts, sum * sizeof(shoal_sphere_contact), 0, allocator);
    if (st == SHOAL_OK)
        st = reserve_scratch(s);
    if (st != SHOAL_OK)
        return st;
    s->contact_count = sum;
    const shl_summed_list list = {.number = 4,
                                  .asked = s->asked,
                                  .rows = s->contacts.data,
                                  .count = sum,
                                  .row_bytes = sizeof(shoal_sphere_contact),
                                  .sum = shl_sum_contacts};
    return shl_sums_plan(&s->sums, &list, 1, allocator);
}

shoal_status shl_spheres_run_contacts(void *ctx, shl_chunk rows)
{
    const shl_spheres *s = ctx;
    const size_t *begin = s->begin.data;
    pair_search l = {.spheres = s,
                     .own = &s->scratch[rows.worker],
                     .scratch = &s->ports->scratch[rows.worker]};
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_kept *kept = (const shl_kept *)s->kept.data + i;
        l.capacity = begin[i + 1] - begin[i];
        if (l.capacity == 0)
            continue;
        l.out = (shoal_sphere_contact *)s->contacts.data + begin[i];
        if (kept->worker1)
            memcpy(l.out,
                   (const shoal_sphere_contact *)s->scratch[kept->worker1 - 1].contacts.data +
                       kept->first,
                   l.capacity * sizeof *l.out);
        else
            (void)search(&l, i);
    }
    return SHOAL_OK;
}
