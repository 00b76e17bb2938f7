// SPDX-License-Identifier: MIT
#include "runtime/traverse/open.h"

#include "runtime/traverse/eval_cache.h"

static const uint32_t busy = UINT32_MAX; // stamp of a block that some thread is just making

void shl_view_of(const shl_ports *ports, uint32_t body, shl_view *out)
{
    const shl_bodies *b = ports->bodies;
    const shl_kind *kind = shl_kinds[b->kind[body]];
    *out = (shl_view){
        .kind = kind, .kernels = &ports->ctx->kernels, .box = &b->box[body], .body = body};
    out->flags = shl_body_is(b, body, SHL_BODY_UNBOUNDED) ? SHL_VIEW_UNBOUNDED : 0;
    kind->view(ports->kinds[b->kind[body]], b->row[body], out);
}

__attribute__((noinline)) shl_opened shl_open_kept(const shl_view *v, uint32_t node,
                                                   shl_block *slot, shl_scratch *scratch)
{
    _Atomic uint32_t *stamp = &v->stamps[node];
    uint32_t seen = atomic_load_explicit(stamp, memory_order_acquire);
    if (seen == v->epoch)
        return (shl_opened){&v->blocks[node], NULL};
    scratch->count.opened_nodes++;
    const bool mine =
        seen != busy && atomic_compare_exchange_strong_explicit(
                            stamp, &seen, busy, memory_order_acquire, memory_order_relaxed);
    shl_block *out = mine ? &v->blocks[node] : slot;
    v->kernels->node_open[v->side.scalar](v->tree, v->side.xyz, node, 0, out);
    if (mine)
        atomic_store_explicit(stamp, v->epoch, memory_order_release);
    return (shl_opened){out, NULL};
}

shl_lanes shl_open_leaf(const shl_view *v, uint32_t node, int side, shl_block *slot,
                        shl_scratch *scratch)
{
    if (!shl_view_is(v, SHL_VIEW_EVALUATED))
        return (shl_lanes){shl_open(v, node, side, slot, scratch).block, v->tree->first[node]};
    const uint32_t at = v->kind->evaluate(v, node, scratch);
    return (shl_lanes){shl_eval_boxes(scratch->eval, v->kernels, at, v->tree->count[node]),
                       SHL_LANES * at};
}

shl_tri_side shl_view_side(const shl_view *v, const shl_scratch *scratch)
{
    if (shl_view_is(v, SHL_VIEW_EVALUATED))
        return (shl_tri_side){scratch->eval->xyz, scratch->eval->tri, SHOAL_F64};
    return v->side;
}

void shl_view_corners(const shl_view *v, const shl_tri_ref *ref, shl_scratch *scratch,
                      double out[9])
{
    uint32_t row = ref->row;
    if (shl_view_is(v, SHL_VIEW_EVALUATED)) {
        shl_eval_reserve(scratch->eval, 1);
        row = SHL_LANES * v->kind->evaluate(v, ref->node, scratch) +
              (ref->row - v->tree->first[ref->node]);
    }
    const shl_tri_side side = shl_view_side(v, scratch);
    shl_tri_corners(&side, row, out);
}

static inline shl_opened open_inner(const shl_view *v, uint32_t node, int side, shl_block *slot,
                                    shl_scratch *scratch)
{
    if (v->tree->leaf[node])
        return (shl_opened){NULL, NULL};
    return shl_open(v, node, side, slot, scratch);
}

uint32_t shl_descend(const shl_view *a, const shl_view *b, float grow,
                     const shl_node_pair *pair, shl_node_pair *out, shl_scratch *scratch)
{
    const shl_kernels *kernels = a->kernels;
    const bool self = pair->a == pair->b && shl_view_same(a, b);
    shl_block slot_a, slot_b, slot_grown;
    const shl_opened opened_a = open_inner(a, pair->a, 0, &slot_a, scratch);
    const shl_lanes whole = {opened_a.block, a->tree->first[pair->a]};
    shl_lanes lanes_a = whole;
    if (lanes_a.block)
        lanes_a.block = shl_grown(kernels, lanes_a.block, grow, &slot_grown);
    if (self) {
        uint32_t n = kernels->block_pairs(lanes_a, whole, &pair->clip, true, out);
        for (uint32_t lane = 0; lane < a->tree->count[pair->a]; lane++) {
            const uint32_t child = lanes_a.first + lane;
            out[n++] = (shl_node_pair){child, child, pair->clip};
        }
        return n;
    }
    const shl_opened opened_b = open_inner(b, pair->b, 1, &slot_b, scratch);
    const shl_lanes lanes_b = {opened_b.block, b->tree->first[pair->b]};
    if (!lanes_b.block)
        return kernels->block_clip(lanes_a, pair->b, &pair->clip, out);
    if (lanes_a.block) {
        const uint32_t n = kernels->block_pairs(lanes_a, lanes_b, &pair->clip, false, out);
        if (n == 0 || !opened_a.slants || !opened_b.slants || grow != 0)
            return n;
        return kernels->slant_filter(opened_a.slants, opened_b.slants, lanes_a.first,
                                     lanes_b.first, out, n);
    }
    const uint32_t n = kernels->block_clip(lanes_b, pair->a, &pair->clip, out);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t node = out[i].a;
        out[i].a = out[i].b;
        out[i].b = node;
    }
    return n;
}
