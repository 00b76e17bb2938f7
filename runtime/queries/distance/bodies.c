// SPDX-License-Identifier: MIT
// Distances between bodies: the nearest other one of each, and all pairs within a distance.
//
// Each body begins with a bound: its nearest triangles of the last step, which are still some
// triangles, or those of the body whose box is nearest. Pairs of bodies whose boxes are not
// farther than the bound of one of them are searched; what they find lowers the bounds of both.
#include "runtime/queries/distance/search.h"

#include <math.h>
#include <string.h>

// All bodies that take part, and their boxes, eight a block.
static shoal_status list_bodies(shl_distance *d)
{
    const shl_bodies *bodies = d->ports->bodies;
    const shoal_allocator *allocator = d->ports->allocator;
    const size_t most = bodies->table.count + (size_t)1;
    shoal_status st = shl_array_reserve(&d->bodies, most * sizeof(uint32_t), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->blocks, (most / SHL_LANES + 1) * sizeof(shl_block), 0,
                               allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->bound, most * sizeof(uint64_t), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->place, most * sizeof(uint32_t), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->winner, most * sizeof(uint32_t), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->witness, most * sizeof(shl_near_pair),
                               d->witness_count * sizeof(shl_near_pair), allocator);
    if (st != SHOAL_OK)
        return st;
    for (; d->witness_count < bodies->table.count; d->witness_count++)
        ((shl_near_pair *)d->witness.data)[d->witness_count] = (shl_near_pair){0};
    shl_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    d->body_count = 0;
    for (uint32_t i = 0; i < bodies->table.count; i++) {
        const shl_box *box = &bodies->box[i];
        atomic_init((_Atomic uint64_t *)d->bound.data + i, SHL_BOUND_NONE);
        ((uint32_t *)d->winner.data)[i] = SHL_NONE;
        if (!shl_body_is(bodies, i, SHL_BODY_ACTIVE))
            continue;
        shl_block *block = (shl_block *)d->blocks.data + d->body_count / SHL_LANES;
        for (int k = 0; k < 3; k++) {
            block->lo[k][d->body_count % SHL_LANES] = box->lo[k];
            block->hi[k][d->body_count % SHL_LANES] = box->hi[k];
            all.lo[k] = fminf(all.lo[k], box->lo[k]);
            all.hi[k] = fmaxf(all.hi[k], box->hi[k]);
        }
        ((uint32_t *)d->place.data)[i] = d->body_count;
        ((uint32_t *)d->bodies.data)[d->body_count++] = i;
    }
    d->slack = d->body_count ? shl_search_slack(&all, &all) : 0;
    return SHOAL_OK;
}

shoal_status shl_distance_run_plan(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows, (void)chunk, (void)worker;
    shl_distance *d = ctx;
    d->body_count = d->bound_rows = d->pair_count = d->point_rows = 0;
    d->node_rows = d->recall_rows = 0;
    d->recalled = false;
    shl_grid_none(&d->grid);
    d->nearest_count = d->within_count = d->tri_count[0] = d->tri_count[1] = 0;
    if (!d->queries)
        return SHOAL_OK;
    shoal_status st = list_bodies(d);
    for (uint32_t i = 0; i < d->ports->workers && st == SHOAL_OK; i++)
        st = shl_array_reserve(&d->scratch[i].gaps,
                               (d->body_count + (size_t)SHL_LANES) * sizeof(float), 0,
                               d->ports->allocator);
    if (st == SHOAL_OK)
        st = shl_distance_plan_rows(d);
    if (st == SHOAL_OK)
        st = shl_distance_plan_triangles(d);
    if (st == SHOAL_OK && d->queries & SHOAL_QUERY_NEAREST)
        d->bound_rows = d->body_count;
    d->grid.with = st == SHOAL_OK ? shl_grid_choose(d) : SHL_WITH_TREES;
    if (st == SHOAL_OK && d->grid.with != SHL_WITH_TREES)
        st = shl_grid_plan(d);
    d->recalled = d->grid.on_gpu;
    d->recall_rows = d->recalled ? d->node_rows : 0;
    return st;
}

// The body whose box is nearest to that of the body in place `at` of the list.
static uint32_t nearest_box(const shl_distance *d, uint32_t at)
{
    uint32_t best = SHL_NONE;
    float least = INFINITY;
    for (uint32_t i = 0; i < d->body_count; i += SHL_LANES) {
        float gap[SHL_LANES];
        shl_distance_kernels(d)->block_gap(
            shl_distance_box(d, at), (const shl_block *)d->blocks.data + i / SHL_LANES, gap);
        for (uint32_t k = 0; k < SHL_LANES && i + k < d->body_count; k++) {
            if (i + k == at || (best != SHL_NONE && !(gap[k] < least)))
                continue;
            best = shl_distance_body(d, i + k);
            least = gap[k];
        }
    }
    return best;
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

static bool witness_holds(const shl_distance *d, const shl_near_pair *w)
{
    return w->revision_a && ref_holds(d, w->a, w->revision_a, &w->at_a) &&
           ref_holds(d, w->b, w->revision_b, &w->at_b);
}

// Distance and points of the two triangles of a pair.
static shl_closest closest_of(const shl_distance *d, shl_scratch *scratch,
                              const shl_near_pair *pair)
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

static void search_pair(shl_distance *d, uint32_t worker, shl_near_pair *pair)
{
    shl_distance_search search = {.distance = d, .scratch = &d->ports->scratch[worker]};
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

shoal_status shl_distance_run_bounds(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shl_distance *d = ctx;
    shl_scratch *scratch = &d->ports->scratch[worker];
    _Atomic uint64_t *bound = d->bound.data;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const uint32_t body = shl_distance_body(d, i);
        const shl_near_pair *w = (const shl_near_pair *)d->witness.data + body;
        if (!shl_distance_plain(d) && witness_holds(d, w)) {
            const double distance = closest_of(d, scratch, w).distance;
            scratch->count.distances++;
            shl_bound_lower(&bound[w->a], distance);
            shl_bound_lower(&bound[w->b], distance);
            continue;
        }
        const uint32_t other = nearest_box(d, i);
        if (other == SHL_NONE)
            continue;
        if (shl_distance_plain(d) || d->grid.used) { // the grid will know better
            shl_bound_lower(&bound[body], bound_by_boxes(d, body, other));
            continue;
        }
        shl_near_pair pair = {.a = body < other ? body : other,
                              .b = body < other ? other : body};
        search_pair(d, worker, &pair);
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

// Pairs of the body in place `at` of the list with later ones.
static shoal_status pairs_of(shl_distance *d, uint32_t at, const float *limit)
{
    const shl_box *box = shl_distance_box(d, at);
    for (uint32_t i = at / SHL_LANES * SHL_LANES; i < d->body_count; i += SHL_LANES) {
        const size_t size = sizeof(shl_near_pair), n = d->pair_count;
        if (n > UINT32_MAX - SHL_LANES)
            return SHOAL_ERR_LIMIT;
        const shoal_status st =
            shl_array_reserve(&d->pairs, (n + SHL_LANES) * size, n * size, d->ports->allocator);
        if (st != SHOAL_OK)
            return st;
        float gap[SHL_LANES];
        shl_distance_kernels(d)->block_gap(
            box, (const shl_block *)d->blocks.data + i / SHL_LANES, gap);
        for (uint32_t k = 0; k < SHL_LANES && i + k < d->body_count; k++) {
            if (i + k > at && gap[k] <= fmaxf(limit[at], limit[i + k]))
                ((shl_near_pair *)d->pairs.data)[d->pair_count++] = (shl_near_pair){
                    .a = shl_distance_body(d, at), .b = shl_distance_body(d, i + k)};
        }
    }
    return SHOAL_OK;
}

shoal_status shl_distance_run_pairs(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows, (void)chunk;
    shl_distance *d = ctx;
    if (!(d->queries & (SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN)))
        return SHOAL_OK;
    float *limit = d->scratch[worker].gaps.data;
    for (uint32_t i = 0; i < d->body_count; i++)
        limit[i] = limit_of(d, shl_distance_body(d, i));
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < d->body_count && !st; i++)
        st = pairs_of(d, i, limit);
    return st;
}

shoal_status shl_distance_run_search(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shl_distance *d = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++)
        search_pair(d, worker, (shl_near_pair *)d->pairs.data + i);
    return SHOAL_OK;
}

// Least by distance and the other body; the rows are in order, so the first of equals wins but
// where the other body comes first.
static void crown(const shl_distance *d, uint32_t row, uint32_t number, uint32_t other)
{
    const shl_near_pair *pairs = d->pairs.data;
    uint32_t *winner = (uint32_t *)d->winner.data + number;
    if (*winner != SHL_NONE) {
        const shl_near_pair *best = &pairs[*winner];
        const uint32_t best_other = best->a == number ? best->b : best->a;
        if (best->distance < pairs[row].distance ||
            (best->distance == pairs[row].distance && best_other < other))
            return;
    }
    *winner = row;
}

// Which pairs are results; keeps them for the next step.
shoal_status shl_distance_run_settle(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows, (void)chunk, (void)worker;
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
        const shl_near_pair *p = (const shl_near_pair *)d->pairs.data + i;
        if (p->at_a.id == SHL_NONE)
            continue;
        if (within && p->distance <= d->ports->def->within)
            ((uint32_t *)d->within_pairs.data)[d->within_count++] = i;
        if (nearest) {
            crown(d, i, p->a, p->b);
            crown(d, i, p->b, p->a);
        }
    }
    shl_summed_list lists[SHL_SUMS_MAX];
    d->nearest_count = nearest ? d->body_count : 0;
    for (uint32_t i = 0; i < d->nearest_count; i++) {
        const uint32_t number = shl_distance_body(d, i);
        const uint32_t row = ((const uint32_t *)d->winner.data)[number];
        shl_near_pair *w = (shl_near_pair *)d->witness.data + number;
        *w = row == SHL_NONE ? (shl_near_pair){0} : ((shl_near_pair *)d->pairs.data)[row];
        w->revision_a = row == SHL_NONE ? 0 : revision[w->a];
        w->revision_b = row == SHL_NONE ? 0 : revision[w->b];
    }
    st = shl_array_reserve(&d->nearest, d->nearest_count * sizeof(shoal_nearest), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->within, d->within_count * sizeof(shoal_nearest), 0,
                               allocator);
    if (st == SHOAL_OK)
        st = shl_sums_plan(&d->sums, lists, shl_distance_lists(d, lists), allocator);
    d->point_rows = st == SHOAL_OK ? (uint32_t)(d->nearest_count + d->within_count) : 0;
    return st;
}

void shl_nearest_set(const shl_near_pair *pair, const shl_closest *c, bool turn,
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

shoal_status shl_distance_run_points(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    const shl_distance *d = ctx;
    shl_scratch *scratch = &d->ports->scratch[worker];
    const shl_near_pair *pairs = d->pairs.data;
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
