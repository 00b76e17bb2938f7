// SPDX-License-Identifier: MIT
#include "runtime/kinds/skinned/model.h"
#include "layouts/float_env.h"
#include "layouts/versioned.h"
#include "runtime/clock.h"
#include "runtime/context.h"
#include "runtime/trees/build.h"
#include "runtime/trees/cost.h"
#include "runtime/trees/reduced.h"
#include "runtime/trees/sample.h"
#include "runtime/trees/self_cull.h"

#include <math.h>
#include <shoal/filter.h>
#include <shoal/skinned.h>

enum {
    TRIANGLES_MAX = 1 << 29,
    DEF_BYTES_LEAST = SHL_END_OF(shoal_model_def, skinned),
    SKINNED_BYTES_LEAST = SHL_END_OF(shoal_skinned_def, influence),
};
SHL_ASSERT_LAST(shoal_model_def, skinned);
SHL_ASSERT_LAST(shoal_skinned_def, influence);
SHL_ASSERT_LAST(shoal_model_info, quality);

static const shoal_model_def defaults = {
    .size = sizeof defaults, .arity = SHL_LANES, .sphere_level = -1};

void shoal_model_def_init(shoal_model_def *def, size_t size)
{
    shl_def_write(def, size, &defaults, sizeof defaults);
}

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

static shoal_status check_tree(const shoal_context *ctx, const shoal_model_def *def)
{
    if ((unsigned)def->builder > SHOAL_BUILDER_POSES)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: unknown builder %d",
                        (int)def->builder);
    if (def->arity != 2 && def->arity != 4 && def->arity != SHL_LANES)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: arity %u is not 2, 4 or 8",
                        def->arity);
    const bool wanted = def->builder == SHOAL_BUILDER_POSES;
    if (wanted != (def->pose_count > 0) || wanted != (def->poses != NULL))
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                        wanted ? "model: the builder needs poses and got none"
                               : "model: the builder takes no poses");
    for (uint32_t i = 0; i < def->pose_count; i++) {
        const shoal_positions *pose = &def->poses[i];
        const char *fault = shl_positions_fault(pose);
        if (!fault && pose->order != SHOAL_ORDER_USER)
            fault = "there is no tree order yet";
        if (fault)
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: pose %u: %s", i, fault);
        if (pose->count != def->rest.count)
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                            "model: pose %u has %u vertices, not %u as the rest", i,
                            pose->count, def->rest.count);
    }
    return SHOAL_OK;
}

static shoal_status check_fields(const shoal_context *ctx, const shoal_model_def *def)
{
    if ((unsigned)def->bounds > SHOAL_BOUNDS_AFFINE)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: unknown bounds");
    if (def->field_count > SHL_FIELDS_MAX)
        return shl_fail(ctx, SHOAL_ERR_LIMIT, "model: %u fields, at most %d", def->field_count,
                        SHL_FIELDS_MAX);
    if (def->field_count && !(def->fields && def->reducible))
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: %u fields, but %s", def->field_count,
                        def->fields ? "it is not reducible" : "the array is NULL");
    if (def->sphere_level < -1 || def->sphere_level > SHOAL_SPHERE_LEVEL_MAX ||
        (def->sphere_level >= 0 && !def->reducible))
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: sphere level %d of a model that is%s",
                        def->sphere_level, def->reducible ? " reducible" : " not reducible");
    const size_t scalars = 3 * (size_t)def->rest.count;
    if (def->field_numbers && def->field_numbers != def->field_count * scalars)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                        "model: %zu numbers for %u fields of %u vertices", def->field_numbers,
                        def->field_count, def->rest.count);
    for (size_t i = 0; i < def->field_count * scalars; i++) {
        if (!isfinite(def->fields[i]))
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                            "model: field %zu is not finite at vertex %zu", i / scalars,
                            i % scalars / 3);
    }
    return SHOAL_OK;
}

static shoal_status check(const shoal_context *ctx, const shoal_model_def *def)
{
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
    shoal_status st = check_tree(ctx, def);
    if (st != SHOAL_OK)
        return st;
    for (size_t i = 0; i < 3 * (size_t)def->triangle_count; i++) {
        if (def->triangles[i] >= def->rest.count)
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                            "model: triangle %zu names vertex %u, there are %u", i / 3,
                            def->triangles[i], def->rest.count);
    }
    st = check_fields(ctx, def);
    return st == SHOAL_OK && def->skinned ? shl_skinned_check(ctx, def) : st;
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

// Rest and poses as one array of doubles, the rest first.
static shoal_status widen_all(const shoal_context *ctx, const shoal_model_def *def, double *out)
{
    uint32_t bad = 0;
    if (!widen(&def->rest, out, &bad))
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: vertex %u is not finite", bad);
    for (uint32_t i = 0; i < def->pose_count; i++) {
        if (!widen(&def->poses[i], out + 3 * (size_t)def->rest.count * (i + (size_t)1), &bad))
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                            "model: vertex %u of pose %u is not finite", bad, i);
    }
    return SHOAL_OK;
}

// The tree, what it took, and how good it is at rest. `xyz` holds the rest, the poses, and room
// for the rest in tree order.
static shoal_status make_tree(shoal_model *model, const shoal_model_def *def, double *xyz)
{
    const shoal_context *ctx = model->ctx;
    const shl_kernels *kernels = &ctx->kernels;
    const size_t scalars = 3 * (size_t)def->rest.count;
    const shl_build_input input = {.triangles = def->triangles,
                                   .xyz = xyz,
                                   .triangle_count = def->triangle_count,
                                   .vertex_count = def->rest.count,
                                   .builder = def->builder,
                                   .arity = def->arity,
                                   .poses = xyz + scalars,
                                   .pose_count = def->pose_count,
                                   .fields = def->fields,
                                   .field_count = def->field_count};
    const uint64_t start = shl_now_ns();
    const shoal_status st = shl_tree_build(&input, &ctx->allocator, &model->tree);
    if (st != SHOAL_OK)
        return shl_fail(ctx, st, "model: %s building the tree over %u triangles",
                        shoal_status_text(st), def->triangle_count);
    model->build_ns = shl_now_ns() - start;
    model->builder = def->builder;
    model->arity = def->arity;
    double *rest = xyz + scalars * (def->pose_count + (size_t)1);
    for (size_t i = 0; i < scalars; i++)
        rest[i] = xyz[3 * (size_t)model->tree.order[i / 3] + i % 3];
    model->quality = shl_tree_cost(kernels, &model->tree, rest, SHOAL_F64);
    shl_box all;
    (void)kernels->vertex_box[SHOAL_F64](rest, 0, model->tree.used_vertices, NULL, 0, &all);
    model->sample = shl_tree_sample(kernels, &model->tree, rest, SHOAL_F64, &all);
    if (!def->self)
        return SHOAL_OK;
    if (shl_certificate_build(&model->tree, rest, &ctx->allocator, &model->certificate) !=
        SHOAL_OK)
        return shl_fail(ctx, SHOAL_ERR_MEMORY, "model: no memory for self queries");
    model->has_self_cull = true;
    return SHOAL_OK;
}

static shoal_status add_reduced(shoal_context *ctx, const shoal_model_def *def,
                                const double *xyz, shoal_model *model)
{
    static const shl_bounds bounds[] = {SHL_BOUNDS_AFFINE, SHL_BOUNDS_SPHERES, SHL_BOUNDS_BOXES,
                                        SHL_BOUNDS_AFFINE};
    const shl_reduced_input input = {xyz, def->fields, def->field_count,
                                     def->bounds == SHOAL_BOUNDS_AUTO && !def->field_count
                                         ? SHL_BOUNDS_BOXES
                                         : bounds[def->bounds],
                                     def->sphere_level};
    const shoal_status st =
        shl_reduced_build(&model->tree, &input, &ctx->allocator, &model->reduced);
    if (st == SHOAL_ERR_LIMIT)
        return shl_fail(ctx, st, "model: a rest position or field is beyond 1e30");
    if (st != SHOAL_OK)
        return shl_fail(ctx, st, "model: no memory for %u fields", def->field_count);
    model->reducible = true;
    return st;
}

// From a def that is right.
static shoal_status make(shoal_context *ctx, const shoal_model_def *def, shoal_model **out)
{
    shoal_status st = SHOAL_OK;
    const size_t copies = (size_t)def->pose_count + 2;
    const size_t bytes = 3 * (size_t)def->rest.count * copies * sizeof(double);
    double *xyz = shl_alloc(&ctx->allocator, bytes);
    shoal_model *model = shl_zalloc(&ctx->allocator, sizeof *model);
    if (!xyz || !model) {
        st = shl_fail(ctx, SHOAL_ERR_MEMORY, "model: no memory for %u vertices",
                      def->rest.count);
    } else {
        model->ctx = ctx;
        atomic_init(&model->holds, 1);
        st = widen_all(ctx, def, xyz);
        if (st == SHOAL_OK)
            st = make_tree(model, def, xyz);
        if (st == SHOAL_OK && def->reducible)
            st = add_reduced(ctx, def, xyz, model);
        if (st == SHOAL_OK && def->skinned)
            st = shl_model_add_skinned(model, def, xyz);
    }
    shl_free(&ctx->allocator, xyz, bytes);
    if (st != SHOAL_OK) {
        if (model) {
            shl_tree_finish(&model->tree, &ctx->allocator);
            shl_certificate_finish(&model->certificate, &ctx->allocator);
            if (model->reducible)
                shl_reduced_finish(&model->reduced, &ctx->allocator);
        }
        shl_free(&ctx->allocator, model, sizeof *model);
        return st;
    }
    *out = model;
    return SHOAL_OK;
}

shoal_status shoal_model_create(shoal_context *ctx, const shoal_model_def *given,
                                shoal_model **out)
{
    SHL_FLOAT_ENV(host);
    if (!out)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: out is NULL");
    *out = NULL;
    if (!ctx)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "model: the context is NULL");
    shoal_model_def def = defaults;
    shoal_skinned_def skinned = {.size = sizeof skinned};
    const char *fault = shl_def_read(&def, sizeof def, DEF_BYTES_LEAST, given,
                                     "start from shoal_model_def_default()");
    if (!fault && def.skinned) {
        fault = shl_def_read(&skinned, sizeof skinned, SKINNED_BYTES_LEAST, def.skinned,
                             "start from shoal_skinned_def_default()");
        def.skinned = &skinned;
    }
    if (fault)
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "model: %s", fault);
    const shoal_status st = check(ctx, &def);
    return st == SHOAL_OK ? make(ctx, &def, out) : st;
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
    shl_certificate_finish(&model->certificate, allocator);
    if (model->reducible)
        shl_reduced_finish(&model->reduced, allocator);
    if (model->is_skinned)
        shl_skinned_finish(&model->skinned, allocator);
    shl_free(allocator, model, sizeof *model);
}

const uint32_t *shoal_model_vertex_order(const shoal_model *model)
{
    return model->tree.order;
}

void shoal_model_read_info(const shoal_model *model, shoal_model_info *out, size_t size)
{
    const shl_tree *t = &model->tree;
    const shoal_model_info info = {.vertex_count = t->vertex_count,
                                   .triangle_count = t->triangle_count,
                                   .node_count = t->node_count,
                                   .leaf_count = t->leaf_count,
                                   .depth = t->depth,
                                   .sphere_count = model->reduced.sphere_count,
                                   .bytes = shl_tree_bytes(t) +
                                            shl_reduced_bytes(&model->reduced) +
                                            shl_skinned_bytes(&model->skinned) +
                                            shl_certificate_bytes(&model->certificate),
                                   .builder = model->builder,
                                   .arity = model->arity,
                                   .quality = model->quality};
    shl_versioned_write(out, size, &info, sizeof info);
}

shoal_status shoal_model_set_user_data(shoal_model *model, uint64_t data)
{
    if (!model)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_user_data: the model is NULL");
    atomic_store_explicit(&model->user_data, data, memory_order_relaxed);
    return SHOAL_OK;
}

uint64_t shoal_model_user_data(const shoal_model *model)
{
    return model ? atomic_load_explicit(&model->user_data, memory_order_relaxed) : 0;
}
