// SPDX-License-Identifier: MIT
// The table of the kind, its rows and its jobs.
#include "runtime/kinds/skinned/front.h"

#include <string.h>

static const shl_array_def arrays[] = {
    SHL_ARRAY(shl_skinned_body, SHL_NUMBER_STATES, maps, double,
              "12 numbers per control point"),
    SHL_ARRAY(shl_skinned_body, SHL_NUMBER_NODES, ready, char,
              "shl_skinned_ready and what it names"),
    SHL_ARRAY(shl_skinned_body, SHL_NUMBER_NODES, kept, char,
              "shl_skinned_front and its blocks"),
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static const char *model_fault(const shoal_model *model)
{
    return model->is_skinned ? NULL : "without control points";
}

static shoal_status create(void *self, const shl_ports *ports, shl_bodies *bodies,
                           uint32_t table)
{
    (void)table;
    shl_skinned_bodies *k = self;
    k->ports = ports;
    k->bodies = bodies;
    k->rows.row_bytes = shl_skinned_kind.row_bytes;
    return SHOAL_OK;
}

static void finish_body(shl_skinned_body *b, const shoal_allocator *allocator)
{
    shl_arrays_finish(b, arrays, ARRAYS, allocator);
    *b = (shl_skinned_body){0};
}

static void destroy(void *self)
{
    shl_skinned_bodies *k = self;
    shl_kind_rows_finish(&k->rows, arrays, ARRAYS, k->ports->allocator);
}

static shoal_status add(void *self, shoal_model *model, uint32_t body, uint32_t *row)
{
    shl_skinned_bodies *k = self;
    const shoal_allocator *allocator = k->ports->allocator;
    const shl_skinned *m = &model->skinned;
    shoal_status st = shl_scratch_reserve(k->ports->scratch, k->ports->workers, true,
                                          shl_skinned_scratch_bytes(m), allocator);
    if (st == SHOAL_OK)
        st = shl_kind_rows_find(&k->rows, allocator, row);
    if (st != SHOAL_OK)
        return st;
    shl_skinned_body *b = shl_skinned_row(k, *row);
    b->model = m;
    b->tree = &model->tree;
    b->body = body;
    st = SHL_RESERVE(allocator, {&b->maps, 12 * (size_t)m->point_count * sizeof(double)},
                     {&b->ready, shl_skinned_ready_bytes(m)});
    if (st == SHOAL_OK)
        st = shl_skinned_front_reserve(b, allocator);
    if (st != SHOAL_OK)
        finish_body(b, allocator);
    return st;
}

static void remove_row(void *self, uint32_t row)
{
    shl_skinned_bodies *k = self;
    shl_kind_rows_release(&k->rows, row);
    finish_body(shl_skinned_row(k, row), k->ports->allocator);
}

static const shl_skinned_body *fresh_row(const shl_skinned_bodies *k, uint32_t row)
{
    const shl_skinned_body *b = shl_skinned_row(k, row);
    return b->model && shl_body_is(k->bodies, b->body, SHL_BODY_FRESH) ? b : NULL;
}

static shoal_status run_update(void *ctx, shl_chunk rows)
{
    const shl_skinned_bodies *k = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_skinned_body *b = fresh_row(k, i);
        if (b)
            shl_skinned_update(&k->ports->ctx->kernels, b, k->bodies,
                               &k->ports->scratch[rows.worker]);
    }
    return SHOAL_OK;
}

// Bodies that have a front to refresh.
static const shl_skinned_body *front_row(const shl_skinned_bodies *k, uint32_t row)
{
    const shl_skinned_body *b = fresh_row(k, row);
    return b && b->front && b->front->count && shl_body_is(k->bodies, b->body, SHL_BODY_ACTIVE)
               ? b
               : NULL;
}

static shoal_status run_front(void *ctx, shl_chunk rows)
{
    const shl_skinned_bodies *k = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_skinned_body *b = front_row(k, i / SHL_FRONT_SLICES);
        if (b)
            shl_skinned_front_refit(&k->ports->ctx->kernels, b, i % SHL_FRONT_SLICES,
                                    &k->ports->scratch[rows.worker]);
    }
    return SHOAL_OK;
}

static shoal_status run_merge(void *ctx, shl_chunk rows)
{
    const shl_skinned_bodies *k = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_skinned_body *b = front_row(k, i);
        if (b)
            shl_skinned_front_merge(&k->ports->ctx->kernels, b);
    }
    return SHOAL_OK;
}

static shoal_status jobs(void *self, shl_step_stage stage, shl_graph *graph)
{
    shl_skinned_bodies *k = self;
    const shl_job_desc boxes[] = {
        {"skinned_update", run_update, &k->update_rows, 1, .reads = SHL_TABLE_STATES,
         .opens = SHL_TABLE_BODIES | SHL_TABLE_NODES},
        {"skinned_front", run_front, &k->front_rows, 1,
         .opens = SHL_TABLE_BODIES | SHL_TABLE_NODES},
        {"skinned_merge", run_merge, &k->update_rows, 4,
         .opens = SHL_TABLE_BODIES | SHL_TABLE_NODES},
    };
    if (stage != SHL_STAGE_BOXES)
        return SHOAL_OK;
    const uint32_t first = graph->job_count;
    shoal_status st = SHL_DECLARE(graph, boxes, .ctx = k, .phase = SHL_PHASE_REFIT);
    for (uint32_t i = 0; i < 2 && st == SHOAL_OK; i++) // they share their rows, not others'
        st = shl_graph_edge(graph, first + i, first + i + 1);
    return st;
}

static void demand(void *self, bool boxes)
{
    shl_skinned_bodies *k = self;
    k->update_rows = boxes ? k->rows.count : 0;
    k->front_rows = k->update_rows * SHL_FRONT_SLICES;
}

static void end(void *self, const shl_step_end *step)
{
    shl_skinned_bodies *k = self;
    for (uint32_t i = 0; i < k->rows.count && step->good && step->boxes; i++) {
        const shl_skinned_body *b = shl_skinned_row(k, i);
        if (b->model)
            shl_body_put(k->bodies, b->body, SHL_BODY_FRESH, false);
    }
}

static void list_tables(void *self, shl_extents *out)
{
    shl_skinned_bodies *k = self;
    shl_table_list shared = {out, 0};
    shl_table_array(&shared, SHL_NUMBER_BODIES, &k->rows.data);
    shl_kind_rows_each(&k->rows, arrays, ARRAYS, shl_table_array, &shared);
}

static void view(const void *self, uint32_t row, shl_view *out)
{
    const shl_skinned_body *b = shl_skinned_row(self, row);
    out->state = b;
    out->tree = b->tree;
    out->local = b->model->local;
    out->visited = b->visited;
    out->flags |= SHL_VIEW_EVALUATED;
}

static void vertices(const void *self, uint32_t row, uint32_t begin, uint32_t end_row,
                     double *xyz)
{
    const shl_skinned_body *b = shl_skinned_row(self, row);
    for (uint32_t v = begin; v < end_row; v++, xyz += 3)
        shl_skinned_eval_ref(b->model, b->maps.data, &v, 1, xyz);
}

// All maps at once.
static void whereabouts(const void *self, uint32_t row, shl_whereabouts *out)
{
    const shl_skinned_body *b = shl_skinned_row(self, row);
    *out = (shl_whereabouts){.rows = b->maps.data,
                             .count = b->model->point_count,
                             .row_bytes = 12 * sizeof(double),
                             .grain = b->model->point_count};
}

static double displacement(const void *self, uint32_t row, const void *then, uint32_t begin,
                           uint32_t end_row)
{
    (void)begin, (void)end_row;
    const shl_skinned_body *b = shl_skinned_row(self, row);
    return shl_skinned_motion(b->model, b->maps.data, then);
}

const shl_kind shl_skinned_kind = {
    .name = "skinned",
    .row_type = "shl_skinned_body",
    .row_bytes = sizeof(shl_skinned_body),
    .self_bytes = sizeof(shl_skinned_bodies),
    .model_fault = model_fault,
    .create = create,
    .destroy = destroy,
    .add = add,
    .remove = remove_row,
    .jobs = jobs,
    .demand = demand,
    .end = end,
    .list_tables = list_tables,
    .view = view,
    .open = shl_skinned_open,
    .evaluate = shl_skinned_evaluate,
    .vertices = vertices,
    .whereabouts = whereabouts,
    .displacement = displacement,
};
