// SPDX-License-Identifier: MIT
// One level down in two trees at once: the boxes of two nodes' children, made if they are not
// there yet, and which of them overlap.
#include "runtime/scene/steps.h"

#include "runtime/traverse/eval_cache.h"

static const uint32_t busy = UINT32_MAX; // stamp of a block that some thread is just making

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
    if (shl_is_lazy(body)) {
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
        lanes_a.block = shl_grown(ctx, lanes_a.block, grow, &slot_grown);
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
    if (lanes_a.block) {
        const uint32_t n = ctx->kernels.block_pairs(lanes_a, lanes_b, &pair->clip, false, out);
        if (n == 0 || !shl_reduced_slanted(a, pair->a) || !shl_reduced_slanted(b, pair->b) ||
            grow != 0)
            return n;
        return ctx->kernels.slant_keep(&((const shl_opened *)whole.block)->slants,
                                       &((const shl_opened *)lanes_b.block)->slants,
                                       lanes_a.first, lanes_b.first, out, n);
    }
    const uint32_t n = ctx->kernels.block_clip(lanes_b, pair->a, &pair->clip, out);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t node = out[i].a;
        out[i].a = out[i].b;
        out[i].b = node;
    }
    return n;
}
