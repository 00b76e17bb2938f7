// SPDX-License-Identifier: MIT
// For every triangle the nearest one of another body, and of its own body among those that
// share no vertex with it. The triangles of a leaf search together, body after body, the
// nearest box first; each begins with what was nearest in the last step.
#include "runtime/queries/distance/search.h"
#include "runtime/traverse/eval_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t query_of[2] = {SHOAL_QUERY_NEAREST_TRIANGLES, SHOAL_QUERY_NEAREST_SELF};

// The rows that a body has in this step.
static shl_closest_layout layout_of(const shl_distance *d, uint32_t slot)
{
    const uint32_t *begin = d->tri_begin.data;
    const uint32_t body = shl_distance_body(d, slot);
    return (shl_closest_layout){body, d->ports->bodies->revision[body], begin[slot],
                                begin[slot + 1] - begin[slot]};
}

// Whether rows of triangles mean the same as in the last step.
static bool same_layout(const shl_distance *d)
{
    bool same = d->layout_count == d->body_count;
    for (uint32_t i = 0; i < d->body_count && same; i++) {
        const shl_closest_layout now = layout_of(d, i);
        same = memcmp((const shl_closest_layout *)d->layout.data + i, &now, sizeof now) == 0;
    }
    return same;
}

// Rows of bodies that were there in the last step go where those are now; others know nothing.
// Both lists of bodies ascend by number.
static shoal_status move_rows(shl_distance *d, int q, size_t tris)
{
    const shoal_status st = shl_array_reserve(&d->best_spare, tris * sizeof(shl_closest_tri), 0,
                                              d->ports->allocator);
    if (st != SHOAL_OK)
        return st;
    const shl_closest_layout *old = d->layout.data;
    shl_closest_tri *to = d->best_spare.data;
    for (uint32_t i = 0, k = 0; i < d->body_count; i++) {
        const shl_closest_layout now = layout_of(d, i);
        while (k < d->layout_count && old[k].body < now.body)
            k++;
        const bool stayed =
            k < d->layout_count && old[k].body == now.body && old[k].revision == now.revision;
        if (stayed)
            memcpy(to + now.first, (const shl_closest_tri *)d->best[q].data + old[k].first,
                   now.count * sizeof *to);
        for (uint32_t t = 0; t < now.count && !stayed; t++)
            to[now.first + t].body = SHL_NONE;
    }
    const shl_array best = d->best[q];
    d->best[q] = d->best_spare;
    d->best_spare = best;
    return SHOAL_OK;
}

shoal_status shl_distance_plan_rows(shl_distance *d)
{
    const size_t n = d->body_count + (size_t)1;
    shoal_status st = SHL_RESERVE(d->ports->allocator, {&d->tri_begin, n * sizeof(uint32_t)},
                                  {&d->node_begin, n * sizeof(uint32_t)});
    if (st != SHOAL_OK)
        return st;
    uint32_t *tri = d->tri_begin.data, *node = d->node_begin.data;
    uint64_t tris = 0, nodes = 0;
    for (uint32_t i = 0; i < d->body_count; i++) {
        shl_view view;
        shl_view_of(d->ports, shl_distance_body(d, i), &view);
        tri[i] = (uint32_t)tris;
        node[i] = (uint32_t)nodes;
        tris += view.tree->triangle_count;
        nodes += view.tree->node_count;
        if (tris > UINT32_MAX || nodes > UINT32_MAX)
            return SHOAL_ERR_LIMIT;
    }
    tri[d->body_count] = (uint32_t)tris;
    node[d->body_count] = (uint32_t)nodes;
    return SHOAL_OK;
}

shoal_status shl_distance_plan_triangles(shl_distance *d)
{
    if (!(d->queries & (query_of[0] | query_of[1])))
        return SHOAL_OK;
    shoal_status st =
        shl_array_reserve(&d->layout, (d->body_count + (size_t)1) * sizeof(shl_closest_layout),
                          d->layout_count * sizeof(shl_closest_layout), d->ports->allocator);
    const size_t tris = ((const uint32_t *)d->tri_begin.data)[d->body_count];
    const bool same = same_layout(d);
    for (int q = 0; q < 2 && st == SHOAL_OK; q++) {
        d->known[q] = d->known[q] && !shl_distance_plain(d);
        if (d->known[q] && !same)
            st = move_rows(d, q, tris);
        if (st != SHOAL_OK || !(d->queries & query_of[q]))
            continue;
        st = shl_array_reserve(&d->best[q], tris * sizeof(shl_closest_tri),
                               d->known[q] ? tris * sizeof(shl_closest_tri) : 0,
                               d->ports->allocator);
        if (st == SHOAL_OK)
            st = shl_array_reserve(&d->tris[q], tris * sizeof(shoal_nearest), 0,
                                   d->ports->allocator);
        d->tri_count[q] = tris;
    }
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; i < d->body_count; i++)
        ((shl_closest_layout *)d->layout.data)[i] = layout_of(d, i);
    d->layout_count = d->body_count;
    d->node_rows = ((const uint32_t *)d->node_begin.data)[d->body_count];
    return SHOAL_OK;
}

uint32_t shl_distance_slot(const shl_array *begin, uint32_t count, uint32_t row)
{
    const uint32_t *b = begin->data;
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        *(b[middle] <= row ? &low : &high) = middle;
    }
    return low;
}

// One leaf's search.
typedef struct leaf_search {
    shl_distance_search search;
    uint32_t slot; // of its body in the list
    uint32_t node;
    shl_box box;
} leaf_search;

// The view becomes that of the body, if it is not yet; triangles of a leaf often share one.
static void enter_view(const shl_distance *d, uint32_t body, shl_view *view)
{
    if (!view->tree || view->body != body)
        shl_view_of(d->ports, body, view);
}

// The triangle that was nearest in the last step, if it still is one: its body, else SHL_NONE.
static uint32_t remembered(const leaf_search *l, int q, uint32_t row, shl_closest_tri *own,
                           shl_view *other)
{
    const shl_distance *d = l->search.distance;
    const shl_bodies *bodies = d->ports->bodies;
    const shl_view *a = &l->search.a;
    const uint32_t body = d->known[q] ? own->body : SHL_NONE;
    if (body >= bodies->table.count || !shl_body_is(bodies, body, SHL_BODY_ACTIVE) ||
        (q == 0) != (body != a->body) || (q == 0 && !shl_distance_may_meet(d, a->body, body)))
        return SHL_NONE;
    enter_view(d, body, other);
    if (!shl_tri_ref_holds(other->tree, &own->at))
        return SHL_NONE;
    own->at.id = other->tree->tri[own->at.row].id;
    return body == a->body && shl_tris_adjacent(&a->tree->tri[row], &a->tree->tri[own->at.row])
               ? SHL_NONE
               : body;
}

// Distances to what was nearest in the last step, for the triangles that still have it.
static void warm_start(leaf_search *l, int q)
{
    shl_scratch *scratch = l->search.scratch;
    const shl_view *a = &l->search.a;
    const shl_tree *t = a->tree;
    double xyz[2][9 * SHL_LANES], distance[SHL_LANES];
    shl_tri tri[SHL_LANES];
    shl_tri_pair pairs[SHL_LANES];
    uint32_t lanes[SHL_LANES], n = 0;
    shl_view other = {.tree = NULL};
    for (uint32_t lane = 0; lane < t->count[l->node]; lane++) {
        shl_closest_tri *own = &l->search.own[lane];
        const uint32_t row = t->first[l->node] + lane;
        const shl_tri_ref at = {l->node, row, t->tri[row].id};
        const uint32_t body = remembered(l, q, row, own, &other);
        own->distance = INFINITY;
        if (body == SHL_NONE) {
            *own = (shl_closest_tri){INFINITY, SHL_NONE, {SHL_NONE, SHL_NONE, SHL_NONE}};
            continue;
        }
        const bool turn = body != a->body ? a->body > body : at.id > own->at.id;
        shl_view_corners(a, &at, scratch, xyz[turn] + 9 * n);
        shl_view_corners(&other, &own->at, scratch, xyz[!turn] + 9 * n);
        tri[n] = (shl_tri){{3 * n, 3 * n + 1, 3 * n + 2}, n};
        pairs[n] = (shl_tri_pair){n, n};
        lanes[n++] = lane;
    }
    if (n == 0)
        return;
    const shl_tri_side side_a = {xyz[0], tri, SHOAL_F64}, side_b = {xyz[1], tri, SHOAL_F64};
    a->kernels->tri_distance(&side_a, &side_b, pairs, n, distance, &scratch->count.exact_tests);
    scratch->count.distances += n;
    for (uint32_t i = 0; i < n; i++)
        l->search.own[lanes[i]].distance = distance[i];
}

// The farthest of what the leaf's triangles have found.
static double farthest(const leaf_search *l)
{
    double most = 0;
    for (uint32_t lane = 0; lane < l->search.a.tree->count[l->node]; lane++)
        most = fmax(most, fmin(l->search.own[lane].distance, l->search.own_upper[lane]));
    return most;
}

static void search_other(leaf_search *l, uint32_t body)
{
    shl_view_of(l->search.distance->ports, body, &l->search.b);
    shl_search_leaf(&l->search, l->node, &l->box);
}

static void note_body(void *ctx, uint32_t body, float gap)
{
    const leaf_search *l = ctx;
    const shl_distance *d = l->search.distance;
    shl_distance_scratch *own = &d->scratch[l->search.scratch->worker];
    if (body != l->search.a.body && shl_distance_may_meet(d, l->search.a.body, body))
        ((shl_body_gap *)own->around.data)[own->around_count++] = (shl_body_gap){body, gap};
}

static int by_gap(const void *a, const void *b)
{
    const shl_body_gap *x = a, *y = b;
    return x->gap != y->gap ? (x->gap > y->gap) - (x->gap < y->gap)
                            : (x->body > y->body) - (x->body < y->body);
}

// The other bodies around the leaf, nearest first, while they may matter. Who knows nothing yet
// looks at the nearest one before it asks who else is near.
static void search_others(leaf_search *l)
{
    const shl_distance *d = l->search.distance;
    shl_distance_scratch *own = &d->scratch[l->search.scratch->worker];
    uint32_t first = SHL_NONE;
    float limit = shl_search_limit(farthest(l), d->slack);
    if (!(limit < INFINITY)) {
        float gap;
        first = shl_broad_nearest(&d->tree, &l->box, l->search.a.body, &gap);
        if (first == SHL_NONE)
            return;
        search_other(l, first);
        limit = shl_search_limit(farthest(l), d->slack);
    }
    own->around_count = 0;
    shl_broad_within(&d->tree, &l->box, limit, note_body, l);
    shl_body_gap *around = own->around.data;
    qsort(around, own->around_count, sizeof *around, by_gap);
    for (uint32_t i = 0; i < own->around_count; i++) {
        if (around[i].gap > shl_search_limit(farthest(l), d->slack))
            return;
        if (around[i].body != first)
            search_other(l, around[i].body);
    }
}

// The results of the leaf's triangles, in the user's order; their points all at once.
static void write_results(const leaf_search *l, int q)
{
    const shl_distance *d = l->search.distance;
    const shl_view *a = &l->search.a;
    const shl_tree *t = a->tree;
    shoal_nearest *rows =
        (shoal_nearest *)d->tris[q].data + ((const uint32_t *)d->tri_begin.data)[l->slot];
    double xyz[2][SHL_LANES][9];
    shl_closest closest[SHL_LANES];
    shl_closest_pair pair[SHL_LANES];
    bool turned[SHL_LANES];
    uint32_t n = 0;
    shl_view other = {.tree = NULL};
    for (uint32_t lane = 0; lane < t->count[l->node]; lane++) {
        const shl_closest_tri *own = &l->search.own[lane];
        const uint32_t row = t->first[l->node] + lane;
        const shl_tri_ref at = {l->node, row, t->tri[row].id};
        if (own->body == SHL_NONE) {
            rows[at.id] = shl_nearest_none(a->body, at.id);
            continue;
        }
        enter_view(d, own->body, &other);
        const bool turn = a->body != own->body ? a->body > own->body : at.id > own->at.id;
        shl_view_corners(a, &at, l->search.scratch, xyz[turn][n]);
        shl_view_corners(&other, &own->at, l->search.scratch, xyz[!turn][n]);
        turned[n] = turn;
        pair[n++] = (shl_closest_pair){.a = turn ? own->body : a->body,
                                       .b = turn ? a->body : own->body,
                                       .at_a = turn ? own->at : at,
                                       .at_b = turn ? at : own->at};
    }
    a->kernels->tri_closest_rows((const double(*)[9])xyz[0], (const double(*)[9])xyz[1], n,
                                 closest);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t id = turned[i] ? pair[i].at_b.id : pair[i].at_a.id;
        shl_nearest_set(&pair[i], &closest[i], turned[i], &rows[id]);
    }
}

// Where what is known of the leaf's triangles stands.
static shl_closest_tri *best_of(const leaf_search *l, int q)
{
    const shl_distance *d = l->search.distance;
    return (shl_closest_tri *)d->best[q].data + ((const uint32_t *)d->tri_begin.data)[l->slot] +
           l->search.a.tree->first[l->node];
}

static void search_leaf(leaf_search *l, int q)
{
    const shl_distance *d = l->search.distance;
    const shl_tree *t = l->search.a.tree;
    l->search.own = best_of(l, q);
    if (!d->warm_started)
        warm_start(l, q);
    for (uint32_t lane = 0; lane < SHL_LANES; lane++)
        l->search.own_upper[lane] =
            q == 0 && lane < t->count[l->node]
                ? shl_grid_upper(d, l->search.a.body, t->first[l->node] + lane)
                : INFINITY;
    if (q == 0) {
        search_others(l);
    } else {
        l->search.b = l->search.a;
        shl_search_leaf(&l->search, l->node, &l->box);
    }
    write_results(l, q);
}

// The leaf in row `i` or the next one, its row or `end`.
static uint32_t next_leaf(leaf_search *l, uint32_t i, uint32_t end)
{
    const shl_distance *d = l->search.distance;
    const uint32_t *begin = d->node_begin.data;
    for (; i < end; i++) {
        bool entered = l->search.a.tree == NULL;
        while (i >= begin[l->slot + 1]) {
            l->slot++;
            entered = true;
        }
        if (entered)
            shl_view_of(d->ports, shl_distance_body(d, l->slot), &l->search.a);
        l->node = i - begin[l->slot];
        if (l->search.a.tree->leaf[l->node])
            return i;
    }
    return end;
}

// What was nearest in the last step, while the GPU is busy with this one.
shoal_status shl_distance_run_warm_start(void *ctx, shl_chunk rows)
{
    shl_distance *d = ctx;
    leaf_search l = {.search = {.distance = d, .scratch = &d->ports->scratch[rows.worker]}};
    l.slot = shl_distance_slot(&d->node_begin, d->body_count, rows.begin);
    for (uint32_t i = rows.begin; (i = next_leaf(&l, i, rows.end)) < rows.end; i++) {
        for (int q = 0; q < 2; q++) {
            if (!(d->queries & query_of[q]))
                continue;
            l.search.own = best_of(&l, q);
            warm_start(&l, q);
        }
    }
    return SHOAL_OK;
}

shoal_status shl_distance_run_triangles(void *ctx, shl_chunk rows)
{
    shl_distance *d = ctx;
    leaf_search l = {.search = {.distance = d, .scratch = &d->ports->scratch[rows.worker]}};
    l.slot = shl_distance_slot(&d->node_begin, d->body_count, rows.begin);
    for (uint32_t i = rows.begin; (i = next_leaf(&l, i, rows.end)) < rows.end; i++) {
        shl_block slot;
        shl_eval_reserve(l.search.scratch->eval, 1);
        shl_distance_kernels(d)->block_merge(
            shl_open_leaf(&l.search.a, l.node, 0, &slot, l.search.scratch).block, &l.box);
        for (int q = 0; q < 2; q++) {
            if (d->queries & query_of[q])
                search_leaf(&l, q);
        }
    }
    return SHOAL_OK;
}
