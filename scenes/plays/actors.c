// SPDX-License-Identifier: MIT
#include "scenes/plays/actors.h"

#include "scenes/math/vec.h"
#include "scenes/plays/cast.h"

#include <shoal/reduced.h>

#include <stdlib.h>

shl_actors *shl_actors_new(shoal_context *ctx, shoal_scene *scene)
{
    shl_actors *a = calloc(1, sizeof *a);
    if (a) {
        a->ctx = ctx;
        a->scene = scene;
    }
    return a;
}

shoal_status shl_actors_add(shl_actors *a, shl_surface *surface, const double *shares,
                            const shl_part *part)
{
    const int kind = a->models[0] != NULL;
    shoal_model_def def = shoal_model_def_default();
    def.triangles = surface->triangles;
    def.triangle_count = surface->triangle_count;
    def.rest = shoal_positions_f64(surface->xyz, surface->vertex_count);
    def.reducible = true;
    def.fields = part->fields;
    def.field_count = part->field_count;
    def.sphere_level = part->sphere_level;
    const shoal_status st = shoal_model_create(a->ctx, &def, &a->models[kind]);
    if (st != SHOAL_OK) {
        shl_surface_finish(surface);
        return st;
    }
    a->crowds[kind] = (shl_crowd){.flex = &a->flex[kind], .count = part->count};
    return (part->fixed ? shl_flex_create_fixed
                        : shl_flex_create)(surface, shares, part->mass, part->fields,
                                           part->hertz, part->field_count, &a->flex[kind]);
}

shoal_status shl_actors_add_file(shl_actors *a, shoal_model_file *file, double mass,
                                 const double *hertz)
{
    shl_surface surface = {file->rest.xyz, file->rest.triangles, file->rest.vertex_count,
                           file->rest.triangle_count};
    double *shares;
    shoal_status st = shl_vertex_shares(&surface, &shares);
    if (st == SHOAL_OK) {
        const shl_part part = {1, mass, file->fields, hertz, file->field_count, -1, true};
        file->rest.xyz = NULL;
        file->rest.triangles = NULL;
        st = shl_actors_add(a, &surface, shares, &part);
        a->motion = file->motion;
        a->frames = file->frame_count;
        file->motion = NULL;
    }
    free(shares);
    shoal_model_file_finish(file);
    return st;
}

shoal_status shl_actors_begin(shl_actors *a, const shl_dynamics_def *def)
{
    shoal_status st = shl_dynamics_create_crowds(def, a->crowds, SHL_CROWDS_MAX, &a->dynamics);
    if (st != SHOAL_OK)
        return st;
    for (int kind = 0; kind < SHL_CROWDS_MAX; kind++)
        a->state_count += (size_t)a->crowds[kind].count * (12 + a->flex[kind].mode_count);
    a->ids = calloc(a->dynamics.count, sizeof *a->ids);
    a->state = calloc(a->state_count, sizeof *a->state);
    st = a->ids && a->state ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < a->dynamics.count && st == SHOAL_OK; i++)
        st = shoal_scene_add_reduced(a->scene, a->models[i >= a->crowds[0].count], &a->ids[i]);
    return st;
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
    const shoal_reduced_state all = {.bodies = a->ids + first,
                                     .count = (uint32_t)n,
                                     .stride = n,
                                     .rotation = state,
                                     .translation = state + 9 * n,
                                     .q = modes ? state + 12 * n : NULL,
                                     .field_count = modes};
    return shoal_scene_set_reduced(a->scene, &all);
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

shoal_status shl_actors_step(shl_actors *a, uint32_t step)
{
    shl_dynamics *d = &a->dynamics;
    if (step > 1) {
        const shoal_sphere_contacts found = shoal_scene_sphere_contacts(a->scene);
        a->steps++;
        if (a->drive)
            a->drive(a, shl_actors_time(a), fixed_numbers(a, d->target));
        const shoal_status st = shl_dynamics_step(d, found.rows, found.count);
        if (st != SHOAL_OK)
            return st;
    } else if (a->drive) {
        a->drive(a, 0, fixed_numbers(a, d->target));
        a->drive(a, 0, fixed_numbers(a, d->q));
    }
    return hand_over_all(a);
}

size_t shl_actors_save(const shl_actors *a, void *to)
{
    const shl_dynamics *d = &a->dynamics;
    const size_t bodies = d->count * sizeof *d->rigid;
    const size_t modes = (size_t)d->count * d->numbers * sizeof *d->q;
    if (to) {
        memcpy(to, d->rigid, bodies);
        memcpy((char *)to + bodies, d->q, modes);
        memcpy((char *)to + bodies + modes, d->rate, modes);
    }
    return bodies + 2 * modes;
}

shoal_status shl_actors_restore(shl_actors *a, uint32_t step, const void *state, size_t size)
{
    const shl_dynamics *d = &a->dynamics;
    const size_t bodies = d->count * sizeof *d->rigid;
    const size_t modes = (size_t)d->count * d->numbers * sizeof *d->q;
    if (size != bodies + 2 * modes || step == 0)
        return SHOAL_ERR_ARGUMENT;
    memcpy(d->rigid, state, bodies);
    memcpy(d->q, (const char *)state + bodies, modes);
    memcpy(d->rate, (const char *)state + bodies + modes, modes);
    a->steps = step - 1;
    return hand_over_all(a);
}

void shl_actors_look(const shl_actors *a, shl_motion_report *out)
{
    const shl_dynamics_report r = shl_dynamics_look(&a->dynamics);
    *out = (shl_motion_report){.time = shl_actors_time(a),
                               .kinetic = r.kinetic,
                               .energy = r.kinetic + r.potential + r.elastic,
                               .mean_speed = r.mean_speed,
                               .floor_depth = r.floor_depth};
}

void shl_actors_destroy(shl_actors *a)
{
    if (!a)
        return;
    for (uint32_t i = 0; a->ids && i < a->dynamics.count; i++) {
        if (a->ids[i].index1 && shoal_scene_remove(a->scene, a->ids[i]) != SHOAL_OK)
            continue; // already gone
    }
    shl_dynamics_finish(&a->dynamics);
    for (int kind = 0; kind < SHL_CROWDS_MAX; kind++) {
        shoal_model_destroy(a->models[kind]);
        shl_flex_finish(&a->flex[kind]);
    }
    free(a->ids);
    free(a->state);
    free(a->motion);
    free(a);
}

double shl_actors_time(const shl_actors *a)
{
    return a->steps * a->dynamics.def.step;
}

shoal_model *shl_actors_model(const shl_actors *a, bool fixed)
{
    return a->models[fixed];
}

const shl_dynamics *shl_actors_dynamics(const shl_actors *a)
{
    return &a->dynamics;
}

const shl_surface *shl_actors_surface(const shl_actors *a, uint32_t body)
{
    return &shl_flex_of(&a->dynamics, body)->rest;
}

const double *shl_actors_state(const shl_actors *a, size_t *bytes)
{
    *bytes = a->state_count * sizeof *a->state;
    return a->state;
}

shl_frame shl_actors_frame(const shl_actors *a, uint32_t body)
{
    shl_frame out;
    memcpy(out.centre, a->dynamics.rigid[body].centre, sizeof out.centre);
    shl_quaternion_matrix(a->dynamics.rigid[body].turn, out.rotation);
    return out;
}
