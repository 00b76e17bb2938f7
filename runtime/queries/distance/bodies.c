// SPDX-License-Identifier: MIT
// Distances between bodies: the nearest other one of each, and all pairs within a distance.
//
// Each body begins with a bound: its nearest triangles of the last step, which are still some
// triangles, or those of the body whose box is nearest. Pairs of bodies whose boxes are not
// farther than the bound of one of them are searched; what they find lowers the bounds of both.
#include "layouts/radix.h"
#include "runtime/queries/distance/search.h"

#include <math.h>
#include <string.h>

// All bodies that take part; their boxes go into the tree.
static shoal_status list_bodies(shl_distance *d)
{
    const shl_bodies *bodies = d->ports->bodies;
    const shoal_allocator *allocator = d->ports->allocator;
    const size_t most = bodies->table.count + (size_t)1;
    shoal_status st = shl_array_reserve(&d->bodies, most * sizeof(uint32_t), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_broad_reserve(&d->tree, bodies->table.count);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->bound, most * sizeof(uint64_t), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->slot, most * sizeof(uint32_t), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->winner, most * sizeof(uint32_t), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->witness, most * sizeof(shl_closest_pair),
                               d->witness_count * sizeof(shl_closest_pair), allocator);
    if (st != SHOAL_OK)
        return st;
    for (; d->witness_count < bodies->table.count; d->witness_count++)
        ((shl_closest_pair *)d->witness.data)[d->witness_count] = (shl_closest_pair){0};
    shl_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    d->body_count = 0;
    for (uint32_t i = 0; i < bodies->table.count; i++) {
        const shl_box *box = &bodies->box[i];
        atomic_init((_Atomic uint64_t *)d->bound.data + i, SHL_BOUND_NONE);
        ((uint32_t *)d->winner.data)[i] = SHL_NONE;
        const bool active = shl_body_is(bodies, i, SHL_BODY_ACTIVE);
        shl_broad_set(&d->tree, i, active ? box : NULL);
        for (int k = 0; k < 3 && active; k++) {
            all.lo[k] = fminf(all.lo[k], box->lo[k]);
            all.hi[k] = fmaxf(all.hi[k], box->hi[k]);
        }
        if (!active)
            continue;
        ((uint32_t *)d->slot.data)[i] = d->body_count;
        ((uint32_t *)d->bodies.data)[d->body_count++] = i;
    }
    d->slack = d->body_count ? shl_search_slack(&all, &all) : 0;
    return SHOAL_OK;
}

// Lists with a row for each body or triangle are known to be too long before they are made.
static void drop_long(shl_distance *d)
{
    const uint64_t tris = ((const uint32_t *)d->tri_begin.data)[d->body_count];
    const uint64_t rows[SHL_DISTANCE_TOTALS] = {d->body_count, 0, tris, tris};
    for (int i = 0; i < SHL_DISTANCE_TOTALS; i++) {
        const uint32_t query = SHOAL_QUERY_NEAREST << i;
        d->total[i] = d->queries & query ? rows[i] : 0;
        if (d->total[i] > shl_max_rows(d->ports, query))
            d->queries &= ~query;
    }
}

shoal_status shl_distance_run_plan(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_distance *d = ctx;
    d->body_count = d->bound_rows = d->pair_count = d->point_rows = 0;
    d->node_rows = d->warm_start_rows = 0;
    d->warm_started = false;
    shl_grid_none(&d->grid);
    d->nearest_count = d->within_count = d->tri_count[0] = d->tri_count[1] = 0;
    d->neighbour_rows = 0;
    d->tree.wanted = d->queries != 0;
    shl_rows_begin(&d->found);
    if (!d->queries)
        return SHOAL_OK;
    shoal_status st = list_bodies(d);
    for (uint32_t i = 0; i < d->ports->workers && st == SHOAL_OK; i++)
        st = shl_array_reserve(&d->scratch[i].around,
                               (d->body_count + (size_t)1) * sizeof(shl_body_gap), 0,
                               d->ports->allocator);
    if (st == SHOAL_OK)
        st = shl_distance_plan_rows(d);
    if (st == SHOAL_OK)
        drop_long(d);
    return st == SHOAL_OK ? shl_distance_plan_triangles(d) : st;
}

// Once there is a tree: who answers this step.
shoal_status shl_distance_run_engine(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_distance *d = ctx;
    shl_broad_done(&d->tree);
    if (!d->queries)
        return SHOAL_OK;
    d->bound_rows = d->queries & SHOAL_QUERY_NEAREST ? d->body_count : 0;
    d->neighbour_rows =
        d->queries & (SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN) ? d->body_count : 0;
    d->grid.with = shl_grid_choose(d);
    shoal_status st = d->grid.with != SHL_WITH_TREES ? shl_grid_plan(d) : SHOAL_OK;
    if (st == SHOAL_OK)
        st = shl_array_reserve(
            &d->runs, shl_chunk_count(d->neighbour_rows, SHL_NEIGHBOUR_GRAIN) * sizeof(shl_run),
            0, d->ports->allocator);
    d->warm_started = d->grid.on_gpu;
    d->warm_start_rows = d->warm_started ? d->node_rows : 0;
    return st;
}

// Whether a triangle of an earlier step is one of a body that takes part now.
static bool ref_holds(const shl_distance *d, uint32_t body, uint32_t revision,
                      const shl_tri_ref *ref)
{
    const shl_bodies *bodies = d->ports->bodies;
    if (body >= bodies->table.count || !shl_body_is(bodies, body, SHL_BODY_ACTIVE) ||
        bodies->revision[body] != revision)
        return false;
    shl_view view;
    shl_view_of(d->ports, body, &view);
    return shl_tri_ref_holds(view.tree, ref);
}

static bool witness_holds(const shl_distance *d, const shl_closest_pair *w)
{
    return w->revision_a && ref_holds(d, w->a, w->revision_a, &w->at_a) &&
           ref_holds(d, w->b, w->revision_b, &w->at_b) && shl_distance_may_meet(d, w->a, w->b);
}

// Distance and points of the two triangles of a pair.
static shl_closest closest_of(const shl_distance *d, shl_scratch *scratch,
                              const shl_closest_pair *pair)
{
    double a[9], b[9];
    shl_view view;
    shl_view_of(d->ports, pair->a, &view);
    shl_view_corners(&view, &pair->at_a, scratch, a);
    shl_view_of(d->ports, pair->b, &view);
    shl_view_corners(&view, &pair->at_b, scratch, b);
    shl_closest out;
    shl_tri_closest(a, b, &out);
    return out;
}

// What a pair is searched for: its row, whether it is within the distance, or a first bound.
typedef enum purpose { FOR_ROW, FOR_WITHIN, FOR_BOUND } purpose;

static void search_pair(shl_distance *d, uint32_t worker, shl_closest_pair *pair, purpose why)
{
    shl_distance_search search = {.distance = d,
                                  .scratch = &d->ports->scratch[worker],
                                  .within_only = why == FOR_WITHIN,
                                  .before_grid = why == FOR_BOUND};
    pair->distance = INFINITY;
    pair->at_a = pair->at_b = (shl_tri_ref){SHL_NONE, SHL_NONE, SHL_NONE};
    shl_view_of(d->ports, pair->a, &search.a);
    shl_view_of(d->ports, pair->b, &search.b);
    search.pair = pair;
    shl_search_bodies(&search);
}

// Boxes of positions are touched on all faces, those that a kind bounds may not be.
static double bound_by_boxes(const shl_distance *d, uint32_t body, uint32_t other)
{
    shl_view x, y;
    shl_view_of(d->ports, body, &x);
    shl_view_of(d->ports, other, &y);
    return shl_box_bound(x.box, y.box, !((x.flags | y.flags) & SHL_VIEW_EVALUATED));
}

shoal_status shl_distance_run_bounds(void *ctx, shl_chunk rows)
{
    shl_distance *d = ctx;
    shl_scratch *scratch = &d->ports->scratch[rows.worker];
    _Atomic uint64_t *bound = d->bound.data;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const uint32_t body = shl_distance_body(d, i);
        const shl_closest_pair *w = (const shl_closest_pair *)d->witness.data + body;
        if (!shl_distance_plain(d) && witness_holds(d, w)) {
            const double distance = closest_of(d, scratch, w).distance;
            scratch->count.distances++;
            shl_bound_lower(&bound[w->a], distance);
            shl_bound_lower(&bound[w->b], distance);
            continue;
        }
        float gap;
        const uint32_t other = shl_broad_nearest(&d->tree, shl_distance_box(d, i), body, &gap);
        if (other == SHL_NONE)
            continue;
        if (shl_distance_plain(d) ||
            shl_grid_bounds_above(d, body)) { // the grid will know better
            shl_bound_lower(&bound[body], bound_by_boxes(d, body, other));
            continue;
        }
        shl_closest_pair pair = {.a = body < other ? body : other,
                                 .b = body < other ? other : body};
        search_pair(d, rows.worker, &pair, FOR_BOUND);
    }
    return SHOAL_OK;
}

// Squared gaps above it do not matter to the body.
static float limit_of(const shl_distance *d, uint32_t body)
{
    double bound = d->queries & SHOAL_QUERY_WITHIN ? d->ports->def->within : 0;
    if (d->queries & SHOAL_QUERY_NEAREST)
        bound = fmax(bound, shl_bound_get((const _Atomic uint64_t *)d->bound.data + body));
    return shl_search_limit(bound, d->slack);
}

// Whether one of two bodies may be the nearest one of the other.
static bool may_be_nearest(const shl_distance *d, uint32_t a, uint32_t b, float gap)
{
    const _Atomic uint64_t *bound = d->bound.data;
    return d->queries & SHOAL_QUERY_NEAREST &&
           gap <= shl_search_limit(fmax(shl_bound_get(&bound[a]), shl_bound_get(&bound[b])),
                                   d->slack);
}

// Whether a pair is to be kept for the sake of a bounded list. There may be far more pairs of
// boxes within the distance than of bodies: once so many are kept as the list may have rows,
// others are searched at once, and kept only if they are rows and the list may have them.
static bool take_within(shl_distance *d, uint32_t worker, uint32_t a, uint32_t b)
{
    const uint64_t most = shl_max_rows(d->ports, SHOAL_QUERY_WITHIN);
    if (most == SHL_ROWS_UNBOUNDED ||
        atomic_fetch_add_explicit(&d->listed, 1, memory_order_relaxed) < most)
        return true;
    shl_closest_pair pair = {.a = a < b ? a : b, .b = a < b ? b : a};
    search_pair(d, worker, &pair, FOR_WITHIN);
    return pair.at_a.id != SHL_NONE && pair.distance <= d->ports->def->within &&
           atomic_fetch_add_explicit(&d->passed, 1, memory_order_relaxed) < most;
}

// Rows that were found within the distance, `kept` of them among the pairs.
static uint64_t count_within(const shl_distance *d, uint64_t kept)
{
    const uint64_t most = shl_max_rows(d->ports, SHOAL_QUERY_WITHIN),
                   passed = atomic_load_explicit(&d->passed, memory_order_relaxed);
    return kept + (passed > most ? passed - most : 0);
}

// The body whose neighbours are being listed.
typedef struct lister {
    shl_distance *d;
    shl_run *run;
    uint32_t worker, body;
    shoal_status status;
} lister;

// A pair is listed by its first body, or by its second if only that reaches so far.
static void list_neighbour(void *ctx, uint32_t other, float gap)
{
    lister *l = ctx;
    if (other == l->body || l->status != SHOAL_OK ||
        (other < l->body && gap <= limit_of(l->d, other)) ||
        !shl_distance_may_meet(l->d, l->body, other) ||
        (!may_be_nearest(l->d, l->body, other, gap) &&
         !take_within(l->d, l->worker, l->body, other)))
        return;
    uint32_t one = 1;
    uint64_t *row = shl_rows_append(&l->d->found, l->worker, l->run, &one);
    if (row)
        *row =
            other < l->body ? (uint64_t)other << 32 | l->body : (uint64_t)l->body << 32 | other;
    l->status = row ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

shoal_status shl_distance_run_neighbours(void *ctx, shl_chunk rows)
{
    shl_distance *d = ctx;
    lister l = {.d = d, .run = (shl_run *)d->runs.data + rows.chunk, .worker = rows.worker};
    *l.run = (shl_run){0};
    for (uint32_t i = rows.begin; i < rows.end && l.status == SHOAL_OK; i++) {
        l.body = shl_distance_body(d, i);
        shl_broad_within(&d->tree, shl_distance_box(d, i), limit_of(d, l.body), list_neighbour,
                         &l);
    }
    return l.status;
}

// What the chunks listed, in order.
shoal_status shl_distance_run_pairs(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_distance *d = ctx;
    const shoal_allocator *allocator = d->ports->allocator;
    const uint32_t chunks = shl_chunk_count(d->neighbour_rows, SHL_NEIGHBOUR_GRAIN);
    const shl_run *run = d->runs.data;
    size_t count = 0;
    for (uint32_t i = 0; i < chunks; i++)
        count += run[i].count;
    if (count > UINT32_MAX - 1)
        return SHOAL_ERR_LIMIT;
    shoal_status st = SHL_RESERVE(allocator, {&d->pairs, count * sizeof(shl_closest_pair)},
                                  {&d->keys, 2 * count * sizeof(uint64_t)});
    if (st == SHOAL_OK)
        st = shl_rows_reserve_next(&d->found, count);
    if (st != SHOAL_OK || !count)
        return st;
    uint64_t *keys = d->keys.data, *at = keys;
    for (uint32_t i = 0; i < chunks; at += run[i++].count)
        shl_rows_copy(&d->found, &run[i], at);
    shl_radix_sort(keys, keys + count, count, 0);
    for (size_t i = 0; i < count; i++)
        ((shl_closest_pair *)d->pairs.data)[i] =
            (shl_closest_pair){.a = (uint32_t)(keys[i] >> 32), .b = (uint32_t)keys[i]};
    d->pair_count = (uint32_t)count;
    return SHOAL_OK;
}

shoal_status shl_distance_run_search(void *ctx, shl_chunk rows)
{
    shl_distance *d = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++)
        search_pair(d, rows.worker, (shl_closest_pair *)d->pairs.data + i, FOR_ROW);
    return SHOAL_OK;
}

// Least by distance and the other body; the rows are in order, so the first of equals wins but
// where the other body comes first.
static void crown(const shl_distance *d, uint32_t row, uint32_t number, uint32_t other)
{
    const shl_closest_pair *pairs = d->pairs.data;
    uint32_t *winner = (uint32_t *)d->winner.data + number;
    if (*winner != SHL_NONE) {
        const shl_closest_pair *best = &pairs[*winner];
        const uint32_t best_other = best->a == number ? best->b : best->a;
        if (best->distance < pairs[row].distance ||
            (best->distance == pairs[row].distance && best_other < other))
            return;
    }
    *winner = row;
}

// What of the results goes into the hash.
static shoal_status plan_sums(shl_distance *d)
{
    const struct {
        uint32_t number, query;
        const shl_array *rows;
        size_t count;
    } all[] = {{5, SHOAL_QUERY_NEAREST, &d->nearest, d->nearest_count},
               {6, SHOAL_QUERY_WITHIN, &d->within, d->within_count},
               {7, SHOAL_QUERY_NEAREST_TRIANGLES, &d->tris[0], d->tri_count[0]},
               {8, SHOAL_QUERY_NEAREST_SELF, &d->tris[1], d->tri_count[1]}};
    enum { LISTS = sizeof all / sizeof *all };
    shl_summed_list lists[LISTS];
    for (int i = 0; i < LISTS; i++)
        lists[i] = (shl_summed_list){.number = all[i].number,
                                     .asked = d->queries & all[i].query,
                                     .rows = all[i].rows->data,
                                     .count = all[i].count,
                                     .row_bytes = sizeof(shoal_nearest),
                                     .sum = shl_sum_nearest};
    return shl_sums_plan(&d->sums, lists, LISTS, d->ports->allocator);
}

// Which pairs are results; keeps them for the next step.
shoal_status shl_distance_run_reduce(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_distance *d = ctx;
    const shoal_allocator *allocator = d->ports->allocator;
    const uint32_t *revision = d->ports->bodies->revision;
    const bool nearest = d->queries & SHOAL_QUERY_NEAREST,
               within = d->queries & SHOAL_QUERY_WITHIN;
    shoal_status st = shl_array_reserve(
        &d->within_pairs, (within ? d->pair_count : 0) * sizeof(uint32_t), 0, allocator);
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; i < d->pair_count; i++) {
        const shl_closest_pair *p = (const shl_closest_pair *)d->pairs.data + i;
        if (p->at_a.id == SHL_NONE)
            continue;
        if (within && p->distance <= d->ports->def->within)
            ((uint32_t *)d->within_pairs.data)[d->within_count++] = i;
        if (nearest) {
            crown(d, i, p->a, p->b);
            crown(d, i, p->b, p->a);
        }
    }
    d->total[SHL_TOTAL_WITHIN] = count_within(d, d->within_count);
    if (d->total[SHL_TOTAL_WITHIN] > shl_max_rows(d->ports, SHOAL_QUERY_WITHIN))
        d->within_count = 0;
    d->nearest_count = nearest ? d->body_count : 0;
    for (uint32_t i = 0; i < d->nearest_count; i++) {
        const uint32_t number = shl_distance_body(d, i);
        const uint32_t row = ((const uint32_t *)d->winner.data)[number];
        shl_closest_pair *w = (shl_closest_pair *)d->witness.data + number;
        *w = row == SHL_NONE ? (shl_closest_pair){0} : ((shl_closest_pair *)d->pairs.data)[row];
        w->revision_a = row == SHL_NONE ? 0 : revision[w->a];
        w->revision_b = row == SHL_NONE ? 0 : revision[w->b];
    }
    st = SHL_RESERVE(allocator, {&d->nearest, d->nearest_count * sizeof(shoal_nearest)},
                     {&d->within, d->within_count * sizeof(shoal_nearest)});
    if (st == SHOAL_OK)
        st = plan_sums(d);
    d->point_rows = st == SHOAL_OK ? (uint32_t)(d->nearest_count + d->within_count) : 0;
    return st;
}

void shl_nearest_set(const shl_closest_pair *pair, const shl_closest *c, bool turn,
                     shoal_nearest *out)
{
    *out = (shoal_nearest){.body_a = turn ? pair->b : pair->a,
                           .triangle_a = turn ? pair->at_b.id : pair->at_a.id,
                           .body_b = turn ? pair->a : pair->b,
                           .triangle_b = turn ? pair->at_a.id : pair->at_b.id,
                           .distance = c->distance,
                           .error = c->error};
    memcpy(out->point_a, turn ? c->on_b : c->on_a, sizeof out->point_a);
    memcpy(out->point_b, turn ? c->on_a : c->on_b, sizeof out->point_b);
}

shoal_status shl_distance_run_closest(void *ctx, shl_chunk rows)
{
    const shl_distance *d = ctx;
    shl_scratch *scratch = &d->ports->scratch[rows.worker];
    const shl_closest_pair *pairs = d->pairs.data;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const bool within = i >= d->nearest_count;
        const size_t at = within ? i - d->nearest_count : i;
        const uint32_t body = within ? SHL_NONE : shl_distance_body(d, i);
        const uint32_t row = within ? ((const uint32_t *)d->within_pairs.data)[at]
                                    : ((const uint32_t *)d->winner.data)[body];
        shoal_nearest *out = (shoal_nearest *)(within ? d->within : d->nearest).data + at;
        if (row == SHL_NONE) {
            *out = shl_nearest_none(body, SHL_NONE);
            continue;
        }
        const shl_closest closest = closest_of(d, scratch, &pairs[row]);
        shl_nearest_set(&pairs[row], &closest, !within && pairs[row].a != body, out);
    }
    return SHOAL_OK;
}
