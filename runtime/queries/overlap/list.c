// SPDX-License-Identifier: MIT
// Neighbour lists: a list of all triangle pairs closer than a margin stays complete while no
// two bodies have moved by more than the margin together, so steps in between need no boxes and
// no trees (Verlet 1967).
//
// Why it is complete. Two triangles that touch have coordinates a and b on each axis with
// a = b. Since the list was made they moved by at most Da and Db along the axis, so the boxes
// of then, which hold them, are not farther apart than Da + Db <= margin, and the list was made
// with one side of every box test grown by that. Each pair of the list also knows how far it
// has to go before it can touch, so that most are not even looked at.
#include "runtime/queries/overlap/overlap.h"

#include "kernels/round.h"

#include <math.h>
#include <string.h>

static const shl_kind *kind_of(const shl_overlap *o, uint32_t body, void **self)
{
    const shl_bodies *b = o->ports->bodies;
    *self = o->ports->kinds[b->kind[body]];
    return shl_kinds[b->kind[body]];
}

static shl_whereabouts whereabouts_of(const shl_overlap *o, uint32_t body)
{
    void *self;
    const shl_kind *kind = kind_of(o, body, &self);
    shl_whereabouts out;
    kind->whereabouts(self, o->ports->bodies->row[body], &out);
    return out;
}

// A body whose state was set: active, bad, or about to be one of them.
static bool has_state(const shl_bodies *bodies, uint32_t body)
{
    return bodies->model[body] &&
           shl_body_is(bodies, body, SHL_BODY_ACTIVE | SHL_BODY_BAD | SHL_BODY_FRESH);
}

static shoal_status watch(shl_overlap *o, uint32_t body, size_t *bytes)
{
    shl_list *l = &o->list;
    const shoal_allocator *allocator = o->ports->allocator;
    const shl_whereabouts at = whereabouts_of(o, body);
    const uint32_t ranges = shl_chunk_count(at.count, at.grain);
    const size_t size = sizeof(shl_watched_range), n = l->range_count,
                 body_size = sizeof(shl_watched_body), m = l->body_count;
    shoal_status st = shl_array_reserve(&l->ranges, (n + ranges) * size, n * size, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&l->bodies, (m + 1) * body_size, m * body_size, allocator);
    if (st != SHOAL_OK)
        return st;
    ((shl_watched_body *)l->bodies.data)[l->body_count++] = (shl_watched_body){body, *bytes};
    for (uint32_t i = 0; i < ranges; i++) {
        const shl_chunk rows = shl_chunk_rows(at.count, at.grain, i);
        ((shl_watched_range *)l->ranges.data)[l->range_count++] =
            (shl_watched_range){(uint32_t)m, rows.begin, rows.end};
    }
    *bytes += ((size_t)at.count * at.row_bytes + SHL_ALIGN - 1) / SHL_ALIGN * SHL_ALIGN;
    return SHOAL_OK;
}

// A list needs to know how far all bodies move; other queries search in every step, and those
// whose rows are bounded must not find more near pairs than that.
static bool can_list(const shl_overlap *o)
{
    const shl_bodies *bodies = o->ports->bodies;
    bool watched = o->queries && o->asked == o->queries &&
                   !(o->queries & SHOAL_QUERY_PAIRS && shl_overlap_bounded(o, SHL_PAIRS)) &&
                   !(o->queries & SHOAL_QUERY_SELF && shl_overlap_bounded(o, SHL_SELF));
    for (uint32_t i = 0; i < bodies->table.count && watched; i++)
        watched = !bodies->model[i] || shl_kinds[bodies->kind[i]]->whereabouts;
    return watched;
}

shoal_status shl_list_begin(shl_overlap *o)
{
    shl_list *l = &o->list;
    const shl_bodies *bodies = o->ports->bodies;
    l->active = l->grow > 0 && can_list(o);
    l->valid &= l->active && l->changes == bodies->changes;
    l->usable = l->valid && l->queries == o->queries;
    l->valid = l->reused = l->listing = false; // until this step has gone well
    l->displacement_rows = l->usable ? l->range_count : 0;
    l->snapshot_rows = 0;
    if (!l->active || l->usable)
        return SHOAL_OK;
    l->queries = o->queries;
    l->changes = bodies->changes;
    l->range_count = l->body_count = 0;
    shoal_status st = SHOAL_OK;
    size_t bytes = 0;
    for (uint32_t i = 0; i < bodies->table.count && !st; i++) {
        if (has_state(bodies, i))
            st = watch(o, i, &bytes);
    }
    if (st == SHOAL_OK)
        st = shl_array_reserve(&l->reference, bytes, 0, o->ports->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&l->displacement, (l->range_count + (size_t)1) * sizeof(double),
                               0, o->ports->allocator);
    return st;
}

void shl_list_end(shl_overlap *o, const shl_step_end *end)
{
    o->list.valid = end->good && o->list.active;
}

// How far each range of rows has moved. Bodies that did not move keep their previous value.
shoal_status shl_list_run_displacement(void *ctx, shl_chunk rows)
{
    const shl_overlap *o = ctx;
    const shl_bodies *bodies = o->ports->bodies;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_watched_range *range = (const shl_watched_range *)o->list.ranges.data + i;
        const shl_watched_body *b = (const shl_watched_body *)o->list.bodies.data + range->body;
        if (!shl_body_is(bodies, b->body, SHL_BODY_FRESH))
            continue;
        void *self;
        const shl_kind *kind = kind_of(o, b->body, &self);
        ((double *)o->list.displacement.data)[i] = kind->displacement(
            self, bodies->row[b->body], (const char *)o->list.reference.data + b->offset,
            range->begin, range->end);
    }
    return SHOAL_OK;
}

// The most that two sides of a pair moved together: two bodies, or one twice if it is asked
// for contacts with itself.
static double most_together(const shl_overlap *o)
{
    const shl_list *l = &o->list;
    const shl_watched_range *ranges = l->ranges.data;
    const double *displacement = l->displacement.data;
    double first = 0, second = 0;
    for (uint32_t i = 0, end; i < l->range_count; i = end) {
        double body = 0;
        for (end = i; end < l->range_count && ranges[end].body == ranges[i].body; end++)
            body = displacement[end] > body ? displacement[end] : body;
        second = body > first ? first : body > second ? body : second;
        first = body > first ? body : first;
    }
    return nextafter(first + (o->queries & SHOAL_QUERY_SELF ? first : second), INFINITY);
}

// Whether the list is still complete; if so, nobody needs boxes.
shoal_status shl_list_run_validate(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_overlap *o = ctx;
    shl_list *l = &o->list;
    const double displacement = l->usable ? most_together(o) : 0;
    l->reused = l->usable && displacement <= o->ports->def->list_margin;
    l->listing = l->active && !l->reused;
    l->displacement_most = l->reused ? shl_round_up(displacement) : 0;
    l->snapshot_rows = l->listing ? l->range_count : 0;
    if (l->listing)
        memset(l->displacement.data, 0, l->range_count * sizeof(double));
    return SHOAL_OK;
}

// Remembers the positions that a new list is made from.
shoal_status shl_list_run_snapshot(void *ctx, shl_chunk rows)
{
    const shl_overlap *o = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_watched_range *range = (const shl_watched_range *)o->list.ranges.data + i;
        const shl_watched_body *b = (const shl_watched_body *)o->list.bodies.data + range->body;
        const shl_whereabouts at = whereabouts_of(o, b->body);
        const size_t begin = (size_t)range->begin * at.row_bytes;
        memcpy((char *)o->list.reference.data + b->offset + begin,
               (const char *)at.rows + begin,
               (size_t)(range->end - range->begin) * at.row_bytes);
    }
    return SHOAL_OK;
}

// Each chunk's offset in the new list, and memory for what testing it will find.
shoal_status shl_list_run_scan(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_overlap *o = ctx;
    shl_list *l = &o->list;
    if (!l->active) {
        l->chunk_count = l->entry_count = 0; // of an earlier step
        return SHOAL_OK;
    }
    size_t sum = 0;
    for (uint32_t i = 0; i < l->chunk_count; i++) {
        shl_run *run = &((shl_found *)l->chunks.data + i)->run[SHL_LIST_ENTRIES];
        run->offset = sum;
        sum += run->count;
    }
    if (sum > UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    if (l->listing) {
        l->entry_count = 0; // in case there is no memory
        const shoal_status st = shl_array_reserve(&l->entries, sum * sizeof(shl_list_entry), 0,
                                                  o->ports->allocator);
        if (st != SHOAL_OK)
            return st;
        l->entry_count = (uint32_t)sum;
    }
    o->found_count = shl_chunk_count(l->entry_count, SHL_LIST_GRAIN);
    return shl_array_reserve(&o->found, o->found_count * sizeof(shl_found), 0,
                             o->ports->allocator);
}

shoal_status shl_list_run_compact(void *ctx, shl_chunk rows)
{
    const shl_overlap *o = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_run *run =
            &((const shl_found *)o->list.chunks.data + i)->run[SHL_LIST_ENTRIES];
        if (run->count)
            shl_rows_copy(&o->rows[SHL_LIST_ENTRIES], run,
                          (shl_list_entry *)o->list.entries.data + run->offset);
    }
    return SHOAL_OK;
}
