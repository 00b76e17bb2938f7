// SPDX-License-Identifier: MIT
// Two trees at once: pairs of nodes whose boxes overlap, down to pairs of triangles.
#include "runtime/clock.h"
#include "runtime/scene/steps.h"

#include "kernels/exact_tri.h"
#include "runtime/queries/overlap/shared_corners.h"
#include "runtime/queries/overlap/walk.h"
#include "runtime/traverse/eval_cache.h"
#include "runtime/traverse/leaf_cache.h"

// The triangle as the model knows it: equal vertices have equal rows.
static const shl_tri *tree_tri(const shl_walk *w, uint32_t row)
{
    return &w->a->tree
                ->tri[shl_is_lazy(w->a) ? shl_cache_tree_row(w->worker->reduced, row) : row];
}

static shoal_status emit(shl_walk *w, shl_tri_pair found)
{
    const bool self = w->a == w->b;
    uint32_t id_a = w->side_a.tri[found.a].id, id_b = w->side_b.tri[found.b].id;
    if (self && id_a > id_b) {
        const uint32_t swap = id_a;
        id_a = id_b;
        id_b = swap;
    }
    const shoal_pair pair = {w->pair->a, id_a, w->pair->b, id_b};
    return shl_page_push(w->scene, w->worker, w->found, self ? SHL_SELF : SHL_PAIRS, pair);
}

// The same for a list, a page at a time.
static shoal_status emit_all(shl_walk *w, const shl_tri_pair *list, uint32_t count)
{
    const bool self = w->a == w->b;
    const shl_tri *tri_a = w->side_a.tri, *tri_b = w->side_b.tri;
    const uint32_t body_a = w->pair->a, body_b = w->pair->b;
    while (count) {
        shoal_pair *rows;
        uint32_t n = count;
        const shoal_status st = shl_page_room(w->scene, w->worker, w->found,
                                              self ? SHL_SELF : SHL_PAIRS, &n, &rows);
        if (st != SHOAL_OK)
            return st;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t a = tri_a[list[i].a].id, b = tri_b[list[i].b].id;
            const bool swap = self && a > b;
            rows[i] = (shoal_pair){body_a, swap ? b : a, body_b, swap ? a : b};
        }
        list += n;
        count -= n;
    }
    return SHOAL_OK;
}

// Candidates of one body: pairs that share a vertex always touch there, so the overlap test
// says nothing about them. They are left out, or decided by what they do beyond the shared
// vertices. A free body whose adjacent pairs nobody wants has none here.
static shoal_status take_adjacent(shl_walk *w, shl_tri_pair *list, uint32_t *count)
{
    const bool wanted = w->scene->queries & SHOAL_QUERY_SELF_ADJACENT;
    uint32_t kept = 0;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < *count && !st; i++) {
        const shl_tri *x = tree_tri(w, list[i].a), *y = tree_tri(w, list[i].b);
        uint8_t at_x[3], at_y[3];
        uint32_t shared;
        if (!shl_corners_shared(x, y, at_x, at_y, &shared)) {
            list[kept++] = list[i];
            continue;
        }
        if (!wanted)
            continue;
        double p[9], q[9];
        shl_tri_corners(&w->side_a, list[i].a, p);
        shl_tri_corners(&w->side_a, list[i].b, q);
        w->worker->count.exact_tests++;
        if (shl_exact_tri_adjacent(p, q, shared, at_x, at_y))
            st = emit(w, list[i]);
    }
    *count = kept;
    return st;
}

// What a list calls a triangle: rows of the worker's memory do not outlive a step.
static uint32_t lasting(const shl_walk *w, const shl_free_body *b, uint32_t row)
{
    return shl_is_lazy(b)
               ? w->worker->reduced->leaf_node[row / SHL_LANES] * SHL_LANES + row % SHL_LANES
               : row;
}

// The list of a skin names rows, since those are what the tests read.
static shoal_status list_candidates(shl_walk *w)
{
    const uint32_t row = (uint32_t)(w->pair - (shl_body_pair *)w->scene->body_pairs.data);
    const shl_tri_pair *list = w->worker->candidates;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < w->candidate_count && !st; i++) {
        const shoal_pair near = {row, lasting(w, w->a, list[i].a), 0,
                                 lasting(w, w->b, list[i].b)}; // as a shl_near
        st = shl_page_push(w->scene, w->worker, w->found, SHL_NEAR, near);
    }
    w->candidate_count = 0;
    return st;
}

// Of the collected candidates, those that touch; in the list that is returned.
static shl_tri_pair *decide(shl_walk *w, uint32_t *count, shoal_status *st)
{
    const shl_kernels *kernels = &w->scene->ctx->kernels;
    shl_tri_pair *list = w->worker->candidates;
    uint64_t *exact_tests = &w->worker->count.exact_tests;
    if (w->columns) {
        shl_leaf_cache *cache = w->worker->leaves;
        *count = kernels->tri_columns(&cache->columns, *count, &w->side_a, &w->side_b,
                                      cache->kept, exact_tests);
        return cache->kept;
    }
    if (w->a == w->b && !w->strangers)
        *st = take_adjacent(w, list, count);
    *count = kernels->tri_overlap(&w->side_a, &w->side_b, list, *count, list, exact_tests);
    return list;
}

shoal_status shl_walk_flush(shl_walk *w)
{
    if (w->listing)
        return list_candidates(w);
    const uint64_t start = shl_now_ns();
    uint32_t count = w->candidate_count;
    shoal_status st = SHOAL_OK;
    w->worker->count.candidates += count;
    const shl_tri_pair *list = decide(w, &count, &st);
    w->candidate_count = 0;
    if (count && w->only_first) {
        uint32_t none = 0;
        if (atomic_compare_exchange_strong(&w->pair->hit, &none, 1)) {
            w->pair->hit_a = w->side_a.tri[list[0].a].id;
            w->pair->hit_b = w->side_b.tri[list[0].b].id;
        }
        count = 0;
    }
    if (!st)
        st = emit_all(w, list, count);
    w->worker->count.leaf_ns += shl_now_ns() - start;
    return st;
}

// Boxes of a leaf's triangles, and the rows by which candidates will name them.
static inline shl_lanes open_leaf(const shl_walk *w, shl_free_body *body, uint32_t node,
                                  int side, shl_block *slot)
{
    const shoal_context *ctx = w->scene->ctx;
    if (shl_is_lazy(body))
        return shl_reduced_leaf(&ctx->kernels, body, node, w->worker);
    return (shl_lanes){shl_open(ctx, body, node, side, slot, w->worker),
                       body->tree->first[node]};
}

// Which triangles of two leaves are near each other; decides them when there are enough.
static inline shoal_status test_leaves(shl_walk *w, shl_lanes a, shl_lanes b,
                                       const shl_box *clip, bool self)
{
    const shl_kernels *kernels = &w->scene->ctx->kernels;
    shl_tri_pair *out = w->worker->candidates + w->candidate_count;
    w->candidate_count += w->strangers
                              ? kernels->block_strangers(a, b, clip, self, w->side_a.tri,
                                                         w->a->tree->triangle_count, out)
                              : kernels->block_tris(a, b, clip, self, out);
    if (w->candidate_count >= (w->only_first ? SHL_FIRST_BATCH : SHL_CANDIDATE_BATCH))
        return shl_walk_flush(w);
    return SHOAL_OK;
}

static shoal_status walk_columns(shl_walk *w, uint32_t base_a, uint32_t base_b, uint64_t pairs);

// Room for evaluated leaves.
static shoal_status make_room(shl_walk *w, uint32_t leaves)
{
    shl_reduced_cache *cache = w->worker->reduced;
    if (!cache || !shl_reduced_cache_full(cache, leaves))
        return SHOAL_OK;
    const shoal_status st = shl_walk_flush(w); // candidates name rows that go
    shl_reduced_cache_drop_leaves(cache);
    return st;
}

static shoal_status walk_leaves(shl_walk *w, const shl_node_pair *pair)
{
    if (w->columns)
        return walk_columns(w, pair->a, pair->b, 1);
    const bool self = w->a == w->b && pair->a == pair->b;
    const shoal_status st = make_room(w, 2);
    if (st != SHOAL_OK)
        return st;
    shl_block slot_a, slot_b, slot_grown;
    shl_lanes a = open_leaf(w, w->a, pair->a, 0, &slot_a);
    const shl_lanes b = self ? a : open_leaf(w, w->b, pair->b, 1, &slot_b);
    a.block = shl_grown(w->scene->ctx, a.block, w->grow, &slot_grown);
    return test_leaves(w, a, b, &pair->clip, self);
}

static uint32_t drop_apart(const shl_walk *w, shl_node_pair *pairs, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!shl_sheet_apart(&w->scene->ctx->kernels, w->a, pairs[i].a, pairs[i].b))
            pairs[kept++] = pairs[i];
    }
    return kept;
}

static uint64_t drop_leaves_apart(const shl_walk *w, uint32_t base_a, uint32_t base_b,
                                  uint64_t pairs)
{
    uint64_t kept = pairs;
    for (; pairs; pairs &= pairs - 1) {
        const uint32_t at = (uint32_t)__builtin_ctzll(pairs);
        if (shl_sheet_apart(&w->scene->ctx->kernels, w->a, base_a + at / 8, base_b + at % 8))
            kept &= ~(pairs & -pairs);
    }
    return kept;
}

// Pairs of leaves, bit 8 i + j for base_a + i and base_b + j. All leaves are opened before any
// is tested: opening waits for memory, and a test's branches, which nobody can predict, would
// keep the next opening from beginning to wait.
static shoal_status walk_columns(shl_walk *w, uint32_t base_a, uint32_t base_b, uint64_t pairs)
{
    const shl_kernels *kernels = &w->scene->ctx->kernels;
    uint64_t rows = pairs | pairs >> 4, lanes = pairs | pairs >> 32;
    rows = (rows | rows >> 2 | (rows | rows >> 2) >> 1) & 0x0101010101010101u;
    lanes |= lanes >> 16;
    const shoal_status room = make_room(w, 2 * SHL_LANES);
    if (room != SHOAL_OK)
        return room;
    shl_leaf_row a, b;
    shl_leaves_open(kernels, base_a, (uint32_t)(rows * 0x0102040810204080u >> 56), 0, w->worker,
                    &a);
    shl_leaves_open(kernels, base_b, (lanes | lanes >> 8) & 255, 1, w->worker, &b);
    const uint32_t batch = w->only_first ? SHL_FIRST_BATCH : SHL_COLUMN_BATCH;
    const uint32_t kind = w->strangers ? SHL_LEAF_STRANGERS : 0;
    const bool self = w->a == w->b;
    shl_tri_columns *columns = &w->worker->leaves->columns;
    for (; pairs; pairs &= pairs - 1) {
        const uint32_t at = (uint32_t)__builtin_ctzll(pairs), i = at / 8, j = at % 8;
        w->worker->count.node_pairs++;
        const uint32_t same = self && base_a + i == base_b + j ? SHL_LEAF_SELF : 0;
        w->candidate_count =
            kernels->leaf_pairs(a.leaf[i], b.leaf[j], kind | same, columns, w->candidate_count);
        if (w->candidate_count < batch)
            continue;
        const shoal_status st = shl_walk_flush(w);
        if (st != SHOAL_OK || shl_walk_decided(w))
            return st;
    }
    return SHOAL_OK;
}

// Two nodes of leaves, or one with itself.
static shoal_status walk_leaf_nodes(shl_walk *w, const shl_node_pair *pair)
{
    const shoal_context *ctx = w->scene->ctx;
    const bool self = w->a == w->b && pair->a == pair->b;
    const uint32_t base_a = w->a->tree->first[pair->a], base_b = w->b->tree->first[pair->b];
    shl_block slot_a, slot_b;
    const shl_block *a = shl_open(ctx, w->a, pair->a, 0, &slot_a, w->worker);
    const shl_block *b = self ? a : shl_open(ctx, w->b, pair->b, 1, &slot_b, w->worker);
    uint64_t pairs = ctx->kernels.block_mask(a, b);
    if (self)
        pairs &= 0x80c0e0f0f8fcfeffu; // each with itself and those after it
    if (w->sheet && !shl_sheet_far(w->a, pair->a, pair->b))
        pairs = drop_leaves_apart(w, base_a, base_b, pairs);
    return pairs ? walk_columns(w, base_a, base_b, pairs) : SHOAL_OK;
}

static inline uint32_t leaves_base(const shl_tree *tree, uint32_t node)
{
    return tree->leaf[node] ? node : tree->first[node];
}

// Pairs of leaves below two nodes, all at once.
static shoal_status walk_moved(shl_walk *w, const shl_node_pair *pair,
                               const shl_node_pair *below, uint32_t count)
{
    const uint32_t base_a = leaves_base(w->a->tree, pair->a);
    const uint32_t base_b = leaves_base(w->b->tree, pair->b);
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < count; i++)
        pairs |= (uint64_t)1 << (8 * (below[i].a - base_a) + (below[i].b - base_b));
    return pairs ? walk_columns(w, base_a, base_b, pairs) : SHOAL_OK;
}

static shoal_status walk_seed(shl_walk *w, const shl_node_pair *seed)
{
    const shoal_context *ctx = w->scene->ctx;
    const shl_tree *tree_a = w->a->tree, *tree_b = w->b->tree;
    shl_counters *counters = &w->worker->count;
    shl_node_pair *stack = w->worker->stack;
    if (w->sheet && shl_sheet_apart(&w->scene->ctx->kernels, w->a, seed->a, seed->b))
        return SHOAL_OK;
    if (tree_a->leaf[seed->a] && tree_b->leaf[seed->b]) {
        counters->node_pairs += !w->columns;
        return walk_leaves(w, seed);
    }
    uint32_t depth = 1;
    stack[0] = *seed;
    while (depth && !shl_walk_decided(w)) {
        const shl_node_pair pair = stack[--depth];
        shl_node_pair *below = stack + depth;
        const bool inner = tree_a->inner[pair.a] | tree_b->inner[pair.b];
        if (w->columns && !w->moved && !inner && !tree_a->leaf[pair.a] &&
            !tree_b->leaf[pair.b]) {
            counters->node_pairs++;
            const shoal_status st = walk_leaf_nodes(w, &pair);
            if (st != SHOAL_OK)
                return st;
            continue;
        }
        uint32_t n = shl_descend(ctx, w->a, w->b, w->grow, &pair, below, w->worker);
        if (w->sheet && !shl_sheet_far(w->a, pair.a, pair.b))
            n = drop_apart(w, below, n);
        counters->node_pairs++;
        if (inner) {
            // leaves among them go first, the others stay on the stack
            uint32_t kept = 0;
            for (uint32_t i = 0; i < n; i++) {
                const shl_node_pair child = below[i];
                if (!tree_a->leaf[child.a] || !tree_b->leaf[child.b]) {
                    below[kept++] = child;
                    continue;
                }
                counters->node_pairs += !w->columns;
                const shoal_status st = walk_leaves(w, &child);
                if (st != SHOAL_OK)
                    return st;
            }
            depth += kept;
            continue;
        }
        if (w->moved) {
            const shoal_status st = walk_moved(w, &pair, below, n);
            if (st != SHOAL_OK)
                return st;
            continue;
        }
        counters->node_pairs += w->columns ? 0 : n;
        for (uint32_t i = 0; i < n && !shl_walk_decided(w); i++) {
            const shoal_status st = walk_leaves(w, &below[i]);
            if (st != SHOAL_OK)
                return st;
        }
    }
    return SHOAL_OK;
}

static shl_tri_side side_of(const shl_walk *w, const shl_free_body *b)
{
    if (shl_is_lazy(b))
        return (shl_tri_side){w->worker->reduced->xyz, w->worker->reduced->tri, SHOAL_F64};
    return (shl_tri_side){b->xyz, b->tree->tri, b->scalar};
}

void shl_walk_enter(shl_walk *w, shl_body_pair *pair)
{
    const shoal_scene *s = w->scene;
    w->pair = pair;
    w->a = &shl_bodies(s)[pair->a];
    w->b = &shl_bodies(s)[pair->b];
    w->side_a = side_of(w, w->a);
    w->side_b = side_of(w, w->b);
    w->strangers = w->a == w->b && !shl_is_lazy(w->a) && shl_searches_strangers(s);
    // a list is about what may touch later
    w->sheet =
        w->strangers && !w->listing && shl_sheet_wanted(s, w->a) && shl_sheet_ready(w->a);
    const bool narrow = !shl_is_lazy(w->a) && w->a->scalar == SHOAL_F32 && !shl_is_lazy(w->b) &&
                        w->b->scalar == SHOAL_F32;
    w->moved = w->a != w->b && shl_leaf_moved(w->a) && shl_leaf_moved(w->b) && !w->listing;
    w->columns = w->moved || (narrow && !w->listing && (w->a != w->b || w->strangers));
    if (w->columns)
        shl_leaf_cache_enter(w->worker->leaves, w->a, w->b);
    w->only_first = !w->listing && pair->a != pair->b && !(s->queries & SHOAL_QUERY_PAIRS);
}

shoal_status shl_run_walk(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    shoal_scene *s = ctx;
    shl_walk w = {.scene = s, .worker = &s->workers[worker], .listing = s->skin.listing};
    w.grow = w.listing ? s->skin.grow : 0;
    w.found = (shl_found *)(w.listing ? s->skin.chunks : s->found).data + chunk;
    *w.found = (shl_found){0};
    shoal_status st = SHOAL_OK;
    const uint32_t begin = rows.begin * s->seed_bundle, left = s->seed_count - begin;
    const uint32_t end = begin + (left < s->seed_bundle ? left : s->seed_bundle);
    for (uint32_t i = begin; i < end && !st; i++) {
        const shl_seed *seed = (const shl_seed *)s->seeds.data + i;
        shl_body_pair *pair = (shl_body_pair *)s->body_pairs.data + seed->pair;
        if (w.candidate_count && pair != w.pair)
            st = shl_walk_flush(&w);
        shl_walk_enter(&w, pair);
        if (!st)
            st = walk_seed(&w, &seed->nodes);
    }
    if (w.candidate_count && !st)
        st = shl_walk_flush(&w);
    return st;
}
