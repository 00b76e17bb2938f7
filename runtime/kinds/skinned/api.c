// SPDX-License-Identifier: MIT
// The public functions of skinned bodies, and what a model makes of control points.
#include "layouts/float_env.h"
#include "runtime/kinds/skinned/model.h"
#include "runtime/kinds/skinned/skinned.h"
#include "runtime/trees/skinned.h"

#include <math.h>
#include <shoal/skinned.h>
#include <shoal/study.h>

static const double sum_error = 1e-5; // of a vertex's weights

// --- Models. ---

static shoal_status check_weights(const shoal_context *ctx, const shoal_skinned_def *p,
                                  uint32_t vertices)
{
    const uint32_t *begin = p->weight_begin;
    if (begin[0] != 0)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: weights begin at %u, not at 0",
                        begin[0]);
    for (uint32_t v = 0; v < vertices; v++) {
        if (begin[v + 1] < begin[v] || begin[v + 1] > p->weight_count)
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                            "model: weights of vertex %u end at %u, begin at %u and are %zu", v,
                            begin[v + 1], begin[v], p->weight_count);
    }
    if (begin[vertices] != p->weight_count)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: %zu weights, %u are used",
                        p->weight_count, begin[vertices]);
    for (uint32_t v = 0; v < vertices; v++) {
        double sum = 0;
        for (uint32_t e = begin[v]; e < begin[v + 1]; e++) {
            if (p->weight_control[e] >= p->control_count)
                return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                                "model: vertex %u names control point %u, there are %u", v,
                                p->weight_control[e], p->control_count);
            if (!(p->weight[e] >= 0 && isfinite(p->weight[e])))
                return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                                "model: the weight of vertex %u and control point %u is %g", v,
                                p->weight_control[e], (double)p->weight[e]);
            sum += (double)p->weight[e];
        }
        if (!(sum > 0))
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: vertex %u has no control point",
                            v);
        if (!(fabs(sum - 1) <= sum_error))
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                            "model: the weights of vertex %u sum to %.9g, not to 1", v, sum);
    }
    return SHOAL_OK;
}

shoal_status shl_skinned_check(const shoal_context *ctx, const shoal_model_def *def)
{
    const shoal_skinned_def *p = def->skinned;
    if (p->control_count == 0 || p->control_count > SHOAL_CONTROLS_MAX)
        return shl_fail(ctx, p->control_count ? SHOAL_ERR_LIMIT : SHOAL_ERR_ARGUMENT,
                        "model: %u control points, there may be 1 to %d", p->control_count,
                        SHOAL_CONTROLS_MAX);
    if (!p->controls || !p->weight_begin || !p->weight_control || !p->weight)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: control points or weights are NULL");
    if ((unsigned)p->blend > SHOAL_BLEND_DUAL ||
        (unsigned)p->influence > SHOAL_INFLUENCE_DIRECTIONS)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: unknown blend or region");
    for (size_t i = 0; i < 3 * (size_t)p->control_count; i++) {
        if (!isfinite(p->controls[i]))
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: control point %zu is not finite",
                            i / 3);
    }
    return check_weights(ctx, p, def->rest.count);
}

// Every control point moves a vertex.
static shoal_status check_use(const shoal_context *ctx, const shoal_skinned_def *p)
{
    uint8_t *used = shl_zalloc(&ctx->allocator, p->control_count);
    if (!used)
        return shl_fail(ctx, SHOAL_ERR_MEMORY, "model: no memory for %u control points",
                        p->control_count);
    for (size_t e = 0; e < p->weight_count; e++)
        used[p->weight_control[e]] |= p->weight[e] > 0;
    uint32_t control = 0;
    while (control < p->control_count && used[control])
        control++;
    shl_free(&ctx->allocator, used, p->control_count);
    if (control < p->control_count)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: no vertex uses control point %u",
                        control);
    return SHOAL_OK;
}

shoal_status shl_model_add_skinned(shoal_model *model, const shoal_model_def *def,
                                   const double *xyz)
{
    static const shl_blend blends[] = {SHL_BLEND_DUAL, SHL_BLEND_UNION, SHL_BLEND_CORNER,
                                       SHL_BLEND_KNAPSACK, SHL_BLEND_DUAL};
    static const shl_region regions[] = {SHL_REGION_DIRECTIONS, SHL_REGION_BOXES,
                                         SHL_REGION_CLIPPED, SHL_REGION_DIRECTIONS};
    const shoal_context *ctx = model->ctx;
    const shoal_skinned_def *p = def->skinned;
    shoal_status st = check_use(ctx, p);
    if (st != SHOAL_OK)
        return st;
    const shl_skinned_input input = {.xyz = xyz,
                                     .at = p->controls,
                                     .weight_begin = p->weight_begin,
                                     .weight_point = p->weight_control,
                                     .weight = p->weight,
                                     .point_count = p->control_count,
                                     .blend = blends[p->blend],
                                     .region = regions[p->influence]};
    st = shl_skinned_build(&model->tree, &input, &ctx->allocator, &model->skinned);
    if (st == SHOAL_ERR_LIMIT)
        return shl_fail(ctx, st, "model: a rest position or control point is beyond 1e30");
    if (st != SHOAL_OK)
        return shl_fail(ctx, st, "model: no memory for %u control points", p->control_count);
    model->is_skinned = true;
    return SHOAL_OK;
}

uint32_t shoal_model_control_count(const shoal_model *model)
{
    return model->skinned.point_count;
}

const double *shoal_model_supports(const shoal_model *model)
{
    return model->skinned.support;
}

// --- Bodies. ---

shoal_status shoal_scene_add_skinned(shoal_scene *s, shoal_model *model, shoal_body *out)
{
    return shl_scene_add(s, &shl_skinned_kind, model, out);
}

static size_t row_stride(const shoal_skinned_state *p)
{
    return p->row_stride ? p->row_stride : 1;
}

static shoal_status check(shoal_scene *s, const shl_skinned_bodies *self,
                          const shoal_skinned_state *p)
{
    const shoal_context *ctx = self->ports->ctx;
    if (!p || (p->count && !p->bodies))
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "set_skinned: state or bodies is NULL");
    if (p->A ? p->u || p->J : p->t != NULL)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                        p->A ? "set_skinned: u or J beside A" : "set_skinned: t without A");
    if (!shl_entries_apart(p->row_count, p->A || p->J ? 9 : 3, p->stride, row_stride(p)))
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                        "set_skinned: stride %zu and row_stride %zu for %zu rows", p->stride,
                        row_stride(p), p->row_count);
    size_t rows = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t row = 0;
        const shoal_status st =
            shl_scene_row(s, &shl_skinned_kind, p->bodies[i], "set_skinned", &row);
        if (st != SHOAL_OK)
            return st;
        rows += shl_skinned_row(self, row)->model->point_count;
        if (rows > p->row_count)
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                            "set_skinned: %zu rows, body %u needs rows up to %zu", p->row_count,
                            p->bodies[i].index1 - 1, rows);
    }
    if (rows != p->row_count)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                        "set_skinned: %zu rows, the bodies have %zu control points",
                        p->row_count, rows);
    return SHOAL_OK;
}

// The map of one control point, as include/shoal/skinned.h says.
static void set_map(const shoal_skinned_state *p, size_t row, const double x[3], double *out)
{
    const size_t first = row * row_stride(p);
    for (size_t k = 0; k < 3; k++) {
        double *g = out + 4 * k;
        for (size_t l = 0; l < 3; l++) {
            const size_t at = (3 * k + l) * p->stride + first;
            g[l] = p->A ? p->A[at] - (k == l) : p->J ? p->J[at] : 0;
        }
        if (p->A)
            g[3] = p->t ? p->t[k * p->stride + first] : 0;
        else
            g[3] = (p->u ? p->u[k * p->stride + first] : 0) -
                   ((g[0] * x[0] + g[1] * x[1]) + g[2] * x[2]);
    }
}

shoal_status shoal_scene_set_skinned(shoal_scene *s, const shoal_skinned_state *p)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_skinned: the scene is NULL");
    shl_skinned_bodies *self = shl_scene_kind(s, &shl_skinned_kind);
    const shoal_status st = self ? check(s, self, p) : SHOAL_ERR_ARGUMENT;
    if (st != SHOAL_OK)
        return st;
    size_t row = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const uint32_t body = p->bodies[i].index1 - 1;
        shl_skinned_body *b = shl_skinned_row(self, self->bodies->row[body]);
        for (size_t j = 0; j < b->model->point_count; j++)
            set_map(p, row++, b->model->at + 3 * j, (double *)b->maps.data + 12 * j);
        self->bodies->changes += !b->set; // nobody knows where it was
        b->set = true;
        shl_body_put(self->bodies, body, SHL_BODY_FRESH, true);
    }
    return SHOAL_OK;
}
