// SPDX-License-Identifier: MIT
#include "runtime/traverse/eval_cache.h"

#include "kernels/round.h"
#include "runtime/kinds/reduced/coherence.h"
#include "runtime/kinds/skinned/front.h"
#include "runtime/kinds/skinned/skinned.h"
#include "runtime/queries/spheres/spheres.h"

#include <math.h>
#include <string.h>

shoal_status shl_reduced_caches_make(shoal_scene *s, const shl_reduced *model)
{
    for (uint32_t i = 0; i < s->workers_count; i++) {
        shl_walker *w = &s->workers[i];
        if (!w->reduced)
            w->reduced = shl_zalloc(&s->allocator, sizeof *w->reduced);
        shoal_status st = w->reduced ? SHOAL_OK : SHOAL_ERR_MEMORY;
        if (w->reduced)
            shl_reduced_cache_begin(w->reduced);
        for (int side = 0; side < 2 && model && st == SHOAL_OK; side++)
            st = shl_spheres_reserve(&w->spheres[side], model, &s->allocator);
        if (st != SHOAL_OK)
            return st;
    }
    return SHOAL_OK;
}

void shl_reduced_caches_finish(shoal_scene *s)
{
    for (uint32_t i = 0; s->workers && i < s->workers_count; i++) {
        shl_walker *w = &s->workers[i];
        shl_free(&s->allocator, w->reduced, sizeof *w->reduced);
        shl_spheres_finish(&w->spheres[0], &s->allocator);
        shl_spheres_finish(&w->spheres[1], &s->allocator);
        shl_array_finish(&w->contacts, &s->allocator);
    }
}

void shl_reduced_cache_begin(shl_reduced_cache *cache)
{
    cache->alone_leaf = 1;
    cache->alone = (shl_tree){.first = &cache->alone_first,
                              .count = &cache->alone_count,
                              .leaf = &cache->alone_leaf,
                              .tri = cache->tri};
}

void shl_reduced_cache_drop_leaves(shl_reduced_cache *cache)
{
    cache->leaf_count = cache->vertex_count = 0;
    cache->drops++;
    memset(cache->leaf_at, 0, sizeof cache->leaf_at);
}

void shl_reduced_cache_clear(shl_reduced_cache *cache)
{
    if (!cache)
        return;
    shl_reduced_cache_drop_leaves(cache);
    memset(cache->block_key, 0, sizeof cache->block_key);
}

// --- Before the search. ---

static double largest(const double *v, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!isfinite(v[i]))
            return INFINITY;
        most = fmax(most, fabs(v[i]));
    }
    return most;
}

// No coordinate of p + U q is larger; infinite if q is not finite or far too large.
static double reach_of(const shl_reduced *m, const double *q)
{
    if (!(largest(q, m->field_count) < INFINITY))
        return INFINITY;
    double sum = m->reach;
    for (uint32_t j = 0; j < m->field_count; j++)
        sum += m->field_reach[j] * fabs(q[j]);
    return sum * (1 + 0x1p-40);
}

// What the kernels read, with the slack that kernels/reduced_open.h asks for.
static void make_ready(const shl_reduced *m, double reach, shl_reduced_ready *r)
{
    const double u = 0x1p-24;
    double fields = 0, stretch = 0;
    for (uint32_t j = 0; j < m->field_count; j++) {
        fields += m->field_reach[j];
        r->share[j] = (float)r->q[j];
    }
    const double sums = SHL_SLACK[m->bounds] * (m->field_count + 12) * reach;
    const double underflow = 0x1p-136 * (1 + reach + fields);
    for (int k = 0; k < 3; k++) {
        const double *row = r->rotation + 3 * k, at = r->translation[k];
        const double slack = 1.01 * (u * (sums + fabs(at)) + underflow);
        r->base[k] = (float)at;
        r->lo[k] = (float)((at - (double)r->base[k]) - slack);
        r->hi[k] = (float)((at - (double)r->base[k]) + slack);
        stretch = fmax(stretch, row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
        for (int l = 0; l < 3; l++)
            r->turn[3 * k + l] = (float)row[l];
    }
    // contact spheres do not shrink with a turn that does
    r->stretch = shl_round_up(fmax(1, sqrt(stretch)) * (1 + 0x1p-40));
}

void shl_reduced_still(const shl_free_body *b, shl_reduced_ready *out)
{
    static const double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, at[3];
    *out = (shl_reduced_ready){
        .rotation = turn, .translation = at, .q = (const double *)b->own.data + 12};
    make_ready(b->reduced, reach_of(b->reduced, out->q), out);
}

// The box of everything within `reach` of the origin, turned and moved, and of spheres around
// it, which reach as far again.
static void wide_box(const shl_reduced_ready *r, double reach, shl_box *out)
{
    const double half = 3.5 * reach * (double)r->stretch; // 2 sqrt 3 and rounding
    for (int k = 0; k < 3; k++) {
        const double slack = half + 0x1p-50 * fabs(r->translation[k]);
        out->lo[k] = shl_round_down(r->translation[k] - slack);
        out->hi[k] = shl_round_up(r->translation[k] + slack);
    }
}

// Box of the triangles, once the body is ready and sensible.
static void make_box(const shl_kernels *kernels, shl_free_body *b, double reach)
{
    const shl_reduced *m = b->reduced;
    const shl_tree *t = b->tree;
    const shl_reduced_ready *r = b->ready.data;
    if (b->wide) {
        wide_box(r, reach, &b->box);
        return;
    }
    if (t->leaf[0]) {
        double xyz[3 * SHL_LEAF_VERTICES];
        const uint32_t count = t->list_begin[1];
        kernels->reduced_eval(m, r, t->list, count, xyz);
        (void)kernels->vertex_box[SHOAL_F64](xyz, 0, count, NULL, 0, &b->box);
        return;
    }
    shl_block block;
    kernels->reduced_open[m->bounds](shl_reduced_block(m, 0), m->field_count, r, t->count[0],
                                     &block);
    kernels->block_merge(&block, &b->box);
}

void shl_reduced_prepare(const shl_kernels *kernels, shl_free_body *b)
{
    const shl_reduced *m = b->reduced;
    const double *state = b->own.data;
    shl_reduced_ready *r = b->ready.data;
    r->rotation = state;
    r->translation = state + 9;
    r->q = state + 12;
    const double reach = reach_of(m, r->q), at = largest(r->translation, 3);
    b->bad = !(reach < 1e300 && at < 1e300 && largest(r->rotation, 9) < INFINITY);
    if (b->bad)
        return;
    make_ready(m, reach, r);
    b->wide = !(reach <= SHL_REDUCED_MAX && at <= SHL_REDUCED_AT_MAX &&
                largest(r->q, m->field_count) <= SHL_REDUCED_Q_MAX);
    shl_front_prepare(b);
    make_box(kernels, b, reach);
    if (m->proxy_count)
        shl_proxies_widen(kernels, b);
}

// --- During the search. ---

static uint32_t mix(uint32_t body1, uint32_t node)
{
    const uint32_t h = (node * 0x9e3779b1u) ^ (body1 * 0x85ebca6bu);
    return h ^ h >> 15;
}

static bool same_key(shl_cache_key key, uint32_t body1, uint32_t node)
{
    return key.body1 == body1 && key.node == node;
}

static void fill_wide(const shl_box *box, uint32_t count, shl_block *out)
{
    for (uint32_t lane = 0; lane < SHL_LANES; lane++) {
        for (int k = 0; k < 3; k++) {
            out->lo[k][lane] = lane < count ? box->lo[k] : INFINITY;
            out->hi[k][lane] = lane < count ? box->hi[k] : -INFINITY;
        }
    }
}

void shl_reduced_wide(const shl_free_body *b, uint32_t count, shl_block *out)
{
    fill_wide(&b->box, count, out);
}

// Rows of triangles whose corners are counted from `base`. Two corners are added at once: no
// carry leaves a corner.
static void copy_tris(const shl_tri *from, uint32_t count, uint32_t base, shl_tri *to)
{
    const uint32_t add[4] = {base, base, base, 0};
    uint64_t sum[2], more[2];
    memcpy(more, add, sizeof more);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(sum, &from[i], sizeof sum);
        sum[0] += more[0];
        sum[1] += more[1];
        memcpy(&to[i], sum, sizeof sum);
    }
}

// Triangles of a leaf in place `at`, whose vertices are there from row `base` on.
static void fill_tris(const shl_free_body *b, uint32_t node, uint32_t at, uint32_t base,
                      shl_reduced_cache *cache)
{
    const shl_tree *t = b->tree;
    const shl_tri *local = (b->points ? b->points->local : b->reduced->local) + t->first[node];
    copy_tris(local, t->count[node], base, cache->tri + (size_t)SHL_LANES * at);
    cache->tree_first[at] = t->first[node];
    cache->leaf_node[at] = node;
    cache->vertex_at[at] = base;
    cache->boxed[at] = false;
}

// Their boxes, once.
static const shl_block *box_tris(const shl_kernels *kernels, uint32_t at, uint8_t count,
                                 shl_reduced_cache *cache)
{
    if (!cache->boxed[at]) {
        cache->alone_first = SHL_LANES * at;
        cache->alone_count = count;
        (void)kernels->node_open[SHOAL_F64](&cache->alone, cache->xyz, 0, 0,
                                            &cache->leaf_block[at]);
        cache->boxed[at] = true;
    }
    return &cache->leaf_block[at];
}

// Evaluates a leaf into place `at`.
static void fill_leaf(const shl_kernels *kernels, const shl_free_body *b, uint32_t node,
                      uint32_t at, shl_walker *worker)
{
    const shl_tree *t = b->tree;
    shl_reduced_cache *cache = worker->reduced;
    const uint32_t list = t->list_begin[node], count = t->list_begin[node + 1] - list;
    const shl_tri *local = (b->points ? b->points->local : b->reduced->local) + t->first[node];
    __builtin_prefetch(local); // needed when the vertices are there
    __builtin_prefetch(local + SHL_LANES / 2);
    const uint32_t base = cache->vertex_count;
    double *xyz = cache->xyz + 3 * (size_t)base;
    if (b->points)
        kernels->points_eval(b->points, b->own.data, t->list + list, count, xyz);
    else
        kernels->reduced_eval(b->reduced, b->ready.data, t->list + list, count, xyz);
    cache->vertex_count += SHL_LEAF_VERTICES;
    worker->count.evaluated_vertices += count;
    worker->count.opened_nodes++;
    fill_tris(b, node, at, base, cache);
}

// Where the node, or leaf, of the cache is that begins with it; 0: nowhere yet, and *place is
// where to note it.
static uint32_t find_key(const shl_reduced_cache *cache, uint32_t body1, uint32_t node,
                         uint32_t *place)
{
    *place = mix(body1, node) % SHL_CACHE_PLACES;
    for (; cache->leaf_at[*place]; *place = (*place + 1) % SHL_CACHE_PLACES) {
        if (same_key(cache->leaf_key[cache->leaf_at[*place] - 1u], body1, node))
            return cache->leaf_at[*place];
    }
    return 0;
}

static uint32_t take_places(shl_reduced_cache *cache, uint32_t body1, uint32_t node,
                            uint32_t count, uint32_t place)
{
    const uint32_t at = cache->leaf_count;
    cache->leaf_count += count;
    cache->leaf_at[place] = (uint16_t)(at + 1);
    cache->leaf_key[at] = (shl_cache_key){body1, node};
    return at;
}

// Evaluates all vertices of a node of leaves, once each, and returns where its block is; those
// of its leaves follow.
static uint32_t open_group(const shl_kernels *kernels, const shl_free_body *b, uint32_t node,
                           shl_walker *worker)
{
    shl_reduced_cache *cache = worker->reduced;
    const uint32_t body1 = b->number + 1, leaves = b->tree->count[node],
                   first = b->tree->first[node];
    uint32_t place;
    const uint32_t found = find_key(cache, body1, node, &place);
    if (found)
        return found - 1;
    const uint32_t at = take_places(cache, body1, node, 1 + leaves, place),
                   base = cache->vertex_count;
    const uint32_t count = shl_points_group(kernels, b, node, cache->xyz + 3 * (size_t)base);
    cache->vertex_count += count;
    worker->count.evaluated_vertices += count;
    worker->count.opened_nodes += 1 + leaves;
    shl_block *block = &cache->leaf_block[at];
    fill_wide(&b->box, 0, block);
    for (uint32_t lane = 0; lane < leaves; lane++) {
        shl_box box;
        const uint32_t leaf = at + 1 + lane;
        fill_tris(b, first + lane, leaf, base, cache);
        kernels->block_merge(box_tris(kernels, leaf, b->tree->count[first + lane], cache),
                             &box);
        for (int k = 0; k < 3; k++) {
            block->lo[k][lane] = box.lo[k];
            block->hi[k][lane] = box.hi[k];
        }
    }
    return at;
}

uint32_t shl_reduced_place(const shl_kernels *kernels, const shl_free_body *b, uint32_t node,
                           shl_walker *worker)
{
    const uint32_t above = b->tree->parent[node], body1 = b->number + 1;
    if (shl_points_grouped(b, above))
        return open_group(kernels, b, above, worker) + 1 + node - b->tree->first[above];
    uint32_t place;
    const uint32_t found = find_key(worker->reduced, body1, node, &place);
    if (found)
        return found - 1;
    const uint32_t at = take_places(worker->reduced, body1, node, 1, place);
    fill_leaf(kernels, b, node, at, worker);
    return at;
}

shl_lanes shl_reduced_leaf(const shl_kernels *kernels, const shl_free_body *b, uint32_t node,
                           shl_walker *worker)
{
    const uint32_t at = shl_reduced_place(kernels, b, node, worker);
    return (shl_lanes){box_tris(kernels, at, b->tree->count[node], worker->reduced),
                       SHL_LANES * at};
}

const shl_block *shl_reduced_open(const shl_kernels *kernels, const shl_free_body *b,
                                  uint32_t node, int side, shl_walker *worker)
{
    shl_reduced_cache *cache = worker->reduced;
    if (shl_points_grouped(b, node) && !shl_reduced_cache_full(cache, 1))
        return &cache->leaf_block[open_group(kernels, b, node, worker)];
    const shl_block *kept = b->points ? shl_corner_block(b, node) : NULL;
    if (kept)
        return kept;
    const uint32_t body1 = b->number + 1, place = mix(body1, node) % SHL_CACHE_BLOCKS;
    shl_opened *opened = &cache->opened[side][place];
    shl_block *block = &opened->block;
    if (same_key(cache->block_key[side][place], body1, node))
        return block;
    worker->count.opened_nodes++;
    cache->block_key[side][place] = (shl_cache_key){body1, node};
    if (b->wide)
        fill_wide(&b->box, b->tree->count[node], block);
    else if (b->points)
        shl_points_open(kernels, b, node, worker, block);
    else if (shl_reduced_slanted(b, node))
        kernels->reduced_slant(shl_reduced_block(b->reduced, node), b->reduced->field_count,
                               b->ready.data, b->tree->count[node], block, &opened->slants);
    else if (!shl_front_open(kernels, b, node, block))
        kernels->reduced_open[b->reduced->bounds](shl_reduced_block(b->reduced, node),
                                                  b->reduced->field_count, b->ready.data,
                                                  b->tree->count[node], block);
    return block;
}
