// SPDX-License-Identifier: MIT
// The table of the kind, its rows and its jobs.
#include "runtime/kinds/reduced/coherence.h"

#include <shoal/study.h>
#include <string.h>

static const shl_array_def arrays[] = {
    SHL_ARRAY(shl_reduced_body, SHL_NUMBER_STATES, state, double, "rotation, translation, q"),
    SHL_ARRAY(shl_reduced_body, SHL_NUMBER_NODES, ready, char, "shl_reduced_ready"),
    SHL_ARRAY(shl_reduced_body, SHL_NUMBER_NODES, kept, char, "shl_coherence and its nodes"),
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static const char *model_fault(const shoal_model *model)
{
    return model->reducible ? NULL : "not reducible";
}

static shoal_status create(void *self, const shl_ports *ports, shl_bodies *bodies,
                           uint32_t table)
{
    (void)table;
    shl_reduced_bodies *k = self;
    k->ports = ports;
    k->bodies = bodies;
    k->rows.row_bytes = shl_reduced_kind.row_bytes;
    return SHOAL_OK;
}

static void finish_body(shl_reduced_body *b, const shoal_allocator *allocator)
{
    shl_arrays_finish(b, arrays, ARRAYS, allocator);
    *b = (shl_reduced_body){.listed = b->listed};
}

static void destroy(void *self)
{
    shl_reduced_bodies *k = self;
    shl_kind_rows_finish(&k->rows, arrays, ARRAYS, k->ports->allocator);
    shl_array_finish(&k->fresh, k->ports->allocator);
}

static shoal_status add(void *self, shoal_model *model, uint32_t body, uint32_t *row)
{
    shl_reduced_bodies *k = self;
    const shoal_allocator *allocator = k->ports->allocator;
    const size_t fields = model->reduced.field_count;
    shoal_status st =
        shl_scratch_reserve(k->ports->scratch, k->ports->workers, true, 0, allocator);
    if (st == SHOAL_OK)
        st = shl_kind_rows_find(&k->rows, allocator, row);
    if (st == SHOAL_OK) // each row may be fresh
        st = shl_array_reserve(&k->fresh, k->rows.count * sizeof(uint32_t),
                               k->fresh_count * sizeof(uint32_t), allocator);
    if (st != SHOAL_OK)
        return st;
    shl_reduced_body *b = shl_reduced_row(k, *row);
    b->model = &model->reduced;
    b->tree = &model->tree;
    b->body = body;
    st = SHL_RESERVE(allocator, {&b->state, (12 + fields) * sizeof(double)},
                     {&b->ready, sizeof(shl_reduced_ready) + fields * sizeof(float)});
    if (st == SHOAL_OK && k->ports->def->coherence != SHOAL_COHERENCE_NONE)
        st = shl_coherence_reserve(b, allocator);
    if (st != SHOAL_OK)
        finish_body(b, allocator);
    return st;
}

static void remove_row(void *self, uint32_t row)
{
    shl_reduced_bodies *k = self;
    shl_kind_rows_release(&k->rows, row);
    finish_body(shl_reduced_row(k, row), k->ports->allocator);
}

// A row that is listed may have lost its body, and another one may have no state yet.
static shoal_status run_update(void *ctx, shl_chunk rows)
{
    const shl_reduced_bodies *k = ctx;
    const shl_kernels *kernels = &k->ports->ctx->kernels;
    const bool all = k->ports->def->coherence == SHOAL_COHERENCE_EAGER;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_reduced_body *b = shl_reduced_row(k, ((const uint32_t *)k->fresh.data)[i]);
        if (!b->model || !shl_body_is(k->bodies, b->body, SHL_BODY_FRESH))
            continue;
        shl_reduced_update(kernels, b, k->bodies);
        if (shl_body_is(k->bodies, b->body, SHL_BODY_ACTIVE) &&
            !shl_body_is(k->bodies, b->body, SHL_BODY_UNBOUNDED))
            shl_coherence_refresh(kernels, b, all);
    }
    return SHOAL_OK;
}

static shoal_status jobs(void *self, shl_step_stage stage, shl_graph *graph)
{
    shl_reduced_bodies *k = self;
    const shl_job_desc boxes[] = {
        {"reduced_update", run_update, &k->update_rows,
         k->ports->def->coherence == SHOAL_COHERENCE_NONE ? 64 : 16, .reads = SHL_TABLE_STATES,
         .opens = SHL_TABLE_BODIES | SHL_TABLE_NODES},
    };
    return stage == SHL_STAGE_BOXES
               ? SHL_DECLARE(graph, boxes, .ctx = k, .phase = SHL_PHASE_REFIT)
               : SHOAL_OK;
}

static void demand(void *self, bool boxes)
{
    shl_reduced_bodies *k = self;
    k->update_rows = boxes ? k->fresh_count : 0;
}

static void end(void *self, const shl_step_end *step)
{
    shl_reduced_bodies *k = self;
    if (!step->good || !step->boxes)
        return;
    for (uint32_t i = 0; i < k->fresh_count; i++) {
        shl_reduced_body *b = shl_reduced_row(k, ((const uint32_t *)k->fresh.data)[i]);
        b->listed = false;
        if (b->model)
            shl_body_put(k->bodies, b->body, SHL_BODY_FRESH, false);
    }
    k->fresh_count = 0;
}

static void list_tables(void *self, shl_extents *out)
{
    shl_reduced_bodies *k = self;
    shl_table_list shared = {out, 0};
    shl_table_array(&shared, SHL_NUMBER_BODIES, &k->rows.data);
    shl_table_array(&shared, SHL_NUMBER_BODIES, &k->fresh);
    shl_kind_rows_each(&k->rows, arrays, ARRAYS, shl_table_array, &shared);
}

static void view(const void *self, uint32_t row, shl_view *out)
{
    const shl_reduced_body *b = shl_reduced_row(self, row);
    out->state = b;
    out->tree = b->tree;
    out->local = b->model->local;
    out->visited = b->visited;
    out->flags |= SHL_VIEW_EVALUATED;
    if (!shl_view_is(out, SHL_VIEW_UNBOUNDED))
        out->flags |= SHL_VIEW_RECENTRED;
}

static bool instance(const void *self, uint32_t row, shoal_instance *out)
{
    const shl_reduced_body *b = shl_reduced_row(self, row);
    const double *state = b->state.data;
    *out = (shoal_instance){.rest = b->model->rest,
                            .fields = b->model->fields,
                            .field_count = b->model->field_count,
                            .rotation = state,
                            .translation = state + 9,
                            .q = state + 12};
    return true;
}

static void vertices(const void *self, uint32_t row, uint32_t begin, uint32_t end_row,
                     double *xyz)
{
    shoal_instance b;
    instance(self, row, &b);
    for (uint32_t v = begin; v < end_row; v++) {
        const float *u = b.fields + 3 * (size_t)v * b.field_count;
        double own[3];
        memcpy(own, b.rest + 3 * (size_t)v, sizeof own);
        for (uint32_t j = 0; j < b.field_count; j++)
            for (int k = 0; k < 3; k++)
                own[k] += (double)u[3 * j + (uint32_t)k] * b.q[j];
        for (int k = 0; k < 3; k++) {
            const double *turn = b.rotation + 3 * k;
            *xyz++ = turn[0] * own[0] + turn[1] * own[1] + turn[2] * own[2] + b.translation[k];
        }
    }
}

const shl_kind shl_reduced_kind = {
    .name = "reduced",
    .row_type = "shl_reduced_body",
    .row_bytes = sizeof(shl_reduced_body),
    .self_bytes = sizeof(shl_reduced_bodies),
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
    .open = shl_reduced_open,
    .evaluate = shl_reduced_evaluate,
    .vertices = vertices,
    .spheres = &shl_reduced_spheres,
    .instance = instance,
};
