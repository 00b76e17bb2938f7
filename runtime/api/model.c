// SPDX-License-Identifier: MIT
#include "runtime/context.h"
#include "runtime/steps/steps.h"
#include "runtime/trees/build.h"
#include "runtime/trees/sample.h"

#include <math.h>
#include <time.h>

enum { COOKIE = 0x73686c6d, TRIANGLES_MAX = 1 << 29 };

shoal_model_def shoal_model_def_default(void)
{
    return (shoal_model_def){.cookie = COOKIE};
}

// The rule a positions view breaks, or NULL.
const char *shl_positions_fault(const shoal_positions *p)
{
    if (!p || !p->x || !p->y || !p->z)
        return "positions: x, y or z is NULL";
    if (p->stride == 0)
        return "positions: stride is 0";
    if (p->scalar != SHOAL_F32 && p->scalar != SHOAL_F64)
        return "positions: unknown scalar";
    if (p->order != SHOAL_ORDER_USER && p->order != SHOAL_ORDER_TREE)
        return "positions: unknown order";
    if (p->hold != SHOAL_COPY && p->hold != SHOAL_BORROW)
        return "positions: unknown hold";
    return NULL;
}

static shoal_status check(const shoal_context *ctx, const shoal_model_def *def)
{
    if (!def || def->cookie != COOKIE)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: start from shoal_model_def_default()");
    if (!def->triangles || def->triangle_count == 0)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: no triangles");
    if (def->triangle_count > TRIANGLES_MAX)
        return shl_fail(ctx, SHOAL_ERR_LIMIT, "model: %u triangles, at most %d",
                        def->triangle_count, TRIANGLES_MAX);
    const char *fault = shl_positions_fault(&def->rest);
    if (fault)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: %s", fault);
    if (def->rest.order != SHOAL_ORDER_USER)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: there is no tree order yet");
    for (size_t i = 0; i < 3 * (size_t)def->triangle_count; i++) {
        if (def->triangles[i] >= def->rest.count)
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                            "model: triangle %zu names vertex %u, there are %u", i / 3,
                            def->triangles[i], def->rest.count);
    }
    return SHOAL_OK;
}

// The builder wants doubles; the original stays what it is.
static bool widen(const shoal_positions *p, double *out, uint32_t *bad)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const void *from[3] = {p->x, p->y, p->z};
        for (int k = 0; k < 3; k++) {
            const size_t at = p->stride * i;
            const double value = p->scalar == SHOAL_F32 ? (double)((const float *)from[k])[at]
                                                        : ((const double *)from[k])[at];
            if (!isfinite(value)) {
                *bad = i;
                return false;
            }
            out[3 * (size_t)i + k] = value;
        }
    }
    return true;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// Builds the tree and notes what it took and how good it is; `sorted` has room for all
// positions.
static shoal_status build(shoal_model *m, const shl_build_input *input, double *sorted)
{
    const uint64_t start = now_ns();
    shoal_status st = shl_tree_build(input, &m->ctx->allocator, &m->tree);
    if (st != SHOAL_OK)
        return st;
    m->build_ns = now_ns() - start;
    for (size_t i = 0; i < 3 * (size_t)input->vertex_count; i++)
        sorted[i] = input->xyz[3 * (size_t)m->tree.order[i / 3] + i % 3];
    shl_box all;
    m->ctx->kernels.vertex_box[SHOAL_F64](sorted, 0, m->tree.used_vertices, NULL, 0, &all);
    m->sample = shl_tree_sample(&m->ctx->kernels, &m->tree, sorted, SHOAL_F64, &all);
    return SHOAL_OK;
}

shoal_status shoal_model_create(shoal_context *ctx, const shoal_model_def *def,
                                shoal_model **out)
{
    if (!out)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: out is NULL");
    *out = NULL;
    if (!ctx)
        return SHOAL_ERR_ARGUMENT;
    shoal_status st = check(ctx, def);
    if (st != SHOAL_OK)
        return st;
    const size_t scalars = 3 * (size_t)def->rest.count, bytes = 2 * scalars * sizeof(double);
    double *xyz = shl_alloc(&ctx->allocator, bytes);
    shoal_model *model = shl_zalloc(&ctx->allocator, sizeof *model);
    uint32_t bad = 0;
    if (!xyz || !model) {
        st = shl_fail(ctx, SHOAL_ERR_MEMORY, "model: no memory for %u vertices",
                      def->rest.count);
    } else if (!widen(&def->rest, xyz, &bad)) {
        st = shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: vertex %u is not finite", bad);
    } else {
        model->ctx = ctx;
        atomic_init(&model->holds, 1);
        const shl_build_input input = {def->triangles, xyz, def->triangle_count,
                                       def->rest.count};
        st = build(model, &input, xyz + scalars);
        if (st != SHOAL_OK)
            shl_fail(ctx, st, "model: %s building the tree over %u triangles",
                     shoal_status_text(st), def->triangle_count);
    }
    shl_free(&ctx->allocator, xyz, bytes);
    if (st != SHOAL_OK) {
        shl_free(&ctx->allocator, model, sizeof *model);
        return st;
    }
    *out = model;
    return SHOAL_OK;
}

void shl_model_hold(shoal_model *model)
{
    atomic_fetch_add_explicit(&model->holds, 1, memory_order_relaxed);
}

void shoal_model_destroy(shoal_model *model)
{
    if (!model || atomic_fetch_sub_explicit(&model->holds, 1, memory_order_acq_rel) != 1)
        return;
    const shoal_allocator *allocator = &model->ctx->allocator;
    shl_tree_finish(&model->tree, allocator);
    shl_free(allocator, model, sizeof *model);
}

const uint32_t *shoal_model_vertex_order(const shoal_model *model)
{
    return model->tree.order;
}

shoal_model_info shoal_model_get_info(const shoal_model *model)
{
    const shl_tree *t = &model->tree;
    return (shoal_model_info){t->vertex_count, t->triangle_count, t->node_count,
                              t->leaf_count,   t->depth,          shl_tree_bytes(t)};
}
