// SPDX-License-Identifier: MIT
// Two trees at once: pairs of nodes whose boxes overlap, down to pairs of triangles.
#include "runtime/queries/overlap/search.h"

#include "kernels/tri/exact_tri.h"
#include "runtime/clock.h"
#include "runtime/queries/overlap/shared_corners.h"
#include "runtime/traverse/eval_cache.h"

// The triangle as the model knows it: equal vertices have equal rows.
static const shl_tri *tree_tri(const shl_search *w, uint32_t row)
{
    return &w->a.tree->tri[shl_view_is(&w->a, SHL_VIEW_EVALUATED)
                               ? shl_eval_tree_row(w->scratch->eval, row)
                               : row];
}

static shl_rows *list_of(const shl_search *w, int list)
{
    return &w->overlap->rows[list];
}

static void note_hit(shl_search *w, shl_tri_pair at)
{
    uint32_t none = 0;
    if (!atomic_compare_exchange_strong(&w->pair->hit, &none, 1))
        return;
    w->pair->hit_a = w->side_a.tri[at.a].id;
    w->pair->hit_b = w->side_b.tri[at.b].id;
}

// Counts rows of a bounded list; false: there are too many to keep these. First contacts are
// then not to be had from the list.
static bool count_rows(shl_search *w, int to, const shl_tri_pair *list, uint32_t count)
{
    shl_overlap *o = w->overlap;
    if (count == 0 || !shl_overlap_bounded(o, to))
        return true;
    if (to == SHL_PAIRS && o->queries & SHOAL_QUERY_FIRST)
        note_hit(w, list[0]);
    return atomic_fetch_add_explicit(&o->emitted[to], count, memory_order_relaxed) + count <=
           shl_overlap_max(o, to);
}

// Pairs that touch, a page at a time.
static shoal_status emit(shl_search *w, const shl_tri_pair *list, uint32_t count)
{
    const int to = w->self ? SHL_SELF : SHL_PAIRS;
    const shl_tri *tri_a = w->side_a.tri, *tri_b = w->side_b.tri;
    const uint32_t body_a = w->pair->a, body_b = w->pair->b;
    if (!count_rows(w, to, list, count))
        return SHOAL_OK;
    while (count) {
        uint32_t n = count;
        shoal_pair *rows =
            shl_rows_append(list_of(w, to), w->scratch->worker, &w->found->run[to], &n);
        if (!rows)
            return SHOAL_ERR_MEMORY;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t a = tri_a[list[i].a].id, b = tri_b[list[i].b].id;
            const bool swap = w->self && a > b;
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
static shoal_status take_adjacent(shl_search *w, shl_tri_pair *list, uint32_t *count)
{
    const bool wanted = w->overlap->queries & SHOAL_QUERY_SELF_ADJACENT;
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
        w->scratch->count.exact_tests++;
        if (shl_exact_tri_adjacent(p, q, shared, at_x, at_y))
            st = emit(w, &list[i], 1);
    }
    *count = kept;
    return st;
}

// What a list calls a triangle: rows of the worker's memory do not outlive a step.
static uint32_t lasting(const shl_search *w, const shl_view *v, uint32_t row)
{
    return shl_view_is(v, SHL_VIEW_EVALUATED) ? shl_eval_lasting(w->scratch->eval, row) : row;
}

// The neighbour list names rows, since those are what the tests read.
static shoal_status list_candidates(shl_search *w)
{
    const uint32_t row = (uint32_t)(w->pair - shl_overlap_pairs(w->overlap));
    const shl_tri_pair *list = w->own->candidates;
    for (uint32_t i = 0; i < w->candidate_count;) {
        uint32_t n = w->candidate_count - i;
        shl_list_entry *entry =
            shl_rows_append(list_of(w, SHL_LIST_ENTRIES), w->scratch->worker,
                            &w->found->run[SHL_LIST_ENTRIES], &n);
        if (!entry)
            return SHOAL_ERR_MEMORY;
        for (; n; n--, i++)
            *entry++ = (shl_list_entry){row, lasting(w, &w->a, list[i].a), 0,
                                        lasting(w, &w->b, list[i].b)};
    }
    w->candidate_count = 0;
    return SHOAL_OK;
}

// Of the collected candidates, those that touch; in the list that is returned.
static shl_tri_pair *decide(shl_search *w, uint32_t *count, shoal_status *st)
{
    const shl_kernels *kernels = w->a.kernels;
    shl_tri_pair *list = w->own->candidates;
    uint64_t *exact_tests = &w->scratch->count.exact_tests;
    if (w->path != SHL_SEARCH_ROWS) {
        shl_leaf_cache *cache = w->scratch->leaves;
        *count = kernels->tri_columns(&cache->columns, *count, &w->side_a, &w->side_b,
                                      cache->kept, exact_tests);
        return cache->kept;
    }
    if (w->self && !w->nonadjacent)
        *st = take_adjacent(w, list, count);
    *count = kernels->tri_overlap(&w->side_a, &w->side_b, list, *count, list, exact_tests);
    return list;
}

shoal_status shl_search_flush(shl_search *w)
{
    if (w->listing)
        return list_candidates(w);
    const uint64_t start = shl_now_ns();
    uint32_t count = w->candidate_count;
    shoal_status st = SHOAL_OK;
    w->scratch->count.candidates += count;
    const shl_tri_pair *list = decide(w, &count, &st);
    w->candidate_count = 0;
    if (count && w->only_first) {
        note_hit(w, list[0]);
        count = 0;
    }
    if (!st)
        st = emit(w, list, count);
    w->scratch->count.leaf_ns += shl_now_ns() - start;
    return st;
}

// Which triangles of two leaves are near each other; decides them when there are enough.
static inline shoal_status test_leaves(shl_search *w, shl_lanes a, shl_lanes b,
                                       const shl_box *clip, bool self)
{
    const shl_kernels *kernels = w->a.kernels;
    shl_tri_pair *out = w->own->candidates + w->candidate_count;
    w->candidate_count += w->nonadjacent
                              ? kernels->block_nonadjacent(a, b, clip, self, w->side_a.tri,
                                                           w->a.tree->triangle_count, out)
                              : kernels->block_tris(a, b, clip, self, out);
    if (w->candidate_count >= (w->only_first ? SHL_FIRST_BATCH : SHL_CANDIDATE_BATCH))
        return shl_search_flush(w);
    return SHOAL_OK;
}

static shoal_status search_columns(shl_search *w, uint32_t base_a, uint32_t base_b,
                                   uint64_t pairs);

// Room for evaluated leaves.
static shoal_status reserve_leaves(shl_search *w, uint32_t leaves)
{
    shl_eval_cache *cache = w->scratch->eval;
    if (!shl_eval_full(cache, leaves))
        return SHOAL_OK;
    const shoal_status st = shl_search_flush(w); // candidates name rows that go
    shl_eval_drop_leaves(cache);
    return st;
}

static shoal_status search_leaves(shl_search *w, const shl_node_pair *pair)
{
    if (w->path != SHL_SEARCH_ROWS)
        return search_columns(w, pair->a, pair->b, 1);
    const bool self = w->self && pair->a == pair->b;
    const shoal_status st = reserve_leaves(w, 2);
    if (st != SHOAL_OK)
        return st;
    shl_block slot_a, slot_b, slot_grown;
    shl_lanes a = shl_open_leaf(&w->a, pair->a, 0, &slot_a, w->scratch);
    const shl_lanes b = self ? a : shl_open_leaf(&w->b, pair->b, 1, &slot_b, w->scratch);
    a.block = shl_grown(w->a.kernels, a.block, w->grow, &slot_grown);
    return test_leaves(w, a, b, &pair->clip, self);
}

static uint32_t drop_apart(const shl_search *w, shl_node_pair *pairs, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!w->a.kind->cull->apart(&w->a, pairs[i].a, pairs[i].b))
            pairs[kept++] = pairs[i];
    }
    return kept;
}

static uint64_t drop_leaves_apart(const shl_search *w, uint32_t base_a, uint32_t base_b,
                                  uint64_t pairs)
{
    uint64_t kept = pairs;
    for (; pairs; pairs &= pairs - 1) {
        const uint32_t at = (uint32_t)__builtin_ctzll(pairs);
        if (w->a.kind->cull->apart(&w->a, base_a + at / 8, base_b + at % 8))
            kept &= ~(pairs & -pairs);
    }
    return kept;
}

// Pairs of leaves, bit 8 i + j for base_a + i and base_b + j. All leaves are opened before any
// is tested: opening waits for memory, and a test's branches, which nobody can predict, would
// keep the next opening from beginning to wait.
static shoal_status search_columns(shl_search *w, uint32_t base_a, uint32_t base_b,
                                   uint64_t pairs)
{
    const shl_kernels *kernels = w->a.kernels;
    uint64_t rows = pairs | pairs >> 4, lanes = pairs | pairs >> 32;
    rows = (rows | rows >> 2 | (rows | rows >> 2) >> 1) & 0x0101010101010101u;
    lanes |= lanes >> 16;
    const shoal_status room = reserve_leaves(w, 2 * SHL_LANES);
    if (room != SHOAL_OK)
        return room;
    shl_leaf_row a, b;
    shl_leaves_open(&w->a, base_a, (uint32_t)(rows * 0x0102040810204080u >> 56), 0, w->scratch,
                    &a);
    shl_leaves_open(&w->b, base_b, (lanes | lanes >> 8) & 255, 1, w->scratch, &b);
    const uint32_t batch = w->only_first ? SHL_FIRST_BATCH : SHL_COLUMN_BATCH;
    const uint32_t kind = w->nonadjacent ? SHL_LEAF_NONADJACENT : 0;
    const bool self = w->self;
    shl_tri_columns *columns = &w->scratch->leaves->columns;
    for (; pairs; pairs &= pairs - 1) {
        const uint32_t at = (uint32_t)__builtin_ctzll(pairs), i = at / 8, j = at % 8;
        w->scratch->count.node_pairs++;
        const uint32_t same = self && base_a + i == base_b + j ? SHL_LEAF_SELF : 0;
        w->candidate_count =
            kernels->leaf_pairs(a.leaf[i], b.leaf[j], kind | same, columns, w->candidate_count);
        if (w->candidate_count < batch)
            continue;
        const shoal_status st = shl_search_flush(w);
        if (st != SHOAL_OK || shl_search_decided(w))
            return st;
    }
    return SHOAL_OK;
}

// Two nodes of leaves, or one with itself.
static shoal_status search_leaf_nodes(shl_search *w, const shl_node_pair *pair)
{
    const bool self = w->self && pair->a == pair->b;
    const uint32_t base_a = w->a.tree->first[pair->a], base_b = w->b.tree->first[pair->b];
    shl_block slot_a, slot_b;
    const shl_block *a = shl_open(&w->a, pair->a, 0, &slot_a, w->scratch).block;
    const shl_block *b = self ? a : shl_open(&w->b, pair->b, 1, &slot_b, w->scratch).block;
    uint64_t pairs = w->a.kernels->block_mask(a, b);
    if (self)
        pairs &= 0x80c0e0f0f8fcfeffu; // each with itself and those after it
    if (w->cull && !w->a.kind->cull->far(&w->a, pair->a, pair->b))
        pairs = drop_leaves_apart(w, base_a, base_b, pairs);
    return pairs ? search_columns(w, base_a, base_b, pairs) : SHOAL_OK;
}

static inline uint32_t leaves_base(const shl_tree *tree, uint32_t node)
{
    return tree->leaf[node] ? node : tree->first[node];
}

// Pairs of leaves below two nodes, all at once.
static shoal_status search_recentred(shl_search *w, const shl_node_pair *pair,
                                     const shl_node_pair *below, uint32_t count)
{
    const uint32_t base_a = leaves_base(w->a.tree, pair->a);
    const uint32_t base_b = leaves_base(w->b.tree, pair->b);
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < count; i++)
        pairs |= (uint64_t)1 << (8 * (below[i].a - base_a) + (below[i].b - base_b));
    return pairs ? search_columns(w, base_a, base_b, pairs) : SHOAL_OK;
}

static shoal_status search_nodes(shl_search *w, const shl_node_pair *from)
{
    const shl_tree *tree_a = w->a.tree, *tree_b = w->b.tree;
    const bool columns = w->path != SHL_SEARCH_ROWS;
    shl_counters *counters = &w->scratch->count;
    shl_node_pair *stack = w->scratch->stack;
    if (w->cull && w->a.kind->cull->apart(&w->a, from->a, from->b))
        return SHOAL_OK;
    if (tree_a->leaf[from->a] && tree_b->leaf[from->b]) {
        counters->node_pairs += !columns;
        return search_leaves(w, from);
    }
    uint32_t depth = 1;
    stack[0] = *from;
    while (depth && !shl_search_decided(w)) {
        const shl_node_pair pair = stack[--depth];
        shl_node_pair *below = stack + depth;
        const bool inner = tree_a->inner[pair.a] | tree_b->inner[pair.b];
        if (w->path == SHL_SEARCH_COLUMNS && !inner && !tree_a->leaf[pair.a] &&
            !tree_b->leaf[pair.b]) {
            counters->node_pairs++;
            const shoal_status st = search_leaf_nodes(w, &pair);
            if (st != SHOAL_OK)
                return st;
            continue;
        }
        uint32_t n = shl_descend(&w->a, &w->b, w->grow, &pair, below, w->scratch);
        if (w->cull && !w->a.kind->cull->far(&w->a, pair.a, pair.b))
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
                counters->node_pairs += !columns;
                const shoal_status st = search_leaves(w, &child);
                if (st != SHOAL_OK)
                    return st;
            }
            depth += kept;
            continue;
        }
        if (w->path == SHL_SEARCH_RECENTRED) {
            const shoal_status st = search_recentred(w, &pair, below, n);
            if (st != SHOAL_OK)
                return st;
            continue;
        }
        counters->node_pairs += columns ? 0 : n;
        for (uint32_t i = 0; i < n && !shl_search_decided(w); i++) {
            const shoal_status st = search_leaves(w, &below[i]);
            if (st != SHOAL_OK)
                return st;
        }
    }
    return SHOAL_OK;
}

// A list is about what may touch later.
static bool may_cull(const shl_search *w)
{
    return w->nonadjacent && !w->listing && w->a.kind->cull && w->a.kind->cull->ready(&w->a);
}

static shl_search_path path_of(const shl_search *w)
{
    if (w->listing)
        return SHL_SEARCH_ROWS;
    if (!w->self && shl_view_is(&w->a, SHL_VIEW_RECENTRED) &&
        shl_view_is(&w->b, SHL_VIEW_RECENTRED))
        return SHL_SEARCH_RECENTRED;
    if (shl_view_is(&w->a, SHL_VIEW_F32) && shl_view_is(&w->b, SHL_VIEW_F32) &&
        (!w->self || w->nonadjacent))
        return SHL_SEARCH_COLUMNS;
    return SHL_SEARCH_ROWS;
}

void shl_search_enter(shl_search *w, shl_overlap_pair *pair)
{
    const shl_overlap *o = w->overlap;
    w->pair = pair;
    w->self = pair->a == pair->b;
    shl_view_of(o->ports, pair->a, &w->a);
    if (w->self)
        w->b = w->a;
    else
        shl_view_of(o->ports, pair->b, &w->b);
    w->side_a = shl_view_side(&w->a, w->scratch);
    w->side_b = shl_view_side(&w->b, w->scratch);
    w->nonadjacent =
        w->self && !shl_view_is(&w->a, SHL_VIEW_EVALUATED) && shl_overlap_nonadjacent(o);
    w->path = path_of(w);
    if (w->path != SHL_SEARCH_ROWS)
        shl_leaf_cache_enter(w->scratch->leaves, &w->a, &w->b);
    w->only_first = !w->listing && !w->self && !(o->queries & SHOAL_QUERY_PAIRS);
}

shoal_status shl_overlap_run_search(void *ctx, shl_chunk rows)
{
    shl_overlap *o = ctx;
    shl_search w = {.overlap = o,
                    .own = &o->scratch[rows.worker],
                    .scratch = &o->ports->scratch[rows.worker],
                    .listing = o->list.listing};
    w.grow = w.listing ? o->list.grow : 0;
    w.found = (shl_found *)(w.listing ? o->list.chunks : o->found).data + rows.chunk;
    *w.found = (shl_found){0};
    shoal_status st = SHOAL_OK;
    const uint32_t begin = rows.begin * o->batch, left = o->frontier_count - begin;
    const uint32_t end = begin + (left < o->batch ? left : o->batch);
    for (uint32_t i = begin; i < end && !st; i++) {
        const shl_frontier_row *row = (const shl_frontier_row *)o->frontier.data + i;
        shl_overlap_pair *pair = shl_overlap_pairs(o) + row->pair;
        if (pair != w.pair) {
            if (w.candidate_count)
                st = shl_search_flush(&w);
            shl_search_enter(&w, pair);
            w.cull = may_cull(&w);
        }
        if (!st)
            st = search_nodes(&w, &row->nodes);
    }
    if (w.candidate_count && !st)
        st = shl_search_flush(&w);
    return st;
}
