// SPDX-License-Identifier: MIT
// The table of the kind, its rows and its jobs.
#include "runtime/kinds/free/free.h"
#include "runtime/traverse/open.h"

#include <string.h>
#include <unistd.h>

static const char *const tables[] = {"free_plan",    "free_sources", "free_finite",
                                     "free_profile", "free_rebuilt", NULL};

static const shl_array_def arrays[] = {
    SHL_ARRAY(shl_free_bodies, SHL_FREE_PLAN, first_touch, shl_vertex_range,
              "part of a new body, for free_first_touch"),
    SHL_ARRAY(shl_free_bodies, SHL_FREE_PLAN, gather, shl_vertex_range,
              "range of vertices, for free_gather"),
    SHL_ARRAY(shl_free_bodies, SHL_FREE_PLAN, refit, shl_subtree, "subtree, for free_refit"),
    SHL_ARRAY(shl_free_bodies, SHL_FREE_PLAN, refit_begin, uint32_t,
              "first row of a body in `refit`"),
    SHL_ARRAY(shl_free_bodies, SHL_FREE_FINITE, refit_finite, uint8_t,
              "whether a subtree has finite positions only"),
    SHL_ARRAY(shl_free_bodies, SHL_FREE_PROFILE, profiles, shl_profile,
              "body whose visits are read, for free_profile"),
    SHL_ARRAY(shl_free_bodies, SHL_FREE_REBUILT, rebuilds, shl_rebuild,
              "body whose tree is built anew, for free_rebuild"),
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static const char *model_fault(const shoal_model *model)
{
    (void)model;
    return NULL;
}

static shoal_status create(void *self, const shl_ports *ports, shl_bodies *bodies,
                           uint32_t table)
{
    shl_free_bodies *k = self;
    k->ports = ports;
    k->bodies = bodies;
    k->rows.row_bytes = shl_free_kind.row_bytes;
    k->table = table;
    k->candidates = shl_zalloc(ports->allocator, ports->workers * sizeof *k->candidates);
    k->costs = shl_free_profiles(k) ? shl_costs_of(ports->ctx) : NULL;
    return k->candidates ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

static void finish_body(shl_free_body *b, const shoal_allocator *allocator)
{
    if (b->blocks || b->stamps) {
        shl_free(allocator, b->blocks, b->tree->node_count * sizeof *b->blocks);
        shl_free(allocator, (void *)b->stamps, b->tree->node_count * sizeof *b->stamps);
    }
    shl_own_tree_finish(b->own_tree, allocator);
    shl_array_finish(&b->own, allocator);
    shl_array_finish(&b->front, allocator);
    shl_array_finish(&b->rate, allocator);
    shl_array_finish(&b->visited_memory, allocator);
    shl_array_finish(&b->cull.memory, allocator);
    *b = (shl_free_body){0};
}

static void destroy(void *self)
{
    shl_free_bodies *k = self;
    const shoal_allocator *allocator = k->ports->allocator;
    for (uint32_t i = 0; i < k->rows.count; i++)
        finish_body(shl_free_row(k, i), allocator);
    for (uint32_t i = 0; k->candidates && i < k->ports->workers; i++)
        shl_array_finish(&k->candidates[i], allocator);
    shl_free(allocator, k->candidates, k->ports->workers * sizeof *k->candidates);
    shl_array_finish(&k->rows.data, allocator);
}

static shoal_status add(void *self, shoal_model *model, uint32_t body, uint32_t *row)
{
    shl_free_bodies *k = self;
    const shoal_allocator *allocator = k->ports->allocator;
    shoal_status st =
        shl_scratch_reserve(k->ports->scratch, k->ports->workers, false, 0, allocator);
    if (st == SHOAL_OK)
        st = shl_kind_rows_find(&k->rows, allocator, row);
    if (st != SHOAL_OK)
        return st;
    shl_free_body *b = shl_free_row(k, *row);
    const size_t nodes = model->tree.node_count;
    b->tree = &model->tree;
    b->blocks = shl_alloc(allocator, nodes * sizeof *b->blocks);
    b->stamps = shl_alloc(allocator, nodes * sizeof *b->stamps);
    if (!b->blocks || !b->stamps || !shl_free_cull_reserve(model, &b->cull, allocator)) {
        finish_body(b, allocator);
        return SHOAL_ERR_MEMORY;
    }
    b->model = model;
    b->body = body;
    b->sample = model->sample;
    b->build_ns = model->build_ns;
    k->untouched = true; // the first job of the next step writes blocks and stamps
    k->planned = false;
    return SHOAL_OK;
}

static void remove_row(void *self, uint32_t row)
{
    shl_free_bodies *k = self;
    shl_kind_rows_release(&k->rows, row);
    k->planned = false;
    finish_body(shl_free_row(k, row), k->ports->allocator);
}

// Bodies whose positions may have changed get a new epoch: all their boxes are stale.
static void renew(shl_free_bodies *k, shl_free_body *b)
{
    if (b->source == SHL_SOURCE_IN_PLACE || b->source == SHL_SOURCE_GATHER)
        shl_body_put(k->bodies, b->body, SHL_BODY_FRESH, true);
    if (!shl_free_is(k, b, SHL_BODY_FRESH))
        return;
    if (b->cull.gradients)
        atomic_store_explicit(b->cull.fresh, 0, memory_order_relaxed);
    if (++b->epoch == UINT32_MAX) { // the busy mark; start over with clean stamps
        b->epoch = 1;
        memset((void *)b->stamps, 0, b->tree->node_count * sizeof *b->stamps);
        if (b->cull.gradients)
            memset(b->cull.memory.data, 0, b->cull.memory.capacity);
    }
}

static shoal_status begin(void *self, bool certificates)
{
    shl_free_bodies *k = self;
    k->certificates = certificates;
    k->profile_count = k->rebuild_count = 0;
    for (uint32_t i = 0; i < k->rows.count; i++) {
        if (shl_free_row(k, i)->model)
            renew(k, shl_free_row(k, i));
    }
    shoal_status st = shl_free_plan_first_touch(k);
    if (st == SHOAL_OK)
        st = shl_free_plan(k);
    if (st != SHOAL_OK)
        return st;
    shl_free_profile_begin(k);
    shl_free_rebuild_begin(k);
    return SHOAL_OK;
}

static shoal_status jobs(void *self, shl_step_stage stage, shl_graph *graph)
{
    shl_free_bodies *k = self;
    const uint64_t plan = shl_table_bit(k->table, SHL_FREE_PLAN),
                   finite = shl_table_bit(k->table, SHL_FREE_FINITE);
    const shl_job_desc states[] = {
        {"free_first_touch", shl_free_run_first_touch, &k->first_touch_count, 1,
         .reads = plan | SHL_TABLE_BODIES | SHL_TABLE_TREES, .writes = SHL_TABLE_NODES},
        {"free_gather", shl_free_run_gather, &k->gather_count, 1,
         .reads = plan | SHL_TABLE_BODIES | SHL_TABLE_TREES |
                  shl_table_bit(k->table, SHL_FREE_SOURCES),
         .writes = SHL_TABLE_STATES, .phase = SHL_PHASE_GATHER},
    };
    const shl_job_desc boxes[] = {
        {"free_refit", shl_free_run_refit, &k->refit_rows, 1,
         .reads = plan | SHL_TABLE_STATES | SHL_TABLE_TREES,
         .opens = SHL_TABLE_BODIES | SHL_TABLE_NODES, .writes = finite},
        {"free_update", shl_free_run_update, &k->update_rows, 64,
         .reads = plan | finite | SHL_TABLE_STATES | SHL_TABLE_TREES,
         .opens = SHL_TABLE_BODIES | SHL_TABLE_NODES},
    };
    const shl_job_desc profile[] = {
        {"free_profile", shl_free_run_profile, &k->profile_count, 8,
         .reads = SHL_TABLE_BODIES | SHL_TABLE_NODES | SHL_TABLE_STATES | SHL_TABLE_TREES,
         .writes = plan | shl_table_bit(k->table, SHL_FREE_PROFILE)},
        {"free_rebuild", shl_free_run_rebuild, &k->rebuild_count, 1,
         .reads = SHL_TABLE_BODIES | SHL_TABLE_STATES | SHL_TABLE_TREES,
         .writes = shl_table_bit(k->table, SHL_FREE_REBUILT), .phase = SHL_PHASE_REBUILD},
    };
    return stage == SHL_STAGE_STATES
               ? SHL_DECLARE(graph, states, .ctx = k, .phase = SHL_PHASE_REFIT)
           : stage == SHL_STAGE_BOXES
               ? SHL_DECLARE(graph, boxes, .ctx = k, .phase = SHL_PHASE_REFIT)
           : stage == SHL_STAGE_PROFILE
               ? SHL_DECLARE(graph, profile, .ctx = k, .phase = SHL_PHASE_REFIT)
               : SHOAL_OK;
}

static void demand(void *self, bool boxes)
{
    shl_free_bodies *k = self;
    k->refit_rows = boxes ? k->refit_count : 0;
    k->update_rows = boxes ? k->rows.count : 0;
}

static void end(void *self, const shl_step_end *step)
{
    shl_free_bodies *k = self;
    shl_free_profile_end(k, step);
    for (uint32_t i = 0; i < k->rows.count && step->good; i++) {
        shl_free_body *b = shl_free_row(k, i);
        b->touched = b->model != NULL;
        if (b->model && step->boxes)
            shl_body_put(k->bodies, b->body, SHL_BODY_FRESH, false);
    }
    k->untouched &= !step->good;
    shl_free_rebuild_end(k, step);
}

// A user's array is closed only if it is packed and begins on a page: anything else may share
// its pages with what the user's other threads are just using.
static void list_user(shl_extents *out, uint32_t table, const shoal_positions *p)
{
    const size_t size = p->scalar == SHOAL_F32 ? sizeof(float) : sizeof(double);
    if (shl_positions_packed(p) && (uintptr_t)p->x % (uintptr_t)sysconf(_SC_PAGESIZE) == 0)
        shl_extents_add(out, (shl_extent){(void *)p->x, 3 * (size_t)p->count * size, table,
                                          SHL_EXTENT_FOREIGN});
}

static void list_tree(shl_extents *out, const shl_own_tree *own)
{
    shl_table_list trees = {out, SHL_NUMBER_TREES};
    shl_column list[SHL_TREE_COLUMNS];
    shl_tree tree = own->tree;
    shl_tree_columns(&tree, list);
    for (int i = 0; i < SHL_TREE_COLUMNS; i++)
        shl_table_extent(&trees, *list[i].data, list[i].bytes);
    shl_table_extent(&trees, own->from_model, own->tree.vertex_count * sizeof *own->from_model);
    shl_table_extent(&trees, own, sizeof *own);
}

static void list_body(const shl_free_bodies *k, shl_free_body *b, shl_extents *out)
{
    shl_table_list shared = {out, 0}, nodes = {out, SHL_NUMBER_NODES};
    const size_t count = b->tree->node_count;
    shl_table_extent(&nodes, b->blocks, count * sizeof *b->blocks);
    shl_table_extent(&nodes, (const void *)b->stamps, count * sizeof *b->stamps);
    shl_table_array(&shared, SHL_NUMBER_NODES, &b->cull.memory);
    shl_table_array(&shared, SHL_NUMBER_NODES, &b->visited_memory);
    shl_table_array(&shared, SHL_NUMBER_STATES, &b->own);
    shl_table_array(&shared, k->table + SHL_FREE_PROFILE, &b->rate);
    shl_table_array(&shared, k->table + SHL_FREE_PLAN, &b->front);
    if (b->own_tree)
        list_tree(out, b->own_tree);
    if (b->source == SHL_SOURCE_IN_PLACE)
        list_user(out, SHL_NUMBER_STATES, &b->user);
    if (b->source == SHL_SOURCE_GATHER)
        list_user(out, k->table + SHL_FREE_SOURCES, &b->user);
}

static void list_tables(void *self, shl_extents *out)
{
    shl_free_bodies *k = self;
    shl_table_list shared = {out, 0};
    shl_table_array(&shared, SHL_NUMBER_BODIES, &k->rows.data);
    for (uint32_t i = 0; i < k->rows.count; i++) {
        if (shl_free_row(k, i)->model)
            list_body(k, shl_free_row(k, i), out);
    }
}

static void stats(const void *self, shoal_stats *out)
{
    const shl_free_bodies *k = self;
    double known = 0;
    for (uint32_t i = 0; i < k->rows.count; i++) {
        const double quality = shl_free_row(k, i)->quality;
        known += quality > 0;
        out->quality_mean += quality;
        out->quality_worst = quality > out->quality_worst ? quality : out->quality_worst;
    }
    out->quality_mean /= known ? known : 1;
    out->rebuilds = k->rebuilt;
}

static void view(const void *self, uint32_t row, shl_view *out)
{
    const shl_free_body *b = shl_free_row(self, row);
    out->state = b;
    out->tree = b->tree;
    out->blocks = b->blocks;
    out->stamps = b->stamps;
    out->visited = b->visited;
    out->epoch = b->epoch;
    out->side = (shl_tri_side){b->xyz, b->tree->tri, b->scalar};
    out->flags |= b->scalar == SHOAL_F32 ? SHL_VIEW_F32 : 0;
}

static shl_opened open_node(const shl_view *v, uint32_t node, int side, shl_block *slot,
                            shl_scratch *scratch)
{
    (void)side;
    return shl_open_kept(v, node, slot, scratch);
}

static const uint32_t *model_rows(const void *self, uint32_t row)
{
    const shl_own_tree *own = shl_free_row(self, row)->own_tree;
    return own ? own->from_model : NULL;
}

// From where the positions are, the body's array or the user's.
static void vertices(const void *self, uint32_t row, uint32_t begin, uint32_t end_row,
                     double *xyz)
{
    const shl_free_body *b = shl_free_row(self, row);
    const bool elsewhere = b->source == SHL_SOURCE_GATHER;
    const uint32_t *order = elsewhere ? shl_free_order(b, &b->user) : NULL;
    const size_t size = b->scalar == SHOAL_F32 ? sizeof(float) : sizeof(double);
    const size_t stride = size * (elsewhere ? b->user.stride : 3);
    const char *const packed = b->xyz;
    const char *const axis[3] = {elsewhere ? b->user.x : packed,
                                 elsewhere ? b->user.y : packed + size,
                                 elsewhere ? b->user.z : packed + 2 * size};
    for (uint32_t i = begin; i < end_row; i++) {
        const size_t at = stride * (order ? order[i] : i);
        for (int k = 0; k < 3; k++)
            *xyz++ = b->scalar == SHOAL_F32 ? (double)*(const float *)(axis[k] + at)
                                            : *(const double *)(axis[k] + at);
    }
}

static void whereabouts(const void *self, uint32_t row, shl_whereabouts *out)
{
    const shl_free_body *b = shl_free_row(self, row);
    *out = (shl_whereabouts){.rows = b->xyz,
                             .count = b->tree->vertex_count,
                             .row_bytes = b->scalar == SHOAL_F32 ? 3 * sizeof(float)
                                                                 : 3 * sizeof(double),
                             .grain = SHL_GATHER_ROWS};
}

static double displacement(const void *self, uint32_t row, const void *then, uint32_t begin_row,
                           uint32_t end_row)
{
    const shl_free_bodies *k = self;
    const shl_free_body *b = shl_free_row(k, row);
    return k->ports->ctx->kernels.displacement[b->scalar](b->xyz, then, begin_row, end_row);
}

static void info(const void *self, uint32_t row, shoal_body_info *out)
{
    const shl_free_body *b = shl_free_row(self, row);
    out->quality = b->quality;
    out->rebuilds = b->rebuilds;
    if (b->own_tree)
        out->bytes = sizeof *b->own_tree + shl_tree_bytes(b->tree) +
                     b->tree->vertex_count * sizeof *b->own_tree->from_model;
}

const shl_kind shl_free_kind = {
    .name = "free",
    .row_type = "shl_free_body",
    .row_bytes = sizeof(shl_free_body),
    .tables = tables,
    .arrays = {arrays, ARRAYS},
    .self_bytes = sizeof(shl_free_bodies),
    .model_fault = model_fault,
    .create = create,
    .destroy = destroy,
    .add = add,
    .remove = remove_row,
    .own = shl_free_own,
    .begin = begin,
    .jobs = jobs,
    .demand = demand,
    .end = end,
    .list_tables = list_tables,
    .stats = stats,
    .view = view,
    .open = open_node,
    .vertices = vertices,
    .model_rows = model_rows,
    .cull = &shl_free_cull,
    .whereabouts = whereabouts,
    .displacement = displacement,
    .info = info,
};
