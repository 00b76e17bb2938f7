// SPDX-License-Identifier: MIT
// Two trees at once: pairs of nodes whose boxes overlap, down to pairs of triangles.
#include "runtime/clock.h"
#include "runtime/steps/steps.h"

#include "kernels/exact_tri.h"
#include "runtime/steps/reduced.h"

static const uint32_t busy = UINT32_MAX; // stamp of a block that some thread is just making
enum { FIRST_BATCH = 16 };               // looking for any contact: test early

// The winner of the exchange stores the block; who loses works on its own copy. Both get the
// same bits, since boxes are a pure function of the positions.
static __attribute__((noinline)) const shl_block *open_now(const shoal_context *ctx,
                                                           shl_free_body *body, uint32_t node,
                                                           uint32_t seen, shl_block *slot,
                                                           shl_counters *count)
{
    _Atomic uint32_t *stamp = &body->stamps[node];
    count->opened_nodes++;
    const bool mine =
        seen != busy && atomic_compare_exchange_strong_explicit(
                            stamp, &seen, busy, memory_order_acquire, memory_order_relaxed);
    shl_block *out = mine ? &body->blocks[node] : slot;
    ctx->kernels.node_open[body->scalar](body->tree, body->xyz, node, 0, out);
    if (mine)
        atomic_store_explicit(stamp, body->epoch, memory_order_release);
    return out;
}

static inline const shl_block *open_block(const shoal_context *ctx, shl_free_body *body,
                                          uint32_t node, int side, shl_block *slot,
                                          shl_walker *worker)
{
    if (body->reduced) {
        const uint64_t before = worker->count.opened_nodes;
        const shl_block *block = shl_reduced_open(&ctx->kernels, body, node, side, worker);
        worker->count.reduced_nodes += worker->count.opened_nodes - before;
        return block;
    }
    const uint32_t seen = atomic_load_explicit(&body->stamps[node], memory_order_acquire);
    if (body->opened)
        atomic_store_explicit(&body->opened[node], 1, memory_order_relaxed);
    if (seen == body->epoch)
        return &body->blocks[node];
    return open_now(ctx, body, node, seen, slot, &worker->count);
}

const shl_block *shl_open(const shoal_context *ctx, shl_free_body *body, uint32_t node,
                          int side, shl_block *slot, shl_walker *worker)
{
    return open_block(ctx, body, node, side, slot, worker);
}

static inline const shl_block *grown(const shoal_context *ctx, const shl_block *block,
                                     float grow, shl_block *out)
{
    if (__builtin_expect(grow == 0, 1))
        return block;
    ctx->kernels.block_grow(block, grow, out);
    return out;
}

uint32_t shl_descend(const shoal_context *ctx, shl_free_body *a, shl_free_body *b, float grow,
                     const shl_node_pair *pair, shl_node_pair *out, shl_walker *worker)
{
    const bool self = a == b && pair->a == pair->b;
    shl_block slot_a, slot_b, slot_grown;
    shl_lanes lanes_a = {NULL, a->tree->first[pair->a]},
              lanes_b = {NULL, b->tree->first[pair->b]};
    if (!a->tree->leaf[pair->a])
        lanes_a.block = open_block(ctx, a, pair->a, 0, &slot_a, worker);
    const shl_lanes whole = lanes_a;
    if (lanes_a.block)
        lanes_a.block = grown(ctx, lanes_a.block, grow, &slot_grown);
    if (self) {
        uint32_t n = ctx->kernels.block_pairs(lanes_a, whole, &pair->clip, true, out);
        for (uint32_t lane = 0; lane < a->tree->count[pair->a]; lane++) {
            const uint32_t child = lanes_a.first + lane;
            out[n++] = (shl_node_pair){child, child, pair->clip};
        }
        return n;
    }
    if (!b->tree->leaf[pair->b])
        lanes_b.block = open_block(ctx, b, pair->b, 1, &slot_b, worker);
    if (!lanes_b.block)
        return ctx->kernels.block_clip(lanes_a, pair->b, &pair->clip, out);
    if (lanes_a.block)
        return ctx->kernels.block_pairs(lanes_a, lanes_b, &pair->clip, false, out);
    const uint32_t n = ctx->kernels.block_clip(lanes_b, pair->a, &pair->clip, out);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t node = out[i].a;
        out[i].a = out[i].b;
        out[i].b = node;
    }
    return n;
}

// One walk: a worker's memory and the two bodies it is looking at.
typedef struct walk {
    shoal_scene *scene;
    shl_walker *worker;
    shl_found *found; // this chunk's
    shl_body_pair *pair;
    shl_free_body *a, *b;
    shl_tri_side side_a, side_b; // where rows of candidates lead
    uint32_t candidate_count;
    bool only_first; // stop at the first contact
    bool listing;    // candidates are listed, not tested
    float grow;      // boxes of a
} walk;

static bool corners_shared(const shl_tri *x, const shl_tri *y, uint8_t at_x[3], uint8_t at_y[3],
                           uint32_t *count)
{
    *count = 0;
    for (uint8_t i = 0; i < 3; i++) {
        bool seen = false; // a triangle may name a vertex twice
        for (uint8_t k = 0; k < i; k++)
            seen |= x->v[k] == x->v[i];
        for (uint8_t j = 0; j < 3 && !seen; j++) {
            if (x->v[i] != y->v[j])
                continue;
            at_x[*count] = i;
            at_y[*count] = j;
            ++*count;
            break;
        }
    }
    return *count > 0;
}

static void corners(const shl_tri_side *side, uint32_t row, double out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const size_t at = 3 * (size_t)side->tri[row].v[i] + (size_t)k;
            out[3 * i + k] = side->scalar == SHOAL_F32 ? (double)((const float *)side->xyz)[at]
                                                       : ((const double *)side->xyz)[at];
        }
    }
}

// The triangle as the model knows it: equal vertices have equal rows.
static const shl_tri *tree_tri(const walk *w, uint32_t row)
{
    return &w->a->tree->tri[w->a->reduced ? shl_cache_tree_row(w->worker->reduced, row) : row];
}

static shoal_status emit(walk *w, shl_tri_pair found)
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

// Candidates of one body: pairs that share a vertex always touch there, so the overlap test
// says nothing about them. They are left out, or decided by what they do beyond the shared
// vertices.
static shoal_status take_adjacent(walk *w, shl_tri_pair *list, uint32_t *count)
{
    const bool wanted = w->scene->queries & SHOAL_QUERY_SELF_ADJACENT;
    uint32_t kept = 0;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < *count && !st; i++) {
        const shl_tri *x = tree_tri(w, list[i].a), *y = tree_tri(w, list[i].b);
        uint8_t at_x[3], at_y[3];
        uint32_t shared;
        if (!corners_shared(x, y, at_x, at_y, &shared)) {
            list[kept++] = list[i];
            continue;
        }
        if (!wanted)
            continue;
        double p[9], q[9];
        corners(&w->side_a, list[i].a, p);
        corners(&w->side_a, list[i].b, q);
        w->worker->count.exact_tests++;
        if (shl_exact_tri_adjacent(p, q, shared, at_x, at_y))
            st = emit(w, list[i]);
    }
    *count = kept;
    return st;
}

// The list of a skin names rows, since those are what the tests read.
static shoal_status list_candidates(walk *w)
{
    const uint32_t row = (uint32_t)(w->pair - (shl_body_pair *)w->scene->body_pairs.data);
    const shl_tri_pair *list = w->worker->candidates;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < w->candidate_count && !st; i++) {
        const shoal_pair near = {row, list[i].a, 0, list[i].b}; // as a shl_near
        st = shl_page_push(w->scene, w->worker, w->found, SHL_NEAR, near);
    }
    w->candidate_count = 0;
    return st;
}

// Decides the collected candidates.
static shoal_status flush(walk *w)
{
    if (w->listing)
        return list_candidates(w);
    const uint64_t start = shl_now_ns();
    shl_tri_pair *list = w->worker->candidates;
    shl_counters *counters = &w->worker->count;
    uint32_t count = w->candidate_count;
    w->candidate_count = 0;
    counters->candidates += count;
    shoal_status st = SHOAL_OK;
    if (w->a == w->b)
        st = take_adjacent(w, list, &count);
    count = w->scene->ctx->kernels.tri_overlap(&w->side_a, &w->side_b, list, count, list,
                                               &counters->exact_tests);
    if (count && w->only_first) {
        uint32_t none = 0;
        if (atomic_compare_exchange_strong(&w->pair->hit, &none, 1)) {
            w->pair->hit_a = w->side_a.tri[list[0].a].id;
            w->pair->hit_b = w->side_b.tri[list[0].b].id;
        }
        count = 0;
    }
    for (uint32_t i = 0; i < count && !st; i++)
        st = emit(w, list[i]);
    counters->leaf_ns += shl_now_ns() - start;
    return st;
}

// Boxes of a leaf's triangles, and the rows by which candidates will name them.
static inline shl_lanes open_leaf(const walk *w, shl_free_body *body, uint32_t node, int side,
                                  shl_block *slot)
{
    const shoal_context *ctx = w->scene->ctx;
    if (body->reduced)
        return shl_reduced_leaf(&ctx->kernels, body, node, w->worker);
    return (shl_lanes){open_block(ctx, body, node, side, slot, w->worker),
                       body->tree->first[node]};
}

static shoal_status walk_leaves(walk *w, const shl_node_pair *pair)
{
    const bool self = w->a == w->b && pair->a == pair->b;
    shl_reduced_cache *cache = w->worker->reduced;
    if (cache && cache->leaf_count + 2 > SHL_CACHE_LEAVES) {
        const shoal_status st = flush(w); // candidates name rows that go
        shl_reduced_cache_drop_leaves(cache);
        if (st != SHOAL_OK)
            return st;
    }
    shl_block slot_a, slot_b, slot_grown;
    shl_lanes a = open_leaf(w, w->a, pair->a, 0, &slot_a);
    const shl_lanes b = self ? a : open_leaf(w, w->b, pair->b, 1, &slot_b);
    a.block = grown(w->scene->ctx, a.block, w->grow, &slot_grown);
    shl_tri_pair *list = w->worker->candidates;
    w->candidate_count +=
        w->scene->ctx->kernels.block_tris(a, b, &pair->clip, self, list + w->candidate_count);
    if (w->candidate_count >= (w->only_first ? FIRST_BATCH : SHL_CANDIDATE_BATCH))
        return flush(w);
    return SHOAL_OK;
}

static inline bool decided(const walk *w)
{
    return w->only_first && atomic_load_explicit(&w->pair->hit, memory_order_relaxed);
}

static shoal_status walk_seed(walk *w, const shl_node_pair *seed)
{
    const shoal_context *ctx = w->scene->ctx;
    const shl_tree *tree_a = w->a->tree, *tree_b = w->b->tree;
    shl_counters *counters = &w->worker->count;
    shl_node_pair *stack = w->worker->stack;
    if (tree_a->leaf[seed->a] && tree_b->leaf[seed->b]) {
        counters->node_pairs++;
        return walk_leaves(w, seed);
    }
    uint32_t depth = 1;
    stack[0] = *seed;
    while (depth && !decided(w)) {
        const shl_node_pair pair = stack[--depth];
        shl_node_pair *below = stack + depth;
        const uint32_t n = shl_descend(ctx, w->a, w->b, w->grow, &pair, below, w->worker);
        counters->node_pairs++;
        if (tree_a->inner[pair.a] | tree_b->inner[pair.b]) {
            // leaves among them go first, the others stay on the stack
            uint32_t kept = 0;
            for (uint32_t i = 0; i < n; i++) {
                const shl_node_pair child = below[i];
                if (!tree_a->leaf[child.a] || !tree_b->leaf[child.b]) {
                    below[kept++] = child;
                    continue;
                }
                counters->node_pairs++;
                const shoal_status st = walk_leaves(w, &child);
                if (st != SHOAL_OK)
                    return st;
            }
            depth += kept;
            continue;
        }
        counters->node_pairs += n;
        for (uint32_t i = 0; i < n && !decided(w); i++) {
            const shoal_status st = walk_leaves(w, &below[i]);
            if (st != SHOAL_OK)
                return st;
        }
    }
    return SHOAL_OK;
}

static shl_tri_side side_of(const walk *w, const shl_free_body *b)
{
    if (b->reduced)
        return (shl_tri_side){w->worker->reduced->xyz, w->worker->reduced->tri, SHOAL_F64};
    return (shl_tri_side){b->xyz, b->tree->tri, b->scalar};
}

static void enter_pair(walk *w, shl_body_pair *pair)
{
    const shoal_scene *s = w->scene;
    w->pair = pair;
    w->a = &shl_bodies(s)[pair->a];
    w->b = &shl_bodies(s)[pair->b];
    w->side_a = side_of(w, w->a);
    w->side_b = side_of(w, w->b);
    w->only_first = !w->listing && pair->a != pair->b && !(s->queries & SHOAL_QUERY_PAIRS);
}

shoal_status shl_run_walk(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    shoal_scene *s = ctx;
    walk w = {.scene = s, .worker = &s->workers[worker], .listing = s->skin.listing};
    w.grow = w.listing ? s->skin.grow : 0;
    w.found = (shl_found *)(w.listing ? s->skin.chunks : s->found).data + chunk;
    *w.found = (shl_found){0};
    shoal_status st = SHOAL_OK;
    for (uint32_t i = rows.begin; i < rows.end && !st; i++) {
        const shl_seed *seed = (const shl_seed *)s->seeds.data + i;
        shl_body_pair *pair = (shl_body_pair *)s->body_pairs.data + seed->pair;
        if (w.candidate_count && pair != w.pair)
            st = flush(&w);
        enter_pair(&w, pair);
        if (!st)
            st = walk_seed(&w, &seed->nodes);
    }
    if (w.candidate_count && !st)
        st = flush(&w);
    return st;
}

// How far the triangles of some rows of a new list may move before they can touch.
static void measure_slack(walk *w, shl_near *near, uint32_t count)
{
    float slack[SHL_NEAR_GRAIN];
    shl_tri_pair *list = w->worker->candidates;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (shl_tri_pair){near[i].a, near[i].b};
    w->scene->ctx->kernels.tri_slack(&w->side_a, &w->side_b, list, count, slack);
    for (uint32_t i = 0; i < count; i++)
        near[i].slack = slack[i];
}

// Rows of one body pair: those that may touch by now.
static shoal_status walk_near(walk *w, const shl_near *near, uint32_t count)
{
    const float moved = w->scene->skin.moved_most;
    const uint32_t batch = w->only_first ? FIRST_BATCH : SHL_NEAR_GRAIN;
    shl_tri_pair *list = w->worker->candidates;
    shoal_status st = SHOAL_OK;
    for (uint32_t begin = 0, end; begin < count && !st && !decided(w); begin = end) {
        end = count - begin < batch ? count : begin + batch;
        uint32_t kept = 0;
        for (uint32_t i = begin; i < end; i++) {
            list[kept] = (shl_tri_pair){near[i].a, near[i].b};
            kept += !(near[i].slack > moved);
        }
        w->candidate_count = kept;
        if (kept)
            st = flush(w);
    }
    return st;
}

// Tests what the list of a skin names: no boxes, no trees.
shoal_status shl_run_near(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    shoal_scene *s = ctx;
    walk w = {.scene = s, .worker = &s->workers[worker]};
    w.found = (shl_found *)s->found.data + chunk;
    *w.found = (shl_found){0};
    shl_near *near = s->skin.near.data;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = rows.begin, end; i < rows.end && !st; i = end) {
        for (end = i; end < rows.end && near[end].pair == near[i].pair;)
            end++;
        enter_pair(&w, (shl_body_pair *)s->body_pairs.data + near[i].pair);
        if (s->skin.listing)
            measure_slack(&w, near + i, end - i);
        st = walk_near(&w, near + i, end - i);
    }
    return st;
}
