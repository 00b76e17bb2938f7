// SPDX-License-Identifier: MIT
#include "scenes/plays/deforming.h"

#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/plays/bodies.h"

#include <stdlib.h>

static const double time_step = 0.05;

enum { POSES = 8 };
static const double pose_time = 0.8; // from one to the next; together about one period

static const shl_deformation *deformation_of(const shl_play *play)
{
    return ((const shl_deforming_kind *)play->kind)->deformation;
}

shoal_status shl_deforming_surface(const shl_play *play, const shl_scene_params *params,
                                   shl_surface *out)
{
    return deformation_of(play)->mesh(params->k, params->seed, out);
}

// The deforming body in its own frame, at a few times, as one array.
static shoal_status sample(const shl_deformation *deformation, uint64_t seed,
                           const shl_surface *rest, double *xyz)
{
    void *shape;
    const shoal_status st = deformation->create(seed, rest, NULL, 1, &shape);
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; i < POSES; i++) {
        const shl_pose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .time = pose_time * i};
        if (deformation->stir)
            deformation->stir(shape, 0, i);
        deformation->write(shape, 0, &pose, SHOAL_F64,
                           xyz + 3 * (size_t)rest->vertex_count * i);
    }
    deformation->destroy(shape);
    return SHOAL_OK;
}

shoal_status shl_deforming_model(const shl_play *play, const shl_scene_params *params,
                                 const shl_surface *rest, shoal_context *ctx, shoal_model **out)
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = rest->triangles;
    def.triangle_count = rest->triangle_count;
    def.rest = shoal_positions_f64(rest->xyz, rest->vertex_count);
    def.builder = params->builder;
    def.arity = params->arity;
    if (def.builder != SHOAL_BUILDER_POSES)
        return shoal_model_create(ctx, &def, out);
    *out = NULL;
    double *xyz = calloc((size_t)rest->vertex_count * POSES, 3 * sizeof *xyz);
    shoal_status st =
        xyz ? sample(deformation_of(play), params->seed, rest, xyz) : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK) {
        shoal_positions poses[POSES];
        for (int i = 0; i < POSES; i++)
            poses[i] = shoal_positions_f64(xyz + 3 * (size_t)rest->vertex_count * i,
                                           rest->vertex_count);
        def.poses = poses;
        def.pose_count = POSES;
        st = shoal_model_create(ctx, &def, out);
    }
    free(xyz);
    return st;
}

static shl_pose pose_of(const shl_deforming *d, uint32_t body)
{
    const shl_course *c = &d->courses[body];
    shl_pose out = {.time = time_step * d->time + c->phase};
    double spun[9];
    memcpy(out.centre, c->centre, sizeof out.centre);
    shl_turn(c->axis, c->spin * d->time, spun);
    shl_multiply(spun, c->rotation, out.rotation);
    return out;
}

static size_t body_bytes(const shl_deforming *d)
{
    return 3 * (size_t)d->rest.vertex_count *
           (d->params.precision == SHOAL_F64 ? sizeof(double) : sizeof(float));
}

// Writes the positions of bodies whose centres have moved to `step`, and hands them over.
static shoal_status show(shl_deforming *d, uint32_t step)
{
    const shl_scene_params *params = &d->params;
    d->time = d->kind->time ? d->kind->time(step) : step;
    for (uint32_t i = 0; i < params->bodies; i++) {
        void *xyz = (char *)d->xyz + i * body_bytes(d);
        const shl_pose pose = pose_of(d, i);
        d->kind->deformation->write(d->shape, i, &pose, params->precision, xyz);
        // a borrowed array is handed over once; shoal reads it in every step
        if (d->handed_over && params->hold == SHOAL_BORROW)
            continue;
        shoal_positions p = params->precision == SHOAL_F64
                                ? shoal_positions_f64(xyz, d->rest.vertex_count)
                                : shoal_positions_f32(xyz, d->rest.vertex_count);
        p.order = params->order;
        p.hold = params->hold;
        const shoal_status st = shoal_scene_set_positions(d->scene, d->ids[i], &p);
        if (st != SHOAL_OK)
            return st;
    }
    d->handed_over = true;
    return SHOAL_OK;
}

static shoal_status step(void *state, uint32_t number)
{
    shl_deforming *d = state;
    if (d->kind->move)
        d->kind->move(d, number);
    for (uint32_t i = 0; d->kind->deformation->stir && i < d->params.bodies; i++)
        d->kind->deformation->stir(d->shape, i, number);
    return show(d, number);
}

// Courses, and what stirring has changed of the shape.
static size_t save(const void *state, void *to)
{
    const shl_deforming *d = state;
    const shl_deformation *of = d->kind->deformation;
    const size_t courses = d->params.bodies * sizeof *d->courses;
    void *stirred = NULL;
    const size_t more = of->stirred ? of->stirred(d->shape, &stirred) : 0;
    if (to)
        memcpy(to, d->courses, courses);
    if (to && more)
        memcpy((char *)to + courses, stirred, more);
    return courses + more;
}

static shoal_status restore(void *state, uint32_t number, const void *from, size_t size)
{
    shl_deforming *d = state;
    const shl_deformation *of = d->kind->deformation;
    const size_t courses = d->params.bodies * sizeof *d->courses;
    void *stirred = NULL;
    if (size != save(state, NULL))
        return SHOAL_ERR_ARGUMENT;
    memcpy(d->courses, from, courses);
    const size_t more = of->stirred ? of->stirred(d->shape, &stirred) : 0;
    if (more)
        memcpy(stirred, (const char *)from + courses, more);
    return show(d, number);
}

static void destroy(void *state)
{
    shl_deforming *d = state;
    if (!d)
        return;
    // bodies that borrow the array below must not outlive it
    shl_bodies_remove(d->scene, d->ids, d->params.bodies);
    if (d->shape)
        d->kind->deformation->destroy(d->shape);
    shoal_model_destroy(d->model);
    shl_surface_finish(&d->rest);
    free(d->courses);
    free(d->ids);
    free(d->met);
    free(d->xyz);
    free(d);
}

static shoal_status fill(shl_deforming *d, const shl_play *play, shoal_context *ctx)
{
    const shl_scene_params *params = &d->params;
    shoal_status st = shl_deforming_surface(play, params, &d->rest);
    if (st != SHOAL_OK)
        return st;
    d->courses = calloc(params->bodies, sizeof *d->courses);
    d->ids = calloc(params->bodies, sizeof *d->ids);
    d->met = calloc(params->bodies, 2 * sizeof *d->met);
    d->xyz = calloc(params->bodies, body_bytes(d));
    if (!d->courses || !d->ids || !d->met || !d->xyz)
        return SHOAL_ERR_MEMORY;
    st = shl_deforming_model(play, params, &d->rest, ctx, &d->model);
    if (st != SHOAL_OK)
        return st;
    const uint32_t *order =
        params->order == SHOAL_ORDER_TREE ? shoal_model_vertex_order(d->model) : NULL;
    st = d->kind->deformation->create(params->seed, &d->rest, order, params->bodies, &d->shape);
    for (uint32_t i = 0; i < params->bodies && st == SHOAL_OK; i++)
        st = shoal_scene_add_free(d->scene, d->model, &d->ids[i]);
    return st;
}

static shoal_status create(const shl_play *play, const shl_scene_params *params,
                           shoal_context *ctx, shoal_scene *scene, void **out)
{
    *out = NULL;
    shl_deforming *d = calloc(1, sizeof *d);
    if (!d)
        return SHOAL_ERR_MEMORY;
    d->kind = play->kind;
    d->params = *params;
    d->scene = scene;
    const shoal_status st = fill(d, play, ctx);
    if (st != SHOAL_OK) {
        destroy(d);
        return st;
    }
    d->kind->place(d);
    *out = d;
    return SHOAL_OK;
}

static uint32_t body_count(const void *state)
{
    return ((const shl_deforming *)state)->params.bodies;
}

static const shl_surface *surface(const void *state, uint32_t body)
{
    (void)body;
    return &((const shl_deforming *)state)->rest;
}

static void vertices(const void *state, uint32_t body, double *xyz)
{
    const shl_deforming *d = state;
    const uint32_t count = d->rest.vertex_count;
    const uint32_t *order =
        d->params.order == SHOAL_ORDER_TREE ? shoal_model_vertex_order(d->model) : NULL;
    for (uint32_t row = 0; row < count; row++) {
        double *to = xyz + 3 * (size_t)(order ? order[row] : row);
        const size_t from = 3 * ((size_t)body * count + row);
        for (size_t k = 0; k < 3; k++)
            to[k] = d->params.precision == SHOAL_F64
                        ? ((const double *)d->xyz)[from + k]
                        : (double)((const float *)d->xyz)[from + k];
    }
}

static shoal_model *model(const void *state)
{
    return ((const shl_deforming *)state)->model;
}

static const void *positions(const void *state, size_t *bytes)
{
    const shl_deforming *d = state;
    *bytes = d->params.bodies * body_bytes(d);
    return d->xyz;
}

static shl_frame frame(const void *state, uint32_t body)
{
    const shl_pose pose = pose_of(state, body);
    shl_frame out;
    memcpy(out.centre, pose.centre, sizeof out.centre);
    memcpy(out.rotation, pose.rotation, sizeof out.rotation);
    return out;
}

const shl_simulator shl_deforming_simulator = {.create = create,
                                               .destroy = destroy,
                                               .step = step,
                                               .body_count = body_count,
                                               .surface = surface,
                                               .vertices = vertices,
                                               .save = save,
                                               .restore = restore,
                                               .model = model,
                                               .positions = positions,
                                               .frame = frame};
