// SPDX-License-Identifier: MIT
// Where to cut a tree: above the cut boxes are refreshed before the search, below it when
// touched. The paper's strategies (Larsson & Akenine-Moller 2001) cut at a level. The optimal
// cut takes, for each node, the cheaper of both by dynamic programming over how often it was
// touched. Nodes that nobody touched are never worth it, so only touched ones are looked at.
#include "runtime/kinds/free/free.h"

// Rows of the level below; lanes of children in `wanted`.
static uint32_t add_children(const shl_tree *t, shl_cut_row *rows, uint32_t at, uint32_t count,
                             uint32_t wanted)
{
    shl_cut_row *row = &rows[at];
    row->child = count;
    row->listed = (uint8_t)wanted;
    for (uint32_t lanes = wanted; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        rows[count++] = (shl_cut_row){.node = t->first[row->node] + lane};
    }
    return count;
}

static uint32_t cut_at_level(const shl_tree *t, uint32_t level, shl_cut_row *rows)
{
    uint32_t count = 1, begin = 0;
    for (uint32_t l = t->part_level; begin < count; l++) {
        const uint32_t end = count;
        for (uint32_t i = begin; i < end; i++) {
            const uint32_t inner = l + 1 < level ? t->inner[rows[i].node] : 0;
            rows[i].ahead = l < level;
            rows[i].merged = (uint8_t)inner;
            count = add_children(t, rows, i, count, inner);
        }
        begin = end;
    }
    return count;
}

static float vertex_cost(const shl_costs *c, const shl_tree *t, uint32_t n)
{
    return c->child + c->range * (float)(t->vertex_end[n] - t->vertex_begin[n]) +
           c->listed * (float)(t->list_begin[n + 1] - t->list_begin[n]);
}

static void weigh(const shl_costs *c, const shl_tree *t, float reload, float rate,
                  shl_cut_row *rows, shl_cut_row *row)
{
    float open = c->touch, below = 0, ahead = reload;
    const shl_cut_row *child = rows + row->child;
    for (uint32_t k = 0; k < t->count[row->node]; k++) {
        const float fresh = vertex_cost(c, t, t->first[row->node] + k);
        open += fresh;
        if (!(row->listed >> k & 1)) {
            ahead += fresh;
            continue;
        }
        below += child->lazy;
        const bool merge = c->merge + child->made < fresh + child->lazy;
        ahead += merge ? c->merge + child->made : fresh + child->lazy;
        row->merged |= (uint8_t)(merge << k);
        child++;
    }
    row->lazy = rate * open + below;
    row->made = ahead;
}

static uint32_t cut_optimal(const shl_costs *c, const shl_tree *t, float reload,
                            const uint8_t *rate, shl_cut_row *rows)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t n = rows[i].node;
        uint32_t wanted = 0;
        for (uint32_t lanes = t->inner[n]; lanes; lanes &= lanes - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            wanted |= (uint32_t)(rate[t->first[n] + lane] != 0) << lane;
        }
        count = add_children(t, rows, i, count, wanted);
    }
    for (uint32_t i = count; i-- > 0;)
        weigh(c, t, reload, (float)rate[rows[i].node] * (1.0f / 255), rows, &rows[i]);
    // downwards: the root is made if that is cheaper, and who is merged is made
    rows[0].ahead = c->merge + rows[0].made < vertex_cost(c, t, rows[0].node) + rows[0].lazy;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t child = rows[i].child;
        for (uint32_t lanes = rows[i].listed; lanes; lanes &= lanes - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            rows[child++].ahead = rows[i].ahead && (rows[i].merged >> lane & 1);
        }
    }
    return count;
}

uint32_t shl_free_cut(const shl_free_bodies *self, const shl_free_body *b, uint32_t root,
                      shl_cut_row *rows)
{
    const shl_tree *t = b->tree;
    rows[0] = (shl_cut_row){.node = root};
    switch (self->ports->def->strategy) {
    case SHOAL_STRATEGY_BOTTOM_UP:
        return cut_at_level(t, t->depth, rows);
    case SHOAL_STRATEGY_TOP_DOWN:
        return cut_at_level(t, 0, rows);
    case SHOAL_STRATEGY_HYBRID:
        return cut_at_level(t, (t->depth + 1) / 2, rows);
    case SHOAL_STRATEGY_OPTIMAL:
    case SHOAL_STRATEGY_AUTO:
        break;
    }
    return cut_optimal(&self->costs[b->scalar], t, self->reload_ns, b->rate.data, rows);
}
