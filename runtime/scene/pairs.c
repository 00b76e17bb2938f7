// SPDX-License-Identifier: MIT
#include "runtime/scene/pairs.h"

#include "kernels/boxes/block_grow.h"
#include "runtime/scene/filter.h"

#include <shoal/study.h>

enum { FAT_MAX = 3 }; // volume of a fat box over that of the body's own

void shl_pairs_init(shl_pairs *p, const shl_ports *ports)
{
    p->ports = ports;
    p->broad.kernels = &ports->ctx->kernels;
    p->broad.allocator = ports->allocator;
    p->broad.workers = ports->workers;
    p->broad.method = ports->def->broad;
    p->broad.meet_reads = SHL_TABLE_BODIES;
}

void shl_pairs_finish(shl_pairs *p)
{
    if (!p->ports)
        return;
    shl_broad_finish(&p->broad);
    shl_array_finish(&p->kept, p->ports->allocator);
}

// What the broad phase cannot filter is filtered afterwards.
static void set_filter(shl_pairs *p)
{
    const shl_bodies *b = p->ports->bodies;
    p->filtered = shl_filter_active(b);
    p->broad.meet =
        p->filtered && p->broad.method != SHOAL_BROAD_INCREMENTAL ? shl_filter_meet : NULL;
    p->broad.meet_ctx = b;
    if (p->filters != b->filters)
        atomic_store_explicit(&p->broad.changed, true, memory_order_relaxed);
    p->filters = b->filters;
}

shoal_status shl_pairs_begin(shl_pairs *p, bool wanted)
{
    p->broad.wanted = wanted;
    p->box_rows = 0;
    p->out = (shl_body_pairs){0};
    set_filter(p);
    atomic_store_explicit(&p->fat_used, 0, memory_order_relaxed);
    atomic_store_explicit(&p->fat_left, 0, memory_order_relaxed);
    return wanted ? shl_broad_reserve(&p->broad, p->ports->bodies->table.count) : SHOAL_OK;
}

void shl_pairs_demand(shl_pairs *p, bool boxes, float margin)
{
    p->margin = margin;
    p->broad.wanted &= boxes;
    p->box_rows = p->broad.wanted ? p->ports->bodies->table.count : 0;
}

bool shl_fat_holds(const shl_bodies *b, uint32_t body)
{
    const shl_box *fat = &b->fat[body], *box = &b->box[body];
    bool holds = true;
    for (int k = 0; k < 3; k++)
        holds &= fat->lo[k] <= box->lo[k] && box->hi[k] <= fat->hi[k];
    return holds;
}

static shl_box grown(const shl_pairs *p, const shl_box *box)
{
    shl_box out = *box;
    if (p->margin > 0)
        shl_grow_box(&out, p->margin);
    return out;
}

static double volume(const shl_box *box)
{
    double v = 1;
    for (int k = 0; k < 3; k++)
        v *= (double)box->hi[k] - (double)box->lo[k];
    return v;
}

static shoal_status run_boxes(void *ctx, shl_chunk rows)
{
    shl_pairs *p = ctx;
    const shl_bodies *b = p->ports->bodies;
    uint32_t used = 0, left = 0;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_box *box = shl_body_is(b, i, SHL_BODY_ACTIVE) ? &b->box[i] : NULL;
        if (box && shl_body_is(b, i, SHL_BODY_FAT)) {
            const bool holds = shl_fat_holds(b, i);
            const bool use = holds && volume(&b->fat[i]) < FAT_MAX * volume(box);
            used += use;
            left += !holds;
            box = use ? &b->fat[i] : box;
        }
        const shl_box out = box ? grown(p, box) : (shl_box){{0}, {0}};
        shl_broad_set(&p->broad, i, box ? &out : NULL);
    }
    if (used)
        atomic_fetch_add_explicit(&p->fat_used, used, memory_order_relaxed);
    if (left)
        atomic_fetch_add_explicit(&p->fat_left, left, memory_order_relaxed);
    return SHOAL_OK;
}

// Whether two bodies are a pair, though the broad phase may know them by other boxes.
static bool are_pair(const shl_pairs *p, uint32_t x, uint32_t y, bool fat, bool sift)
{
    const shl_bodies *b = p->ports->bodies;
    if (sift && !shl_filter_meet(b, x, y))
        return false;
    const shl_box box_x = grown(p, &b->box[x]), box_y = grown(p, &b->box[y]);
    return !fat || shl_broad_overlap(&box_x, &box_y);
}

// What the broad phase found, less what only fat boxes have in common, and what a filter
// forbids.
static shoal_status run_pairs(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_pairs *p = ctx;
    const size_t found = p->broad.wanted ? p->broad.pair_count : 0;
    const uint64_t *from = p->broad.pairs.data;
    if (found > UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    shl_broad_done(&p->broad);
    p->out = (shl_body_pairs){from, (uint32_t)found};
    const bool fat = atomic_load_explicit(&p->fat_used, memory_order_relaxed) > 0;
    const bool sift = p->filtered && (!p->broad.meet || p->broad.used == SHOAL_BROAD_BRUTE);
    if (!(fat || sift) || !found)
        return SHOAL_OK;
    const shoal_status st =
        shl_array_reserve(&p->kept, found * sizeof(uint64_t), 0, p->ports->allocator);
    if (st != SHOAL_OK)
        return st;
    uint64_t *kept = p->kept.data;
    p->out = (shl_body_pairs){kept, 0};
    for (size_t i = 0; i < found; i++) {
        if (are_pair(p, (uint32_t)(from[i] >> 32), (uint32_t)from[i], fat, sift))
            kept[p->out.count++] = from[i];
    }
    return SHOAL_OK;
}

shoal_status shl_pairs_jobs(shl_pairs *p, shl_graph *graph)
{
    const shl_job_desc common = {.reads = SHL_TABLE_BODIES, .phase = SHL_PHASE_BROAD, .ctx = p},
                       boxes = {"broad_boxes", run_boxes, &p->box_rows, 1024,
                                .writes = SHL_TABLE_BROAD},
                       pairs = {"broad_pairs", run_pairs, .writes = SHL_TABLE_BROAD};
    shoal_status st = shl_graph_add_list(graph, &boxes, 1, &common);
    if (st == SHOAL_OK)
        st = shl_broad_jobs(&p->broad, graph, SHL_TABLE_BROAD, SHL_PHASE_BROAD);
    return st == SHOAL_OK ? shl_graph_add_list(graph, &pairs, 1, &common) : st;
}

void shl_pairs_list_tables(shl_pairs *p, shl_extents *out)
{
    shl_table_list shared = {out, 0};
    shl_array *arrays[SHL_BROAD_ARRAYS];
    for (uint32_t i = 0; i < shl_broad_arrays(&p->broad, arrays); i++)
        shl_table_array(&shared, SHL_NUMBER_BROAD, arrays[i]);
    shl_table_array(&shared, SHL_NUMBER_BROAD, &p->kept);
}
