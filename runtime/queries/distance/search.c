// SPDX-License-Identifier: MIT
#include "runtime/queries/distance/search.h"

#include "kernels/round.h"
#include "runtime/traverse/eval_cache.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Each level of a tree leaves at most eight entries behind.
enum { STACK_ROWS = (2 * SHL_LEVELS_MAX + 2) * SHL_LANES };

// Two nodes and the square of their boxes' gap.
typedef struct entry {
    uint32_t a, b;
    float gap;
    shl_box box_a, box_b;
} entry;

// --- Bounds. ---

double shl_search_slack(const shl_box *a, const shl_box *b)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        const float lo = a->lo[k] < b->lo[k] ? a->lo[k] : b->lo[k];
        const float hi = a->hi[k] > b->hi[k] ? a->hi[k] : b->hi[k];
        most = fmax(most, (double)hi - (double)lo);
    }
    return SHL_DISTANCE_ERROR * (1 + 0x1p-40) * most;
}

// 2^-20 and 2^-120 are more than kernels/boxes/block_gap.h needs, and what is rounded here.
float shl_search_limit(double bound, double slack)
{
    const double far = bound + slack, square = far * far * (1 + 0x1p-20) + 0x1p-120;
    return square < (double)FLT_MAX ? shl_round_up(square) : INFINITY;
}

float shl_box_gap(const shl_kernels *kernels, const shl_box *a, const shl_box *b)
{
    shl_block block = {.lo = {{0}}};
    for (int k = 0; k < 3; k++) {
        block.lo[k][0] = b->lo[k];
        block.hi[k][0] = b->hi[k];
    }
    float gap[SHL_LANES];
    kernels->block_gap(a, &block, gap);
    return gap[0];
}

// What would improve the pair: nearer than what it has, and near enough for a query.
static double pair_bound(const shl_distance_search *s)
{
    const shl_distance *d = s->distance;
    const _Atomic uint64_t *bound = d->bound.data;
    double most = d->queries & SHOAL_QUERY_WITHIN ? d->ports->def->within : 0;
    if (d->queries & SHOAL_QUERY_NEAREST && !s->within_only) {
        most = fmax(most, shl_bound_get(&bound[s->a.body]));
        most = fmax(most, shl_bound_get(&bound[s->b.body]));
    }
    return fmin(most, s->pair->distance);
}

// Nothing is nearer than 0, and of equals the lowest numbers win: whoever has found 0 looks
// only for lower ones.
static float own_limit(const shl_distance_search *s, uint32_t lane)
{
    const shl_closest_tri *own = &s->own[lane];
    if (own->distance == 0 && own->body < s->b.body && !shl_distance_plain(s->distance))
        return -1;
    return shl_search_limit(fmin(own->distance, s->own_upper[lane]), s->slack);
}

static void set_limits(shl_distance_search *s)
{
    if (s->pair) {
        s->limit = shl_search_limit(pair_bound(s), s->slack);
        return;
    }
    s->limit = -1;
    for (int lane = 0; lane < SHL_LANES; lane++)
        s->limit = fmaxf(s->limit, s->own_limit[lane]);
}

// --- Triangles. ---

bool shl_tris_adjacent(const shl_tri *x, const shl_tri *y)
{
    for (int i = 0; i < 9; i++) {
        if (x->v[i / 3] == y->v[i % 3])
            return true;
    }
    return false;
}

// Candidates of two leaves, in the order in which distances are defined: the lower body first,
// or the lower triangle.
typedef struct batch {
    shl_tri_pair pairs[SHL_LANES * SHL_LANES];
    uint8_t lane_a[SHL_LANES * SHL_LANES], lane_b[SHL_LANES * SHL_LANES];
    uint32_t count;
} batch;

static void lane_box(const shl_block *block, uint32_t lane, shl_box *out)
{
    for (int k = 0; k < 3; k++) {
        out->lo[k] = block->lo[k][lane];
        out->hi[k] = block->hi[k][lane];
    }
}

// Two leaves as kernels/tri/tri_apart.h wants them: from a corner of a, by their extent.
typedef struct packed {
    float a[SHL_LANES][9];
    shl_tri_lanes b;
    double scale; // 0: they cannot be packed
} packed;

// Corners by lane; returns the largest coordinate, from `origin`.
static double unpack(const shl_tri_side *side, uint32_t first, uint32_t count,
                     const double origin[3], double (*out)[9])
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++) {
        shl_tri_corners(side, first + i, out[i]);
        for (int c = 0; c < 9; c++) {
            out[i][c] -= origin[c % 3];
            const double size = fabs(out[i][c]);
            most = size > most ? size : most;
        }
    }
    return most;
}

static void pack(const shl_distance_search *s, uint32_t node_a, shl_lanes a, uint32_t node_b,
                 shl_lanes b, packed *out)
{
    const shl_tri_side side_a = shl_view_side(&s->a, s->scratch),
                       side_b = shl_view_side(&s->b, s->scratch);
    const uint32_t count_a = s->a.tree->count[node_a], count_b = s->b.tree->count[node_b];
    double from[9], x[SHL_LANES][9], y[SHL_LANES][9];
    shl_tri_corners(&side_a, a.first, from);
    double most = unpack(&side_a, a.first, count_a, from, x);
    most = fmax(most, unpack(&side_b, b.first, count_b, from, y));
    int power;
    out->scale = 0;
    if (!(most > 1e-200 && most < 1e200))
        return;
    (void)frexp(most, &power);
    out->scale = ldexp(1, -power);
    for (uint32_t i = 0; i < count_a; i++) {
        for (int c = 0; c < 9; c++)
            out->a[i][c] = (float)(x[i][c] * out->scale);
    }
    for (uint32_t i = 0; i < SHL_LANES; i++) { // lanes that are not there repeat the first
        for (int c = 0; c < 9; c++)
            out->b.x[c / 3][c % 3][i] = (float)(y[i < count_b ? i : 0][c] * out->scale);
    }
}

// Of the lanes of b those that may be within the limit of lane i of a.
static uint32_t sieve(const shl_distance_search *s, const packed *p, uint32_t i, float limit,
                      uint32_t lanes)
{
    if (!(p->scale > 0))
        return lanes;
    const float scaled = shl_round_up(sqrt((double)limit) * p->scale * (1 + 0x1p-40));
    return s->a.kernels->tri_apart(p->a[i], &p->b, scaled, lanes);
}

// Whether two triangles could only tie with what has been found at distance 0, and would lose.
static bool loses(const shl_distance_search *s, uint32_t lane, uint32_t id_a, uint32_t id_b)
{
    if (shl_distance_plain(s->distance))
        return false;
    if (s->own) {
        const shl_closest_tri *own = &s->own[lane];
        return own->distance == 0 && own->body == s->b.body && id_b >= own->at.id;
    }
    const shl_closest_pair *best = s->pair;
    return best->distance == 0 && best->at_a.id != SHL_NONE &&
           (id_a > best->at_a.id || (id_a == best->at_a.id && id_b >= best->at_b.id));
}

static void collect(const shl_distance_search *s, uint32_t node_a, shl_lanes a, uint32_t node_b,
                    shl_lanes b, batch *out)
{
    const shl_tree *tree_a = s->a.tree, *tree_b = s->b.tree;
    const shl_tri *tri_a = tree_a->tri + tree_a->first[node_a];
    const shl_tri *tri_b = tree_b->tri + tree_b->first[node_b];
    const bool self = shl_view_same(&s->a, &s->b), swap = s->a.body > s->b.body;
    const float *lower_a = s->tris_a ? s->tris_a + tree_a->first[node_a] : NULL;
    const float *lower_b = s->tris_b ? s->tris_b + tree_b->first[node_b] : NULL;
    packed corners = {.scale = -1};
    out->count = 0;
    for (uint32_t i = 0; i < tree_a->count[node_a]; i++) {
        const float limit = s->own ? s->own_limit[i] : s->limit;
        if (lower_a && lower_a[i] > limit)
            continue;
        shl_box box;
        float gap[SHL_LANES];
        lane_box(a.block, i, &box);
        s->a.kernels->block_gap(&box, b.block, gap);
        uint32_t lanes = 0;
        for (uint32_t k = 0; k < tree_b->count[node_b]; k++)
            lanes |= (uint32_t) !(gap[k] > limit || (lower_b && lower_b[k] > limit) ||
                                  (self && shl_tris_adjacent(&tri_a[i], &tri_b[k])) ||
                                  loses(s, i, tri_a[i].id, tri_b[k].id))
                     << k;
        s->scratch->count.candidates += (uint32_t)__builtin_popcount(lanes);
        if (lanes && limit < INFINITY) {
            if (corners.scale < 0)
                pack(s, node_a, a, node_b, b, &corners);
            lanes = sieve(s, &corners, i, limit, lanes);
        }
        for (; lanes; lanes &= lanes - 1) {
            const uint32_t k = (uint32_t)__builtin_ctz(lanes);
            const bool turn = self ? tri_a[i].id > tri_b[k].id : swap;
            out->pairs[out->count] = turn ? (shl_tri_pair){b.first + k, a.first + i}
                                          : (shl_tri_pair){a.first + i, b.first + k};
            out->lane_a[out->count] = (uint8_t)i;
            out->lane_b[out->count++] = (uint8_t)k;
        }
    }
}

static shl_tri_ref tri_ref_of(const shl_tree *tree, uint32_t node, uint32_t lane)
{
    const uint32_t row = tree->first[node] + lane;
    return (shl_tri_ref){node, row, tree->tri[row].id};
}

// Least by distance and both triangles.
static void offer_pair(shl_closest_pair *best, double distance, shl_tri_ref a, shl_tri_ref b)
{
    if (distance > best->distance)
        return;
    const bool known = best->at_a.id != SHL_NONE;
    if (distance == best->distance && known &&
        (a.id > best->at_a.id || (a.id == best->at_a.id && b.id >= best->at_b.id)))
        return;
    best->distance = distance;
    best->at_a = a;
    best->at_b = b;
}

// Least by distance, other body and its triangle.
static void offer_tri(shl_closest_tri *best, double distance, uint32_t body, shl_tri_ref at)
{
    if (distance > best->distance ||
        (distance == best->distance &&
         (body > best->body || (body == best->body && at.id >= best->at.id))))
        return;
    *best = (shl_closest_tri){distance, body, at};
}

static void take(shl_distance_search *s, uint32_t node_a, uint32_t node_b, const batch *found,
                 const double *distance)
{
    for (uint32_t i = 0; i < found->count; i++) {
        const uint32_t lane = found->lane_a[i];
        const shl_tri_ref a = tri_ref_of(s->a.tree, node_a, lane);
        const shl_tri_ref b = tri_ref_of(s->b.tree, node_b, found->lane_b[i]);
        if (s->pair) {
            offer_pair(s->pair, distance[i], a, b);
            continue;
        }
        offer_tri(&s->own[lane], distance[i], s->b.body, b);
        s->own_limit[lane] = own_limit(s, lane);
    }
    if (s->pair && found->count && !s->within_only &&
        (s->distance->queries & SHOAL_QUERY_NEAREST) && !shl_distance_plain(s->distance)) {
        _Atomic uint64_t *bound = s->distance->bound.data;
        shl_bound_lower(&bound[s->a.body], s->pair->distance);
        shl_bound_lower(&bound[s->b.body], s->pair->distance);
    }
    set_limits(s);
}

static void test_leaves(shl_distance_search *s, uint32_t node_a, uint32_t node_b)
{
    shl_eval_reserve(s->scratch->eval, 2);
    shl_block slot_a, slot_b;
    const shl_lanes a = shl_open_leaf(&s->a, node_a, 0, &slot_a, s->scratch);
    const shl_lanes b = shl_open_leaf(&s->b, node_b, 1, &slot_b, s->scratch);
    batch found;
    collect(s, node_a, a, node_b, b, &found);
    if (found.count == 0)
        return;
    const bool swap = s->a.body > s->b.body;
    const shl_tri_side side_a = shl_view_side(swap ? &s->b : &s->a, s->scratch);
    const shl_tri_side side_b = shl_view_side(swap ? &s->a : &s->b, s->scratch);
    double distance[SHL_LANES * SHL_LANES];
    shl_counters *count = &s->scratch->count;
    s->a.kernels->tri_distance(&side_a, &side_b, found.pairs, found.count, distance,
                               &count->exact_tests);
    count->distances += found.count;
    take(s, node_a, node_b, &found, distance);
}

// --- Nodes. ---

static float extent(const shl_box *box)
{
    return (box->hi[0] - box->lo[0]) + (box->hi[1] - box->lo[1]) + (box->hi[2] - box->lo[2]);
}

// Children of one node of the entry that may matter, the nearest on top of the stack.
static uint32_t open_entry(shl_distance_search *s, const entry *e, bool open_a, entry *out)
{
    const shl_view *body = open_a ? &s->a : &s->b;
    const uint32_t node = open_a ? e->a : e->b;
    shl_block slot;
    const shl_block *block = shl_open(body, node, !open_a, &slot, s->scratch).block;
    float gap[SHL_LANES];
    s->a.kernels->block_gap(open_a ? &e->box_b : &e->box_a, block, gap);
    const float *lower = open_a ? s->nodes_a : s->nodes_b;
    lower = lower ? lower + body->tree->first[node] : NULL;
    uint8_t order[SHL_LANES];
    uint32_t n = 0;
    for (uint8_t lane = 0; lane < body->tree->count[node]; lane++) {
        if (gap[lane] > s->limit || (lower && lower[lane] > s->limit))
            continue;
        uint32_t at = n++;
        for (; at > 0 && gap[order[at - 1]] < gap[lane]; at--)
            order[at] = order[at - 1];
        order[at] = lane;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t lane = order[i], child = body->tree->first[node] + lane;
        out[i].a = open_a ? child : e->a;
        out[i].b = open_a ? e->b : child;
        out[i].gap = gap[lane];
        out[i].box_a = e->box_a;
        out[i].box_b = e->box_b;
        lane_box(block, lane, open_a ? &out[i].box_a : &out[i].box_b);
    }
    return n;
}

static void walk(shl_distance_search *s, entry root)
{
    entry stack[STACK_ROWS + SHL_LANES];
    uint32_t depth = 1;
    stack[0] = root;
    while (depth) {
        const entry e = stack[--depth];
        if (e.gap > s->limit)
            continue;
        s->scratch->count.node_pairs++;
        const bool leaf_a = s->a.tree->leaf[e.a], leaf_b = s->b.tree->leaf[e.b];
        if (leaf_a && leaf_b) {
            test_leaves(s, e.a, e.b);
            continue;
        }
        const bool open_a = leaf_b || (!leaf_a && extent(&e.box_a) > extent(&e.box_b));
        depth += open_entry(s, &e, open_a, stack + depth);
    }
}

// Bounds of distances to other bodies say nothing of those within one.
static void set_lower(shl_distance_search *s)
{
    const bool other = !s->before_grid && !shl_view_same(&s->a, &s->b);
    s->tris_a = other ? shl_grid_lower_tris(s->distance, s->a.body) : NULL;
    s->tris_b = other ? shl_grid_lower_tris(s->distance, s->b.body) : NULL;
    s->nodes_a = other ? shl_grid_lower_nodes(s->distance, s->a.body) : NULL;
    s->nodes_b = other ? shl_grid_lower_nodes(s->distance, s->b.body) : NULL;
}

void shl_search_bodies(shl_distance_search *s)
{
    s->own = NULL;
    set_lower(s);
    s->slack = shl_search_slack(s->a.box, s->b.box);
    set_limits(s);
    walk(s, (entry){0, 0, shl_box_gap(s->a.kernels, s->a.box, s->b.box), *s->a.box, *s->b.box});
}

void shl_search_leaf(shl_distance_search *s, uint32_t node, const shl_box *box)
{
    s->pair = NULL;
    set_lower(s);
    s->slack = shl_search_slack(s->a.box, s->b.box);
    for (uint32_t lane = 0; lane < SHL_LANES; lane++)
        s->own_limit[lane] = lane < s->a.tree->count[node] ? own_limit(s, lane) : -1;
    set_limits(s);
    walk(s, (entry){node, 0, shl_box_gap(s->a.kernels, box, s->b.box), *box, *s->b.box});
}
