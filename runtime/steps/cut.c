// SPDX-License-Identifier: MIT
// Where to cut a tree: above the cut boxes are refreshed before the search, below it when
// touched. The paper's strategies (Larsson & Akenine-Moller 2001) cut at a level. The optimal
// cut takes, for each node, the cheaper of both by dynamic programming over how often it was
// touched.
#include "runtime/steps/steps.h"

#include <string.h>

// Costs in nanoseconds on the machine they were measured on; only their ratios matter.
static const float range_ns = 0.2f;  // a vertex in a range
static const float listed_ns = 0.8f; // a listed vertex
static const float child_ns = 4;     // a child's box, whatever it is made of
static const float merge_ns = 7;     // a child's box by merging its block
static const float touch_ns = 20;    // opening a block during the search, beside its boxes
enum { PROBE_EVERY = 16 };

static void cut_at_level(const shl_tree *t, uint32_t level, shl_cut *out)
{
    memset(out->eager, 0, t->node_count);
    for (uint32_t l = 0; l < level; l++) {
        for (uint32_t n = t->level[l]; n < t->level[l + 1]; n++) {
            out->eager[n] = !t->leaf[n];
            out->merged[n] = l + 1 < level ? t->inner[n] : 0;
        }
    }
}

static float vertex_cost(const shl_tree *t, uint32_t n)
{
    return child_ns + range_ns * (float)(t->vertex_end[n] - t->vertex_begin[n]) +
           listed_ns * (float)(t->list_begin[n + 1] - t->list_begin[n]);
}

// lazy[n]: expected cost of n's block and all below if made when touched.
// made[n]: of n's block made ahead, each child's box by the cheaper way, and all below.
static void cut_optimal(const shl_tree *t, uint32_t part_level, const float *heat, float *lazy,
                        float *made, shl_cut *out)
{
    for (uint32_t n = t->node_count; n-- > 0;) {
        float open = touch_ns, below = 0, ahead = 0;
        out->merged[n] = 0;
        for (uint32_t k = 0; !t->leaf[n] && k < t->count[n]; k++) {
            const uint32_t child = t->first[n] + k;
            const float fresh = vertex_cost(t, child);
            open += fresh;
            if (t->leaf[child]) {
                ahead += fresh;
                continue;
            }
            below += lazy[child];
            const bool merge = merge_ns + made[child] < fresh + lazy[child];
            ahead += merge ? merge_ns + made[child] : fresh + lazy[child];
            out->merged[n] |= (uint8_t)(merge << k);
        }
        lazy[n] = heat[n] * open + below;
        made[n] = ahead;
    }
    // downwards: a part's root is made if that is cheaper, and who is merged is made
    memset(out->eager, 0, t->node_count);
    for (uint32_t n = t->level[part_level]; n < t->node_count; n++) {
        const uint32_t parent = t->parent[n];
        if (t->leaf[n])
            continue;
        if (n < t->level[part_level + 1])
            out->eager[n] = merge_ns + made[n] < vertex_cost(t, n) + lazy[n];
        else
            out->eager[n] =
                out->eager[parent] && (out->merged[parent] >> (n - t->first[parent]) & 1);
    }
}

shoal_status shl_cut_choose(shoal_scene *s, const shl_free_body *b, shl_cut *out)
{
    const shl_tree *t = b->tree;
    const size_t nodes = t->node_count, stride = (nodes + 63) / 64 * 64;
    shoal_status st =
        shl_array_reserve(&s->costs, stride * (2 + 3 * sizeof(float)), 0, &s->allocator);
    if (st != SHOAL_OK)
        return st;
    float *lazy = s->costs.data, *made = lazy + stride, *cold = made + stride;
    out->eager = (uint8_t *)(cold + stride);
    out->merged = out->eager + stride;
    switch (s->def.strategy) {
    case SHOAL_STRATEGY_BOTTOM_UP:
        cut_at_level(t, t->depth, out);
        break;
    case SHOAL_STRATEGY_TOP_DOWN:
        cut_at_level(t, 0, out);
        break;
    case SHOAL_STRATEGY_HYBRID:
        cut_at_level(t, (t->depth + 1) / 2, out);
        break;
    case SHOAL_STRATEGY_OPTIMAL:
        memset(cold, 0, nodes * sizeof *cold);
        cut_optimal(t, b->part_level, b->heat.data ? b->heat.data : cold, lazy, made, out);
        break;
    }
    return SHOAL_OK;
}

// Often at first, when nothing is known, then now and then.
static bool probing(const shoal_scene *s)
{
    return s->def.strategy == SHOAL_STRATEGY_OPTIMAL &&
           (s->step < PROBE_EVERY ? (s->step & (s->step - 1)) == 0
                                  : s->step % PROBE_EVERY == 0);
}

static shoal_status note_touches(shoal_scene *s, shl_free_body *b)
{
    const size_t nodes = b->tree->node_count;
    const bool first = !b->heat.data;
    shoal_status st = shl_array_reserve(&b->opened_memory, nodes, 0, &s->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&b->heat, nodes * sizeof(float), 0, &s->allocator);
    if (st != SHOAL_OK)
        return st;
    if (first)
        memset(b->heat.data, 0, nodes * sizeof(float));
    memset(b->opened_memory.data, 0, nodes);
    b->opened = b->opened_memory.data;
    return SHOAL_OK;
}

shoal_status shl_heat_begin(shoal_scene *s)
{
    s->step++;
    for (uint32_t i = 0; i < s->body_count; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        b->opened = NULL;
        if (!b->model || b->reduced || !probing(s))
            continue;
        shoal_status st = note_touches(s, b);
        if (st != SHOAL_OK)
            return st;
    }
    return SHOAL_OK;
}

void shl_heat_end(shoal_scene *s)
{
    const float keep = s->step < PROBE_EVERY ? 0 : 0.5f; // old news fades
    for (uint32_t i = 0; i < s->body_count; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        if (!b->model || !b->opened)
            continue;
        float *heat = b->heat.data;
        for (uint32_t n = 0; n < b->tree->node_count; n++) {
            const float now = atomic_load_explicit(&b->opened[n], memory_order_relaxed);
            heat[n] = keep * heat[n] + (1 - keep) * now;
        }
        b->opened = NULL;
        s->planned = false;
    }
}
