// SPDX-License-Identifier: MIT
// For every triangle the nearest one of another body, and of its own body among those that
// share no vertex with it. The triangles of a leaf search together, body after body, the
// nearest box first; each begins with what was nearest in the last step.
#include "runtime/queries/distance/bounds/bounds.h"
#include "runtime/queries/distance/search.h"
#include "runtime/scene/steps.h"

#include "kernels/tri_distance.h"

#include <math.h>
#include <string.h>

static const uint32_t query_of[2] = {SHOAL_QUERY_NEAREST_TRIANGLES, SHOAL_QUERY_NEAREST_SELF};

// The rows that a body has in this step.
static shl_near_layout layout_of(const shoal_scene *s, uint32_t place)
{
    const uint32_t *begin = s->distance.tri_begin.data;
    const uint32_t number = ((const uint32_t *)s->distance.bodies.data)[place];
    return (shl_near_layout){number, shl_bodies(s)[number].made, begin[place],
                             begin[place + 1] - begin[place]};
}

// Whether rows of triangles mean the same as in the last step.
static bool same_layout(const shl_distance *d, const shoal_scene *s)
{
    bool same = d->layout_count == d->body_count;
    for (uint32_t i = 0; i < d->body_count && same; i++) {
        const shl_near_layout now = layout_of(s, i);
        same = memcmp((const shl_near_layout *)d->layout.data + i, &now, sizeof now) == 0;
    }
    return same;
}

// Rows of bodies that were there in the last step go where those are now; others know nothing.
// Both lists of bodies ascend by number.
static shoal_status move_rows(shl_distance *d, const shoal_scene *s, int q, size_t tris)
{
    const shoal_status st =
        shl_array_reserve(&d->moved, tris * sizeof(shl_near_tri), 0, &s->allocator);
    if (st != SHOAL_OK)
        return st;
    const shl_near_layout *old = d->layout.data;
    shl_near_tri *to = d->moved.data;
    for (uint32_t i = 0, k = 0; i < d->body_count; i++) {
        const shl_near_layout now = layout_of(s, i);
        while (k < d->layout_count && old[k].number < now.number)
            k++;
        const bool stayed =
            k < d->layout_count && old[k].number == now.number && old[k].made == now.made;
        if (stayed)
            memcpy(to + now.first, (const shl_near_tri *)d->best[q].data + old[k].first,
                   now.count * sizeof *to);
        for (uint32_t t = 0; t < now.count && !stayed; t++)
            to[now.first + t].body = SHL_NONE;
    }
    const shl_array best = d->best[q];
    d->best[q] = d->moved;
    d->moved = best;
    return SHOAL_OK;
}

shoal_status shl_plan_rows(shoal_scene *s)
{
    shl_distance *d = &s->distance;
    const size_t n = d->body_count + (size_t)1;
    shoal_status st = shl_array_reserve(&d->tri_begin, n * sizeof(uint32_t), 0, &s->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&d->node_begin, n * sizeof(uint32_t), 0, &s->allocator);
    if (st != SHOAL_OK)
        return st;
    uint32_t *tri = d->tri_begin.data, *node = d->node_begin.data;
    uint64_t tris = 0, nodes = 0;
    for (uint32_t i = 0; i < d->body_count; i++) {
        const shl_tree *t = shl_bodies(s)[((const uint32_t *)d->bodies.data)[i]].tree;
        tri[i] = (uint32_t)tris;
        node[i] = (uint32_t)nodes;
        tris += t->triangle_count;
        nodes += t->node_count;
        if (tris > UINT32_MAX || nodes > UINT32_MAX)
            return SHOAL_ERR_LIMIT;
    }
    tri[d->body_count] = (uint32_t)tris;
    node[d->body_count] = (uint32_t)nodes;
    return SHOAL_OK;
}

shoal_status shl_plan_near_triangles(shoal_scene *s)
{
    shl_distance *d = &s->distance;
    if (!(s->queries & (query_of[0] | query_of[1])))
        return SHOAL_OK;
    shoal_status st =
        shl_array_reserve(&d->layout, (d->body_count + (size_t)1) * sizeof(shl_near_layout),
                          d->layout_count * sizeof(shl_near_layout), &s->allocator);
    const size_t tris = ((const uint32_t *)d->tri_begin.data)[d->body_count];
    const bool same = same_layout(d, s);
    for (int q = 0; q < 2 && st == SHOAL_OK; q++) {
        d->known[q] = d->known[q] && !shl_plain(s);
        if (d->known[q] && !same)
            st = move_rows(d, s, q, tris);
        if (st != SHOAL_OK || !(s->queries & query_of[q]))
            continue;
        st = shl_array_reserve(&d->best[q], tris * sizeof(shl_near_tri),
                               d->known[q] ? tris * sizeof(shl_near_tri) : 0, &s->allocator);
        if (st == SHOAL_OK)
            st = shl_array_reserve(&d->tris[q], tris * sizeof(shoal_nearest), 0, &s->allocator);
        d->tri_count[q] = tris;
    }
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; i < d->body_count; i++)
        ((shl_near_layout *)d->layout.data)[i] = layout_of(s, i);
    d->layout_count = d->body_count;
    d->node_rows = ((const uint32_t *)d->node_begin.data)[d->body_count];
    return SHOAL_OK;
}

uint32_t shl_place_of_row(const shl_array *begin, uint32_t count, uint32_t row)
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
typedef struct looking {
    shl_search search;
    uint32_t place; // of its body in the list
    uint32_t node;
    shl_box box;
} looking;

// Distances to what was nearest in the last step, for the triangles that still have it.
static void recall(looking *l, int q)
{
    shoal_scene *s = l->search.scene;
    shl_walker *walker = l->search.worker;
    const shl_free_body *a = l->search.a;
    const shl_tree *t = a->tree;
    double xyz[2][9 * SHL_LANES], distance[SHL_LANES];
    shl_tri tri[SHL_LANES];
    shl_tri_pair pairs[SHL_LANES];
    uint32_t lanes[SHL_LANES], n = 0;
    for (uint32_t lane = 0; lane < t->count[l->node]; lane++) {
        shl_near_tri *own = &l->search.own[lane];
        const uint32_t row = t->first[l->node] + lane;
        const shl_spot at = {l->node, row, t->tri[row].id};
        const uint32_t other = s->distance.known[q] ? own->body : SHL_NONE;
        const bool holds = other < s->body_count && shl_bodies(s)[other].joined &&
                           shl_spot_holds(&shl_bodies(s)[other], &own->at);
        if (holds)
            own->at.id = shl_bodies(s)[other].tree->tri[own->at.row].id;
        const bool apart = holds && (other != a->number ||
                                     !shl_tris_adjacent(&t->tri[row], &t->tri[own->at.row]));
        own->distance = INFINITY;
        if (!apart || (q == 0) != (other != a->number)) {
            *own = (shl_near_tri){INFINITY, SHL_NONE, {SHL_NONE, SHL_NONE, SHL_NONE}};
            continue;
        }
        const bool turn = other != a->number ? a->number > other : at.id > own->at.id;
        shl_spot_corners(s, walker, a->number, &at, xyz[turn] + 9 * n);
        shl_spot_corners(s, walker, other, &own->at, xyz[!turn] + 9 * n);
        tri[n] = (shl_tri){{3 * n, 3 * n + 1, 3 * n + 2}, n};
        pairs[n] = (shl_tri_pair){n, n};
        lanes[n++] = lane;
    }
    if (n == 0)
        return;
    const shl_tri_side side_a = {xyz[0], tri, SHOAL_F64}, side_b = {xyz[1], tri, SHOAL_F64};
    s->ctx->kernels.tri_distance(&side_a, &side_b, pairs, n, distance,
                                 &walker->count.exact_tests);
    walker->count.distances += n;
    for (uint32_t i = 0; i < n; i++)
        l->search.own[lanes[i]].distance = distance[i];
}

// The farthest of what the leaf's triangles have found.
static double farthest(const looking *l)
{
    double most = 0;
    for (uint32_t lane = 0; lane < l->search.a->tree->count[l->node]; lane++)
        most = fmax(most, fmin(l->search.own[lane].distance, l->search.own_upper[lane]));
    return most;
}

static void look_around(looking *l)
{
    const shoal_scene *s = l->search.scene;
    const shl_distance *d = &s->distance;
    float *gap = l->search.worker->gaps.data;
    for (uint32_t i = 0; i < d->body_count; i += SHL_LANES)
        s->ctx->kernels.block_gap(&l->box, (const shl_block *)d->blocks.data + i / SHL_LANES,
                                  gap + i);
    gap[l->place] = NAN; // itself, and later those that were searched
    for (;;) {
        uint32_t next = SHL_NONE;
        for (uint32_t i = 0; i < d->body_count; i++) {
            if (gap[i] >= 0 && (next == SHL_NONE || gap[i] < gap[next]))
                next = i;
        }
        if (next == SHL_NONE || gap[next] > shl_search_limit(farthest(l), d->slack))
            return;
        gap[next] = NAN;
        l->search.b = &shl_bodies(l->search.scene)[((const uint32_t *)d->bodies.data)[next]];
        shl_search_leaf(&l->search, l->node, &l->box);
    }
}

// The results of the leaf's triangles, in the user's order; their points all at once.
static void tell(const looking *l, int q)
{
    shoal_scene *s = l->search.scene;
    const shl_distance *d = &s->distance;
    const shl_tree *t = l->search.a->tree;
    const uint32_t number = l->search.a->number;
    shoal_nearest *rows =
        (shoal_nearest *)d->tris[q].data + ((const uint32_t *)d->tri_begin.data)[l->place];
    double xyz[2][SHL_LANES][9];
    shl_closest closest[SHL_LANES];
    shl_near_pair pair[SHL_LANES];
    bool turned[SHL_LANES];
    uint32_t n = 0;
    for (uint32_t lane = 0; lane < t->count[l->node]; lane++) {
        const shl_near_tri *own = &l->search.own[lane];
        const uint32_t row = t->first[l->node] + lane;
        const shl_spot at = {l->node, row, t->tri[row].id};
        if (own->body == SHL_NONE) {
            rows[at.id] = shl_nearest_none(number, at.id);
            continue;
        }
        const bool turn = number != own->body ? number > own->body : at.id > own->at.id;
        shl_spot_corners(s, l->search.worker, number, &at, xyz[turn][n]);
        shl_spot_corners(s, l->search.worker, own->body, &own->at, xyz[!turn][n]);
        turned[n] = turn;
        pair[n++] = (shl_near_pair){.a = turn ? own->body : number,
                                    .b = turn ? number : own->body,
                                    .at_a = turn ? own->at : at,
                                    .at_b = turn ? at : own->at};
    }
    s->ctx->kernels.tri_closest_rows((const double(*)[9])xyz[0], (const double(*)[9])xyz[1], n,
                                     closest);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t id = turned[i] ? pair[i].at_b.id : pair[i].at_a.id;
        shl_nearest_set(&pair[i], &closest[i], turned[i], &rows[id]);
    }
}

// What is known of the leaf's triangles before the search.
static void begin_look(looking *l, int q, bool recalled)
{
    const shoal_scene *s = l->search.scene;
    const shl_distance *d = &s->distance;
    const shl_tree *t = l->search.a->tree;
    l->search.own = (shl_near_tri *)d->best[q].data +
                    ((const uint32_t *)d->tri_begin.data)[l->place] + t->first[l->node];
    if (!recalled)
        recall(l, q);
    for (uint32_t lane = 0; lane < SHL_LANES; lane++)
        l->search.own_upper[lane] =
            q == 0 && lane < t->count[l->node]
                ? shl_grid_upper(s, l->search.a, t->first[l->node] + lane)
                : INFINITY;
}

static void look(looking *l, int q)
{
    begin_look(l, q, l->search.scene->distance.recalled);
    if (q == 0) {
        look_around(l);
    } else {
        l->search.b = l->search.a;
        shl_search_leaf(&l->search, l->node, &l->box);
    }
    tell(l, q);
}

// The next leaf from row `i` on, its row or `end`.
static uint32_t next_leaf(looking *l, uint32_t i, uint32_t end)
{
    const shoal_scene *s = l->search.scene;
    const uint32_t *begin = s->distance.node_begin.data;
    for (; i < end; i++) {
        while (i >= begin[l->place + 1])
            l->place++;
        l->search.a = &shl_bodies(s)[((const uint32_t *)s->distance.bodies.data)[l->place]];
        l->node = i - begin[l->place];
        if (l->search.a->tree->leaf[l->node])
            return i;
    }
    return end;
}

// What was nearest in the last step, while the GPU is busy with this one.
shoal_status shl_run_distance_recall(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    const shl_distance *d = &s->distance;
    looking l = {.search = {.scene = s, .worker = &s->workers[worker]}};
    l.place = shl_place_of_row(&d->node_begin, d->body_count, rows.begin);
    for (uint32_t i = rows.begin; (i = next_leaf(&l, i, rows.end)) < rows.end; i++) {
        for (int q = 0; q < 2; q++) {
            if (!(s->queries & query_of[q]))
                continue;
            l.search.own = (shl_near_tri *)d->best[q].data +
                           ((const uint32_t *)d->tri_begin.data)[l.place] +
                           l.search.a->tree->first[l.node];
            recall(&l, q);
        }
    }
    return SHOAL_OK;
}

shoal_status shl_run_distance_tris(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    const shl_distance *d = &s->distance;
    looking l = {.search = {.scene = s, .worker = &s->workers[worker]}};
    l.place = shl_place_of_row(&d->node_begin, d->body_count, rows.begin);
    for (uint32_t i = rows.begin; (i = next_leaf(&l, i, rows.end)) < rows.end; i++) {
        shl_leaf leaf;
        shl_search_room(l.search.worker, 1);
        shl_search_open(&l.search, l.search.a, l.node, 0, &leaf);
        s->ctx->kernels.block_merge(leaf.lanes.block, &l.box);
        for (int q = 0; q < 2; q++) {
            if (s->queries & query_of[q])
                look(&l, q);
        }
    }
    return SHOAL_OK;
}
