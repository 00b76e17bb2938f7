// SPDX-License-Identifier: MIT
// Where the front lies: boxes above it are refreshed before the search, those below it when a
// search opens them. The strategies of Larsson & Akenine-Moller (2001) put it at a level. The
// optimal front takes, for each node, the cheaper of both by dynamic programming over the visit
// rates. Refreshing a node that no search visits never pays, so only visited ones are
// considered.
#include "runtime/kinds/free/free.h"

// Rows of the level below; lanes of children in `wanted`.
static uint32_t add_children(const shl_tree *t, shl_front_candidate *rows, uint32_t at,
                             uint32_t count, uint32_t wanted)
{
    shl_front_candidate *row = &rows[at];
    row->child = count;
    row->listed = (uint8_t)wanted;
    for (uint32_t lanes = wanted; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        rows[count++] = (shl_front_candidate){.node = t->first[row->node] + lane};
    }
    return count;
}

static uint32_t front_at_level(const shl_tree *t, uint32_t level, shl_front_candidate *rows)
{
    uint32_t count = 1, begin = 0;
    for (uint32_t l = t->subtree_level; begin < count; l++) {
        const uint32_t end = count;
        for (uint32_t i = begin; i < end; i++) {
            const uint32_t inner = l + 1 < level ? t->inner[rows[i].node] : 0;
            rows[i].refit = l < level;
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
                  shl_front_candidate *rows, shl_front_candidate *row)
{
    float open = c->open, below = 0, refit = reload;
    const shl_front_candidate *child = rows + row->child;
    for (uint32_t k = 0; k < t->count[row->node]; k++) {
        const float fresh = vertex_cost(c, t, t->first[row->node] + k);
        open += fresh;
        if (!(row->listed >> k & 1)) {
            refit += fresh;
            continue;
        }
        below += child->open_cost;
        const bool merge = c->merge + child->refit_cost < fresh + child->open_cost;
        refit += merge ? c->merge + child->refit_cost : fresh + child->open_cost;
        row->merged |= (uint8_t)(merge << k);
        child++;
    }
    row->open_cost = rate * open + below;
    row->refit_cost = refit;
}

static uint32_t optimal_front(const shl_costs *c, const shl_tree *t, float reload,
                              const uint8_t *rate, shl_front_candidate *rows)
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
    rows[0].refit =
        c->merge + rows[0].refit_cost < vertex_cost(c, t, rows[0].node) + rows[0].open_cost;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t child = rows[i].child;
        for (uint32_t lanes = rows[i].listed; lanes; lanes &= lanes - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            rows[child++].refit = rows[i].refit && (rows[i].merged >> lane & 1);
        }
    }
    return count;
}

uint32_t shl_free_strategy(const shl_free_bodies *self, const shl_free_body *b, uint32_t root,
                           shl_front_candidate *rows)
{
    const shl_tree *t = b->tree;
    rows[0] = (shl_front_candidate){.node = root};
    switch (self->ports->def->strategy) {
    case SHOAL_STRATEGY_BOTTOM_UP:
        return front_at_level(t, t->depth, rows);
    case SHOAL_STRATEGY_TOP_DOWN:
        return front_at_level(t, 0, rows);
    case SHOAL_STRATEGY_HYBRID:
        return front_at_level(t, (t->depth + 1) / 2, rows);
    case SHOAL_STRATEGY_OPTIMAL:
    case SHOAL_STRATEGY_AUTO:
        break;
    }
    return optimal_front(&self->costs[b->scalar], t, self->reload_ns, b->rate.data, rows);
}
