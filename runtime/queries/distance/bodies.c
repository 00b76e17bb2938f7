// SPDX-License-Identifier: MIT
// Distances between bodies: the nearest other one of each, and all pairs within a distance.
//
// Each body begins with a bound: its nearest triangles of the last step, which are still some
// triangles, or those of the body whose box is nearest. Pairs of bodies whose boxes are not
// farther than the bound of one of them are searched; what they find lowers the bounds of both.
#include "runtime/queries/distance/bounds/bounds.h"
#include "runtime/queries/distance/search.h"
#include "runtime/scene/hash.h"
#include "runtime/scene/steps.h"

#include "kernels/tri_distance.h"

#include <math.h>
#include <string.h>

// All bodies that take part, and their boxes, eight a block.
static shoal_status list_bodies(shoal_scene *s)
{
    shl_distance *d = &s->distance;
    const size_t most = s->body_count + (size_t)1;
    shoal_status st = shl_array_reserve(&d->bodies, most * sizeof(uint32_t), 0, &s->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->blocks, (most / SHL_LANES + 1) * sizeof(shl_block), 0,
                               &s->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->bound, most * sizeof(uint64_t), 0, &s->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->place, most * sizeof(uint32_t), 0, &s->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->winner, most * sizeof(uint32_t), 0, &s->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->witness, most * sizeof(shl_near_pair),
                               d->witness_count * sizeof(shl_near_pair), &s->allocator);
    if (st != SHOAL_OK)
        return st;
    for (; d->witness_count < s->body_count; d->witness_count++)
        ((shl_near_pair *)d->witness.data)[d->witness_count] = (shl_near_pair){0};
    shl_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    d->body_count = 0;
    for (uint32_t i = 0; i < s->body_count; i++) {
        const shl_free_body *b = &shl_bodies(s)[i];
        atomic_init((_Atomic uint64_t *)d->bound.data + i, SHL_BOUND_NONE);
        ((uint32_t *)d->winner.data)[i] = SHL_NONE;
        if (!b->joined)
            continue;
        shl_block *block = (shl_block *)d->blocks.data + d->body_count / SHL_LANES;
        for (int k = 0; k < 3; k++) {
            block->lo[k][d->body_count % SHL_LANES] = b->box.lo[k];
            block->hi[k][d->body_count % SHL_LANES] = b->box.hi[k];
            all.lo[k] = fminf(all.lo[k], b->box.lo[k]);
            all.hi[k] = fmaxf(all.hi[k], b->box.hi[k]);
        }
        ((uint32_t *)d->place.data)[i] = d->body_count;
        ((uint32_t *)d->bodies.data)[d->body_count++] = i;
    }
    d->slack = d->body_count ? shl_search_slack(&all, &all) : 0;
    return SHOAL_OK;
}

shoal_status shl_run_distance_plan(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    shl_distance *d = &s->distance;
    d->body_count = d->bound_rows = d->pair_count = d->point_rows = 0;
    d->node_rows = d->recall_rows = 0;
    d->recalled = false;
    shl_grid_none(s);
    d->nearest_count = d->within_count = d->tri_count[0] = d->tri_count[1] = 0;
    if (!(s->queries & SHL_DISTANCE_QUERIES))
        return SHOAL_OK;
    shoal_status st = list_bodies(s);
    for (uint32_t i = 0; i < s->workers_count && st == SHOAL_OK; i++)
        st = shl_array_reserve(&s->workers[i].gaps,
                               (d->body_count + (size_t)SHL_LANES) * sizeof(float), 0,
                               &s->allocator);
    if (st == SHOAL_OK)
        st = shl_plan_rows(s);
    if (st == SHOAL_OK)
        st = shl_plan_near_triangles(s);
    if (st == SHOAL_OK && s->queries & SHOAL_QUERY_NEAREST)
        d->bound_rows = d->body_count;
    s->grid.with = st == SHOAL_OK ? shl_grid_choose(s) : SHL_WITH_TREES;
    if (st == SHOAL_OK && s->grid.with != SHL_WITH_TREES)
        st = shl_grid_plan(s);
    d->recalled = s->grid.on_gpu;
    d->recall_rows = d->recalled ? d->node_rows : 0;
    return st;
}

// The body whose box is nearest to that of the body in place `at` of the list.
static uint32_t nearest_box(const shoal_scene *s, uint32_t at)
{
    const shl_distance *d = &s->distance;
    const uint32_t *bodies = d->bodies.data;
    uint32_t best = SHL_NONE;
    float least = INFINITY;
    for (uint32_t i = 0; i < d->body_count; i += SHL_LANES) {
        float gap[SHL_LANES];
        s->ctx->kernels.block_gap(&shl_bodies(s)[bodies[at]].box,
                                  (const shl_block *)d->blocks.data + i / SHL_LANES, gap);
        for (uint32_t k = 0; k < SHL_LANES && i + k < d->body_count; k++) {
            if (i + k == at || (best != SHL_NONE && !(gap[k] < least)))
                continue;
            best = bodies[i + k];
            least = gap[k];
        }
    }
    return best;
}

static bool witness_holds(const shoal_scene *s, const shl_near_pair *w)
{
    const shl_free_body *a = &shl_bodies(s)[w->a], *b = &shl_bodies(s)[w->b];
    return w->made_a && w->a < s->body_count && w->b < s->body_count && a->joined &&
           b->joined && a->made == w->made_a && b->made == w->made_b &&
           shl_spot_holds(a, &w->at_a) && shl_spot_holds(b, &w->at_b);
}

static void search_pair(shoal_scene *s, uint32_t worker, shl_near_pair *pair)
{
    shl_search search = {.scene = s, .worker = &s->workers[worker]};
    pair->distance = INFINITY;
    pair->at_a = pair->at_b = (shl_spot){SHL_NONE, SHL_NONE, SHL_NONE};
    search.a = &shl_bodies(s)[pair->a];
    search.b = &shl_bodies(s)[pair->b];
    search.pair = pair;
    shl_search_bodies(&search);
}

shoal_status shl_run_distance_bounds(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    const shl_distance *d = &s->distance;
    shl_walker *walker = &s->workers[worker];
    _Atomic uint64_t *bound = d->bound.data;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const uint32_t number = ((const uint32_t *)d->bodies.data)[i];
        const shl_near_pair *w = (const shl_near_pair *)d->witness.data + number;
        if (!shl_plain(s) && witness_holds(s, w)) {
            double a[9], b[9];
            shl_spot_corners(s, walker, w->a, &w->at_a, a);
            shl_spot_corners(s, walker, w->b, &w->at_b, b);
            shl_closest c;
            shl_tri_closest(a, b, &c);
            walker->count.distances++;
            shl_bound_lower(&bound[w->a], c.distance);
            shl_bound_lower(&bound[w->b], c.distance);
            continue;
        }
        const uint32_t other = nearest_box(s, i);
        if (other == SHL_NONE)
            continue;
        if (shl_plain(s) || s->grid.used) { // the grid will know better
            const shl_free_body *x = &shl_bodies(s)[number], *y = &shl_bodies(s)[other];
            shl_bound_lower(&bound[number], shl_box_bound(&x->box, &y->box,
                                                          !shl_is_lazy(x) && !shl_is_lazy(y)));
            continue;
        }
        shl_near_pair pair = {.a = number < other ? number : other,
                              .b = number < other ? other : number};
        search_pair(s, worker, &pair);
    }
    return SHOAL_OK;
}

// Squared gaps above it do not matter to the body.
static float limit_of(const shoal_scene *s, uint32_t number)
{
    double bound = s->queries & SHOAL_QUERY_WITHIN ? s->def.within : 0;
    if (s->queries & SHOAL_QUERY_NEAREST)
        bound = fmax(bound,
                     shl_bound_get((const _Atomic uint64_t *)s->distance.bound.data + number));
    return shl_search_limit(bound, s->distance.slack);
}

// Pairs of the body in place `at` of the list with later ones.
static shoal_status pairs_of(shoal_scene *s, uint32_t at, const float *limit)
{
    shl_distance *d = &s->distance;
    const uint32_t *bodies = d->bodies.data;
    const shl_box *box = &shl_bodies(s)[bodies[at]].box;
    for (uint32_t i = at / SHL_LANES * SHL_LANES; i < d->body_count; i += SHL_LANES) {
        const size_t size = sizeof(shl_near_pair), n = d->pair_count;
        if (n > UINT32_MAX - SHL_LANES)
            return SHOAL_ERR_LIMIT;
        const shoal_status st =
            shl_array_reserve(&d->pairs, (n + SHL_LANES) * size, n * size, &s->allocator);
        if (st != SHOAL_OK)
            return st;
        float gap[SHL_LANES];
        s->ctx->kernels.block_gap(box, (const shl_block *)d->blocks.data + i / SHL_LANES, gap);
        for (uint32_t k = 0; k < SHL_LANES && i + k < d->body_count; k++) {
            if (i + k > at && gap[k] <= fmaxf(limit[at], limit[i + k]))
                ((shl_near_pair *)d->pairs.data)[d->pair_count++] =
                    (shl_near_pair){.a = bodies[at], .b = bodies[i + k]};
        }
    }
    return SHOAL_OK;
}

shoal_status shl_run_distance_pairs(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    shoal_scene *s = ctx;
    const shl_distance *d = &s->distance;
    if (!(s->queries & (SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN)))
        return SHOAL_OK;
    float *limit = s->workers[worker].gaps.data;
    for (uint32_t i = 0; i < d->body_count; i++)
        limit[i] = limit_of(s, ((const uint32_t *)d->bodies.data)[i]);
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < d->body_count && !st; i++)
        st = pairs_of(s, i, limit);
    return st;
}

shoal_status shl_run_distance_walk(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++)
        search_pair(s, worker, (shl_near_pair *)s->distance.pairs.data + i);
    return SHOAL_OK;
}

// Least by distance and the other body; the rows are in order, so the first of equals wins but
// where the other body comes first.
static void crown(const shoal_scene *s, uint32_t row, uint32_t number, uint32_t other)
{
    const shl_near_pair *pairs = s->distance.pairs.data;
    uint32_t *winner = (uint32_t *)s->distance.winner.data + number;
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
shoal_status shl_run_distance_settle(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    shl_distance *d = &s->distance;
    const bool nearest = s->queries & SHOAL_QUERY_NEAREST,
               within = s->queries & SHOAL_QUERY_WITHIN;
    shoal_status st = shl_array_reserve(
        &d->within_pairs, (within ? d->pair_count : 0) * sizeof(uint32_t), 0, &s->allocator);
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; i < d->pair_count; i++) {
        const shl_near_pair *p = (const shl_near_pair *)d->pairs.data + i;
        if (p->at_a.id == SHL_NONE)
            continue;
        if (within && p->distance <= s->def.within)
            ((uint32_t *)d->within_pairs.data)[d->within_count++] = i;
        if (nearest) {
            crown(s, i, p->a, p->b);
            crown(s, i, p->b, p->a);
        }
    }
    d->nearest_count = nearest ? d->body_count : 0;
    for (uint32_t i = 0; i < d->nearest_count; i++) {
        const uint32_t number = ((const uint32_t *)d->bodies.data)[i];
        const uint32_t row = ((const uint32_t *)d->winner.data)[number];
        shl_near_pair *w = (shl_near_pair *)d->witness.data + number;
        *w = row == SHL_NONE ? (shl_near_pair){0} : ((shl_near_pair *)d->pairs.data)[row];
        w->made_a = row == SHL_NONE ? 0 : shl_bodies(s)[w->a].made;
        w->made_b = row == SHL_NONE ? 0 : shl_bodies(s)[w->b].made;
    }
    st = shl_array_reserve(&d->nearest, d->nearest_count * sizeof(shoal_nearest), 0,
                           &s->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->within, d->within_count * sizeof(shoal_nearest), 0,
                               &s->allocator);
    if (st == SHOAL_OK)
        st = shl_plan_sums(s, SHL_SUM_NEAREST);
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

static void fill(shoal_scene *s, shl_walker *walker, const shl_near_pair *pair, bool turn,
                 shoal_nearest *out)
{
    double a[9], b[9];
    shl_spot_corners(s, walker, pair->a, &pair->at_a, a);
    shl_spot_corners(s, walker, pair->b, &pair->at_b, b);
    shl_closest c;
    shl_tri_closest(a, b, &c);
    shl_nearest_set(pair, &c, turn, out);
}

shoal_status shl_run_distance_points(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    shl_distance *d = &s->distance;
    shl_walker *walker = &s->workers[worker];
    const shl_near_pair *pairs = d->pairs.data;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        if (i >= d->nearest_count) {
            const size_t at = i - d->nearest_count;
            const shl_near_pair *p = &pairs[((const uint32_t *)d->within_pairs.data)[at]];
            fill(s, walker, p, false, (shoal_nearest *)d->within.data + at);
            continue;
        }
        const uint32_t number = ((const uint32_t *)d->bodies.data)[i];
        const uint32_t row = ((const uint32_t *)d->winner.data)[number];
        shoal_nearest *out = (shoal_nearest *)d->nearest.data + i;
        if (row != SHL_NONE)
            fill(s, walker, &pairs[row], pairs[row].a != number, out);
        else
            *out = shl_nearest_none(number, SHL_NONE);
    }
    return SHOAL_OK;
}

static const uint32_t triangle_queries[2] = {SHOAL_QUERY_NEAREST_TRIANGLES,
                                             SHOAL_QUERY_NEAREST_SELF};

void shl_distance_end(shoal_scene *s, bool good)
{
    shl_distance *d = &s->distance;
    for (int q = 0; q < 2; q++) {
        d->known[q] = good && (d->known[q] || s->queries & triangle_queries[q]);
        d->tri_count[q] = good ? d->tri_count[q] : 0;
    }
    d->nearest_count = good ? d->nearest_count : 0;
    d->within_count = good ? d->within_count : 0;
}

void shl_distance_finish(shoal_scene *s)
{
    shl_distance *d = &s->distance;
    shl_array *const arrays[] = {
        &d->place,   &d->bodies,       &d->blocks,    &d->bound,      &d->witness, &d->pairs,
        &d->winner,  &d->within_pairs, &d->tri_begin, &d->node_begin, &d->layout,  &d->best[0],
        &d->best[1], &d->moved,        &d->nearest,   &d->within,     &d->tris[0], &d->tris[1],
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        shl_array_finish(arrays[i], &s->allocator);
}
