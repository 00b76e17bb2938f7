// SPDX-License-Identifier: MIT
#include "plug.h"

#include "kernels/round.h"
#include "runtime/kinds/rows.h"
#include "runtime/traverse/eval_cache.h"

#include <math.h>
#include <string.h>

typedef struct rigid_body {
    const shl_reduced *model; // NULL: a free row
    const shl_tree *tree;
    shl_array pose; // double [12]
    uint32_t body;
    bool set;
} rigid_body;

typedef struct rigid_bodies {
    const shl_ports *ports;
    shl_bodies *bodies;
    uint32_t rows;      // of the job
    shl_kind_rows list; // rigid_body
} rigid_bodies;

static const shl_array_def row_arrays[] = {
    SHL_ARRAY(rigid_body, SHL_NUMBER_STATES, pose, double, "rotation, translation"),
};

static rigid_body *row_of(const rigid_bodies *self, uint32_t row)
{
    return (rigid_body *)self->list.data.data + row;
}

static const char *model_fault(const shoal_model *model)
{
    return model->reducible && !model->reduced.field_count ? NULL : "not rigid";
}

static shoal_status create(void *self, const shl_ports *ports, shl_bodies *bodies,
                           uint32_t table)
{
    (void)table;
    rigid_bodies *k = self;
    k->ports = ports;
    k->bodies = bodies;
    k->list.row_bytes = sizeof(rigid_body);
    return SHOAL_OK;
}

static void destroy(void *self)
{
    rigid_bodies *k = self;
    shl_kind_rows_finish(&k->list, row_arrays, 1, k->ports->allocator);
}

static shoal_status add(void *self, shoal_model *model, uint32_t body, uint32_t *row)
{
    rigid_bodies *k = self;
    const shoal_allocator *allocator = k->ports->allocator;
    shoal_status st =
        shl_scratch_reserve(k->ports->scratch, k->ports->workers, true, 0, allocator);
    if (st == SHOAL_OK)
        st = shl_kind_rows_find(&k->list, allocator, row);
    if (st != SHOAL_OK)
        return st;
    rigid_body *b = row_of(k, *row);
    st = shl_array_reserve(&b->pose, 12 * sizeof(double), 0, allocator);
    if (st != SHOAL_OK)
        return st;
    b->model = &model->reduced;
    b->tree = &model->tree;
    b->body = body;
    b->set = false;
    return SHOAL_OK;
}

static void remove_row(void *self, uint32_t row)
{
    rigid_bodies *k = self;
    shl_kind_rows_release(&k->list, row);
    row_of(k, row)->model = NULL;
}

static void vertex(const rigid_body *b, uint32_t row, double out[3])
{
    const double *pose = b->pose.data, *p = b->model->rest + 3 * (size_t)row;
    for (int k = 0; k < 3; k++)
        out[k] =
            pose[3 * k] * p[0] + pose[3 * k + 1] * p[1] + pose[3 * k + 2] * p[2] + pose[9 + k];
}

static void widen(const rigid_body *b, uint32_t row, shl_box *box)
{
    double at[3];
    vertex(b, row, at);
    for (int k = 0; k < 3; k++) {
        box->lo[k] = fminf(box->lo[k], shl_round_down(at[k]));
        box->hi[k] = fmaxf(box->hi[k], shl_round_up(at[k]));
    }
}

// The box of all vertices of a node.
static shl_box node_box(const rigid_body *b, uint32_t node)
{
    const shl_tree *t = b->tree;
    shl_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t v = t->vertex_begin[node]; v < t->vertex_end[node]; v++)
        widen(b, v, &box);
    for (uint32_t i = t->list_begin[node]; i < t->list_begin[node + 1]; i++)
        widen(b, t->list[i], &box);
    return box;
}

static shoal_status run_update(void *ctx, shl_chunk rows)
{
    const rigid_bodies *k = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const rigid_body *b = row_of(k, i);
        if (!b->model || !b->set)
            continue;
        bool finite = true;
        for (int e = 0; e < 12; e++)
            finite &= isfinite(((const double *)b->pose.data)[e]) != 0;
        shl_body_put(k->bodies, b->body, SHL_BODY_ACTIVE, finite);
        shl_body_put(k->bodies, b->body, SHL_BODY_BAD, !finite);
        k->bodies->box[b->body] = node_box(b, 0);
    }
    return SHOAL_OK;
}

static shoal_status jobs(void *self, shl_step_stage stage, shl_graph *graph)
{
    rigid_bodies *k = self;
    const shl_job_desc boxes[] = {{"rigid_update", run_update, &k->rows, 4,
                                   .reads = SHL_TABLE_STATES, .opens = SHL_TABLE_BODIES,
                                   .phase = SHL_PHASE_REFIT}};
    return stage == SHL_STAGE_BOXES ? SHL_DECLARE(graph, boxes, .ctx = k) : SHOAL_OK;
}

static void demand(void *self, bool boxes)
{
    rigid_bodies *k = self;
    k->rows = boxes ? k->list.count : 0;
}

static void end(void *self, const shl_step_end *step)
{
    (void)self, (void)step;
}

static void list_tables(void *self, shl_extents *out)
{
    rigid_bodies *k = self;
    shl_table_list shared = {out, 0};
    shl_table_array(&shared, SHL_NUMBER_BODIES, &k->list.data);
    shl_kind_rows_each(&k->list, row_arrays, 1, shl_table_array, &shared);
}

static void view(const void *self, uint32_t row, shl_view *out)
{
    const rigid_body *b = row_of(self, row);
    out->state = b;
    out->tree = b->tree;
    out->local = b->model->local;
    out->flags |= SHL_VIEW_EVALUATED | SHL_VIEW_RECENTRED;
}

static shl_opened open_node(const shl_view *v, uint32_t node, int side, shl_block *slot,
                            shl_scratch *scratch)
{
    (void)slot;
    bool made;
    shl_block *block = &shl_eval_open(scratch->eval, v->body, node, side, &made)->block;
    shl_eval_fill(v->box, 0, block);
    for (uint32_t lane = 0; lane < v->tree->count[node]; lane++) {
        const shl_box box = node_box(v->state, v->tree->first[node] + lane);
        for (int k = 0; k < 3; k++) {
            block->lo[k][lane] = box.lo[k];
            block->hi[k][lane] = box.hi[k];
        }
    }
    return (shl_opened){block, NULL};
}

static uint32_t evaluate(const shl_view *v, uint32_t node, shl_scratch *scratch)
{
    shl_eval_cache *cache = scratch->eval;
    const uint32_t *list = v->tree->list + v->tree->list_begin[node];
    uint32_t slot;
    const uint32_t found = shl_eval_find(cache, v->body, node, &slot);
    if (found != SHL_NONE)
        return found;
    const uint32_t at = shl_eval_take(cache, v->body, node, 1, slot),
                   base = cache->vertex_count;
    const uint32_t count = v->tree->list_begin[node + 1] - v->tree->list_begin[node];
    for (uint32_t i = 0; i < count; i++)
        vertex(v->state, list[i], cache->xyz + 3 * (size_t)(base + i));
    cache->vertex_count += SHL_LEAF_VERTICES;
    shl_eval_tris(cache, v, node, at, base);
    return at;
}

static void vertices(const void *self, uint32_t row, uint32_t begin, uint32_t end_row,
                     double *xyz)
{
    const rigid_body *b = row_of(self, row);
    for (uint32_t v = begin; v < end_row; v++, xyz += 3)
        vertex(b, v, xyz);
}

const shl_kind plug_rigid_kind = {
    .name = "rigid",
    .self_bytes = sizeof(rigid_bodies),
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
    .open = open_node,
    .evaluate = evaluate,
    .vertices = vertices,
};

shoal_status plug_add_rigid(shoal_scene *scene, shoal_model *model, shoal_body *out)
{
    return shl_scene_add(scene, &plug_rigid_kind, model, out);
}

shoal_status plug_set_pose(shoal_scene *scene, shoal_body body, const double pose[12])
{
    rigid_bodies *k = shl_scene_kind(scene, &plug_rigid_kind);
    uint32_t row = 0;
    const shoal_status st = shl_scene_row(scene, &plug_rigid_kind, body, "set_pose", &row);
    if (st == SHOAL_OK) {
        memcpy(row_of(k, row)->pose.data, pose, 12 * sizeof *pose);
        row_of(k, row)->set = true;
    }
    return st;
}
