// SPDX-License-Identifier: MIT
// Where searches start: one node pair for each body pair, opened breadth-first when there are
// too few to share among threads.
#include "runtime/queries/overlap/overlap.h"

#include "kernels/boxes/block_grow.h"

static void put_pair(shl_overlap *o, uint32_t a, uint32_t b)
{
    shl_overlap_pair *p = shl_overlap_pairs(o) + o->pair_count++;
    p->a = a;
    p->b = b;
    atomic_init(&p->hit, 0);
}

// Body pairs of this step; those within a body come last.
static shoal_status list_pairs(shl_overlap *o)
{
    const shl_bodies *bodies = o->ports->bodies;
    const shl_body_pairs *found = o->ports->pairs;
    const bool between = o->queries & (SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST),
               self = o->queries & SHOAL_QUERY_SELF;
    const size_t most = (between ? (size_t)found->count : 0) + (self ? bodies->table.count : 0);
    o->pair_count = o->between = 0;
    if (most > UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    const shoal_status st =
        shl_array_reserve(&o->pairs, most * sizeof(shl_overlap_pair), 0, o->ports->allocator);
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; between && i < found->count; i++)
        put_pair(o, (uint32_t)(found->rows[i] >> 32), (uint32_t)found->rows[i]);
    o->between = o->pair_count;
    for (uint32_t a = 0; self && a < bodies->table.count; a++) {
        if (shl_body_is(bodies, a, SHL_BODY_ACTIVE))
            put_pair(o, a, a);
    }
    return SHOAL_OK;
}

// The pairs of the list, with no contact found yet.
static void reset_hits(const shl_overlap *o)
{
    for (uint32_t i = 0; i < o->pair_count; i++)
        atomic_init(&shl_overlap_pairs(o)[i].hit, 0);
}

static shoal_status root_rows(shl_overlap *o)
{
    const shl_box *box = o->ports->bodies->box;
    const shoal_status st =
        shl_array_reserve(&o->frontier, (o->pair_count + (size_t)1) * sizeof(shl_frontier_row),
                          0, o->ports->allocator);
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; i < o->pair_count; i++) {
        const shl_overlap_pair *pair = shl_overlap_pairs(o) + i;
        shl_box a = box[pair->a];
        const shl_box *b = &box[pair->b];
        shl_frontier_row row = {.pair = i};
        if (o->list.listing)
            shl_grow_box(&a, o->list.grow);
        for (int k = 0; k < 3; k++) {
            row.nodes.clip.lo[k] = a.lo[k] > b->lo[k] ? a.lo[k] : b->lo[k];
            row.nodes.clip.hi[k] = a.hi[k] < b->hi[k] ? a.hi[k] : b->hi[k];
        }
        ((shl_frontier_row *)o->frontier.data)[i] = row;
    }
    o->frontier_count = o->pair_count;
    return SHOAL_OK;
}

// One level for every row; false in *more when nothing could be opened.
static shoal_status open_rows(shl_overlap *o, shl_scratch *scratch, bool *more)
{
    const size_t size = sizeof(shl_frontier_row);
    const float grow = o->list.listing ? o->list.grow : 0;
    uint32_t n = 0;
    *more = false;
    for (uint32_t i = 0; i < o->frontier_count; i++) {
        const shoal_status st =
            shl_array_reserve(&o->frontier_next, (n + (size_t)SHL_DESCEND_MAX) * size, n * size,
                              o->ports->allocator);
        if (st != SHOAL_OK)
            return st;
        const shl_frontier_row row = ((const shl_frontier_row *)o->frontier.data)[i];
        shl_frontier_row *out = (shl_frontier_row *)o->frontier_next.data + n;
        const shl_overlap_pair *pair = shl_overlap_pairs(o) + row.pair;
        shl_view a, b;
        shl_view_of(o->ports, pair->a, &a);
        shl_view_of(o->ports, pair->b, &b);
        if (a.tree->leaf[row.nodes.a] && b.tree->leaf[row.nodes.b]) {
            out[0] = row;
            n++;
            continue;
        }
        shl_node_pair opened[SHL_DESCEND_MAX];
        const uint32_t k = shl_descend(&a, &b, grow, &row.nodes, opened, scratch);
        for (uint32_t j = 0; j < k; j++)
            out[j] = (shl_frontier_row){opened[j], row.pair};
        scratch->count.node_pairs++;
        n += k;
        *more = true;
    }
    const shl_array swap = o->frontier;
    o->frontier = o->frontier_next;
    o->frontier_next = swap;
    o->frontier_count = n;
    return SHOAL_OK;
}

// Larger batches fill the triangle kernel better, smaller ones are easier to balance.
static uint32_t batch_rows(shl_overlap *o)
{
    const uint32_t fair = o->frontier_count / (SHL_BATCHES_WANTED * o->ports->workers);
    o->batch = fair < 1 ? 1 : fair < SHL_BATCH_MAX ? fair : SHL_BATCH_MAX;
    o->batch_count = shl_chunk_count(o->frontier_count, o->batch);
    return o->batch_count;
}

// Whether boxes of some node may be tighter in one step than in another with the same state, as
// those that a kind makes with what earlier searches visited.
static bool varies(const shl_overlap *o)
{
    bool found = false;
    for (uint32_t i = 0; i < o->pair_count && !found; i++) {
        const shl_overlap_pair *pair = shl_overlap_pairs(o) + i;
        shl_view a, b;
        shl_view_of(o->ports, pair->a, &a);
        shl_view_of(o->ports, pair->b, &b);
        found = (a.visited && !a.stamps) || (b.visited && !b.stamps);
    }
    return found;
}

// Then the levels that are opened may differ: memory is there for all that can come of it.
static shoal_status reserve_most(shl_overlap *o)
{
    const shoal_allocator *allocator = o->ports->allocator;
    const size_t rows = SHL_FRONTIER_WANTED * (size_t)SHL_DESCEND_MAX;
    const size_t chunks =
        2 * (size_t)SHL_BATCHES_WANTED * o->ports->workers + rows / SHL_BATCH_MAX;
    shoal_status st = shl_array_reserve(&o->frontier, rows * sizeof(shl_frontier_row),
                                        o->frontier.capacity, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&o->frontier_next,
                               (rows + SHL_DESCEND_MAX) * sizeof(shl_frontier_row), 0,
                               allocator);
    return st == SHOAL_OK
               ? shl_array_reserve(&o->found, chunks * sizeof(shl_found), 0, allocator)
               : st;
}

shoal_status shl_overlap_run_frontier(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_overlap *o = ctx;
    o->frontier_count = o->batch_count = o->list.chunk_count = 0;
    if (o->list.reused) { // there is nothing to search
        reset_hits(o);
        return SHOAL_OK;
    }
    shoal_status st = list_pairs(o);
    if (st == SHOAL_OK)
        st = root_rows(o);
    bool more = o->pair_count > 0 && o->pair_count < SHL_FRONTIER_WANTED;
    if (st == SHOAL_OK && more && varies(o))
        st = reserve_most(o);
    while (st == SHOAL_OK && more && o->frontier_count > 0 &&
           o->frontier_count < SHL_FRONTIER_WANTED)
        st = open_rows(o, &o->ports->scratch[rows.worker], &more);
    uint32_t *chunks = o->list.listing ? &o->list.chunk_count : &o->found_count;
    *chunks = batch_rows(o);
    if (st == SHOAL_OK)
        st = shl_array_reserve(o->list.listing ? &o->list.chunks : &o->found,
                               *chunks * sizeof(shl_found), 0, o->ports->allocator);
    return st;
}
