// SPDX-License-Identifier: MIT
#include "scenes/plays/actors.h"

#include "scenes/math/vec.h"
#include "scenes/plays/bodies.h"

#include <stdlib.h>

// Adds a kind; takes `surface`, also on failure.
static shoal_status add(shl_actors *a, shl_surface *surface, const double *shares,
                        const shl_modal_body_def *body, const float *fields, uint32_t count,
                        int32_t sphere_level)
{
    const int kind = a->models[0] != NULL;
    shoal_model_def def = shoal_model_def_default();
    def.triangles = surface->triangles;
    def.triangle_count = surface->triangle_count;
    def.rest = shoal_positions_f64(surface->xyz, surface->vertex_count);
    def.reducible = true;
    def.fields = fields;
    def.field_count = body->field_count;
    def.sphere_level = sphere_level;
    const shoal_status st = shoal_model_create(a->ctx, &def, &a->models[kind]);
    if (st != SHOAL_OK) {
        shl_surface_finish(surface);
        return st;
    }
    a->crowds[kind] = (shl_crowd){.flex = &a->flex[kind], .count = count};
    return (kind ? shl_flex_create_fixed : shl_flex_create)(
        surface, shares, body->mass, fields, body->hertz, body->field_count, &a->flex[kind]);
}

shoal_status shl_actors_add(shl_actors *a, const shl_modal_body_def *body,
                            const shl_scene_params *params)
{
    shl_surface surface = {0};
    double *shares = NULL;
    float *fields = NULL;
    shoal_status st = body->mesh(&surface);
    if (st == SHOAL_OK)
        st = shl_vertex_shares(&surface, &shares);
    if (st == SHOAL_OK && !body->centred)
        shl_centre(&surface, shares);
    if (st == SHOAL_OK && body->fields)
        st = body->fields(&surface, shares, &fields);
    if (st == SHOAL_OK)
        st = add(a, &surface, shares, body, fields, params->bodies,
                 (int32_t)params->spheres - 1);
    shl_surface_finish(&surface);
    free(shares);
    free(fields);
    return st;
}

shoal_status shl_actors_add_file(shl_actors *a, shoal_model_file *file, double mass,
                                 const double *hertz)
{
    shl_surface surface = {file->rest.xyz, file->rest.triangles, file->rest.vertex_count,
                           file->rest.triangle_count};
    double *shares;
    shoal_status st = shl_vertex_shares(&surface, &shares);
    if (st == SHOAL_OK) {
        const shl_modal_body_def body = {
            .mass = mass, .field_count = file->field_count, .hertz = hertz};
        file->rest.xyz = NULL;
        file->rest.triangles = NULL;
        st = add(a, &surface, shares, &body, file->fields, 1, -1);
        a->motion = file->motion;
        a->frames = file->frame_count;
        file->motion = NULL;
    }
    free(shares);
    shoal_model_file_finish(file);
    return st;
}

static shoal_status begin(shl_actors *a, const shl_scene_params *params)
{
    shl_dynamics_def def = shl_dynamics_default();
    if (a->kind->rule)
        a->kind->rule(&def);
    shoal_status st = shl_dynamics_create_crowds(&def, a->crowds, SHL_CROWDS_MAX, &a->dynamics);
    if (st != SHOAL_OK)
        return st;
    for (int kind = 0; kind < SHL_CROWDS_MAX; kind++)
        a->state_count += (size_t)a->crowds[kind].count * (12 + a->flex[kind].mode_count);
    a->ids = calloc(a->dynamics.count, sizeof *a->ids);
    a->state = calloc(a->state_count, sizeof *a->state);
    st = a->ids && a->state ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < a->dynamics.count && st == SHOAL_OK; i++)
        st = shoal_scene_add_reduced(a->scene, a->models[i >= a->crowds[0].count], &a->ids[i]);
    if (st == SHOAL_OK)
        a->kind->place(&a->dynamics, params);
    return st;
}

shoal_status shl_actors_create(const shl_play *play, const shl_scene_params *params,
                               shoal_context *ctx, shoal_scene *scene, void **out)
{
    *out = NULL;
    shl_actors *a = calloc(1, sizeof *a);
    if (!a)
        return SHOAL_ERR_MEMORY;
    a->kind = play->kind;
    a->ctx = ctx;
    a->scene = scene;
    shoal_status st = a->kind->add(a, params);
    if (st == SHOAL_OK)
        st = begin(a, params);
    if (st != SHOAL_OK) {
        shl_actors_destroy(a);
        return st;
    }
    *out = a;
    return SHOAL_OK;
}

// Poses and coordinates of one kind, whose first body is `first`, into columns at `state`.
static shoal_status hand_over(shl_actors *a, int kind, uint32_t first, double *state)
{
    const shl_dynamics *d = &a->dynamics;
    const size_t n = a->crowds[kind].count;
    const uint32_t modes = a->flex[kind].mode_count;
    for (size_t i = 0; i < n; i++) {
        double rotation[9];
        shl_quaternion_matrix(d->rigid[first + i].turn, rotation);
        for (size_t e = 0; e < 9; e++)
            state[e * n + i] = rotation[e];
        for (size_t k = 0; k < 3; k++)
            state[(9 + k) * n + i] = d->rigid[first + i].centre[k];
        for (size_t j = 0; j < modes; j++)
            state[(12 + j) * n + i] = d->q[(first + i) * d->numbers + j];
    }
    return shl_bodies_hand_over(a->scene, a->ids + first, (uint32_t)n, modes, state);
}

// Where the fixed body, the last one, is pulled.
static double *fixed_numbers(const shl_actors *a, double *numbers)
{
    return numbers + (size_t)a->crowds[0].count * a->dynamics.numbers;
}

static shoal_status hand_over_all(shl_actors *a)
{
    shoal_status st = hand_over(a, 0, 0, a->state);
    if (st == SHOAL_OK && a->crowds[1].count)
        st = hand_over(a, 1, a->crowds[0].count,
                       a->state + (size_t)a->crowds[0].count * (12 + a->flex[0].mode_count));
    return st;
}

static double time_of(const shl_actors *a)
{
    return a->steps * a->dynamics.def.step;
}

shoal_status shl_actors_step(void *actors, uint32_t step)
{
    shl_actors *a = actors;
    shl_dynamics *d = &a->dynamics;
    if (step > 1) {
        const shoal_sphere_contacts found = shoal_scene_sphere_contacts(a->scene);
        a->steps++;
        if (a->kind->drive)
            a->kind->drive(a, time_of(a), fixed_numbers(a, d->target));
        const shoal_status st = shl_dynamics_step(d, found.rows, found.count);
        if (st != SHOAL_OK)
            return st;
    } else if (a->kind->drive) {
        a->kind->drive(a, 0, fixed_numbers(a, d->target));
        a->kind->drive(a, 0, fixed_numbers(a, d->q));
    }
    return hand_over_all(a);
}

size_t shl_actors_save(const void *actors, void *to)
{
    return shl_dynamics_save(&((const shl_actors *)actors)->dynamics, to);
}

shoal_status shl_actors_restore(void *actors, uint32_t step, const void *state, size_t size)
{
    shl_actors *a = actors;
    const shoal_status st =
        step ? shl_dynamics_restore(&a->dynamics, state, size) : SHOAL_ERR_ARGUMENT;
    if (st != SHOAL_OK)
        return st;
    a->steps = step - 1;
    return hand_over_all(a);
}

static bool measure(const void *state, shl_motion_report *out)
{
    const shl_actors *a = state;
    shl_dynamics_motion_report(&a->dynamics, time_of(a), out);
    return true;
}

void shl_actors_destroy(void *actors)
{
    shl_actors *a = actors;
    if (!a)
        return;
    shl_bodies_remove(a->scene, a->ids, a->dynamics.count);
    shl_dynamics_finish(&a->dynamics);
    for (int kind = 0; kind < SHL_CROWDS_MAX; kind++) {
        shoal_model_destroy(a->models[kind]);
        shl_flex_finish(&a->flex[kind]);
        free(a->columns[kind]);
    }
    free(a->ids);
    free(a->state);
    free(a->motion);
    free(a);
}

static uint32_t body_count(const void *state)
{
    return ((const shl_actors *)state)->dynamics.count;
}

static const shl_surface *surface(const void *state, uint32_t body)
{
    const shl_dynamics *d = &((const shl_actors *)state)->dynamics;
    return body < d->count ? &shl_flex_of(d, body)->rest : NULL;
}

static void vertices(const void *state, uint32_t body, double *xyz)
{
    for (uint32_t v = 0; v < surface(state, body)->vertex_count; v++)
        shl_dynamics_vertex(&((const shl_actors *)state)->dynamics, body, v,
                            xyz + 3 * (size_t)v);
}

static shoal_model *model(const void *state)
{
    return ((const shl_actors *)state)->models[0];
}

const void *shl_actors_state(const void *actors, size_t *bytes)
{
    const shl_actors *a = actors;
    *bytes = a->state_count * sizeof *a->state;
    return a->state;
}

static shl_frame frame(const void *state, uint32_t body)
{
    const shl_rigid *r = &((const shl_actors *)state)->dynamics.rigid[body];
    shl_frame out;
    memcpy(out.centre, r->centre, sizeof out.centre);
    shl_quaternion_matrix(r->turn, out.rotation);
    return out;
}

const shl_simulator shl_actors_simulator = {.create = shl_actors_create,
                                            .destroy = shl_actors_destroy,
                                            .step = shl_actors_step,
                                            .body_count = body_count,
                                            .surface = surface,
                                            .vertices = vertices,
                                            .measure = measure,
                                            .save = shl_actors_save,
                                            .restore = shl_actors_restore,
                                            .model = model,
                                            .positions = shl_actors_state,
                                            .frame = frame,
                                            .shoot = shl_actors_shoot,
                                            .develop = shl_actors_develop};
