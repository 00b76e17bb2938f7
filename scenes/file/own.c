// SPDX-License-Identifier: MIT
#include "scenes/file/own.h"

#include "scenes/file/own_state.h"
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/play.h"
#include "scenes/plays/bodies.h"

#include <shoal/filter.h>
#include <shoal/reduced.h>
#include <shoal/skinned.h>

#include <stdlib.h>

static const double two_pi = 6.283185307179586;

void shl_own_finish(shl_own_def *def)
{
    for (uint32_t i = 0; i < def->group_count; i++) {
        shl_surface_finish(&def->groups[i].rest);
        free(def->groups[i].fields);
        free(def->groups[i].controls.xyz);
        free(def->groups[i].controls.weight_begin);
        free(def->groups[i].controls.weight_control);
        free(def->groups[i].controls.weight);
        free(def->groups[i].instances);
    }
    free(def->groups);
    *def = (shl_own_def){0};
}

static double beat(shl_own_beat b, double time, double phase)
{
    return b.amplitude * shl_sincos_of(two_pi * b.hertz * time + phase).sin;
}

void shl_own_move(const shl_own *o, shl_own_body *b, double time)
{
    const shl_own_group *g = &o->def->groups[b->group];
    const shl_own_instance *p = &g->instances[b->instance];
    const double swing = shl_sincos_of(two_pi * g->swing_hertz * time + p->phase).sin;
    double spun[9];
    shl_turn(g->axis, g->spin * time, spun);
    shl_multiply(spun, p->rotation, b->rotation);
    for (int k = 0; k < 3; k++)
        b->at[k] = p->at[k] + g->velocity[k] * time + g->swing[k] * swing;
    for (uint32_t j = 0; j < g->field_count; j++)
        b->numbers[j] = beat(g->beats[j], time, p->phase);
}

// The library's own evaluator, operation by operation; see shoal/reduced.h.
static void evaluate(const shl_own_group *g, const shl_own_body *b, uint32_t vertex,
                     double out[3])
{
    double d[3];
    for (size_t k = 0; k < 3; k++) {
        d[k] = g->rest.xyz[3 * (size_t)vertex + k];
        for (size_t j = 0; j < g->field_count; j++)
            d[k] = d[k] + (double)g->fields[3 * (j * g->rest.vertex_count + vertex) + k] *
                              b->numbers[j];
    }
    for (int k = 0; k < 3; k++)
        out[k] = ((b->rotation[3 * k] * d[0] + b->rotation[3 * k + 1] * d[1]) +
                  b->rotation[3 * k + 2] * d[2]) +
                 b->at[k];
}

static void write_free(const shl_own_group *g, shl_own_body *b, double phase)
{
    for (size_t i = 0; i < g->rest.vertex_count; i++) {
        double own_place[3], turned[3];
        memcpy(own_place, g->rest.xyz + 3 * i, sizeof own_place);
        if (g->wave.amplitude != 0)
            own_place[2] += g->wave.amplitude *
                            shl_sincos_of(two_pi * own_place[0] / g->wave_length - phase).sin;
        shl_apply(b->rotation, own_place, turned);
        for (size_t k = 0; k < 3; k++)
            b->numbers[3 * i + k] = turned[k] + b->at[k];
    }
}

static shoal_status tell_reduced(const shl_own *o, const shl_own_body *b, uint32_t fields)
{
    const shoal_reduced_state one = {.bodies = &b->id,
                                     .count = 1,
                                     .stride = 1,
                                     .rotation = b->rotation,
                                     .translation = b->at,
                                     .q = fields ? b->numbers : NULL,
                                     .field_count = fields};
    return shoal_scene_set_reduced(o->scene, &one);
}

static shoal_status tell_skinned(const shl_own *o, const shl_own_body *b, size_t controls)
{
    const shoal_skinned_state one = {.bodies = &b->id,
                                     .count = 1,
                                     .row_count = controls,
                                     .stride = controls,
                                     .A = b->numbers,
                                     .t = b->numbers + 9 * controls};
    return shoal_scene_set_skinned(o->scene, &one);
}

static shoal_status tell_free(const shl_own *o, const shl_own_body *b, uint32_t vertices)
{
    shoal_positions p = shoal_positions_f64(b->numbers, vertices);
    p.hold = SHOAL_BORROW; // it is handed over once
    return o->handed_over ? SHOAL_OK : shoal_scene_set_positions(o->scene, b->id, &p);
}

// All bodies to where they are at a time, those that fall to where they are now.
static shoal_status show(shl_own *o, uint32_t number)
{
    const double time = o->def->time_step * (number - 1);
    o->time = time;
    if (o->falls)
        shl_own_fall_show(o);
    for (uint32_t i = 0; i < o->count; i++) {
        shl_own_body *b = &o->bodies[i];
        const shl_own_group *g = &o->def->groups[b->group];
        const shl_own_instance *p = &g->instances[b->instance];
        const double phase = two_pi * g->wave.hertz * time + p->phase;
        shoal_status st;
        if (o->handed_over && p->filter.is_static)
            continue; // its boxes are made once for each state
        if (!g->falls)
            shl_own_move(o, b, time);
        if (g->kind == SHL_OWN_REDUCED) {
            st = tell_reduced(o, b, g->field_count);
        } else if (g->kind == SHL_OWN_SKINNED) {
            shl_own_skinned_write(g, b, phase);
            st = tell_skinned(o, b, g->controls.count);
        } else {
            write_free(g, b, phase);
            st = tell_free(o, b, g->rest.vertex_count);
        }
        if (st != SHOAL_OK)
            return st;
    }
    o->handed_over = true;
    return SHOAL_OK;
}

static shoal_status step(void *state, uint32_t number)
{
    shl_own *o = state;
    if (o->falls && number > 1) {
        const shoal_status st = shl_own_fall_step(o, number);
        if (st != SHOAL_OK)
            return st;
    }
    return show(o, number);
}

static size_t save(const void *state, void *to)
{
    const shl_own *o = state;
    return o->falls ? shl_dynamics_save(&o->dynamics, to) : 0;
}

static shoal_status restore(void *state, uint32_t number, const void *from, size_t size)
{
    shl_own *o = state;
    shoal_status st = size == save(o, NULL) && number > 0 ? SHOAL_OK : SHOAL_ERR_ARGUMENT;
    if (st == SHOAL_OK && o->falls)
        st = shl_dynamics_restore(&o->dynamics, from, size);
    return st == SHOAL_OK ? show(o, number) : st;
}

static void destroy(void *state)
{
    shl_own *o = state;
    if (!o)
        return;
    for (uint32_t i = 0; o->bodies && i < o->count; i++)
        shl_bodies_remove(o->scene, &o->bodies[i].id, 1);
    shl_own_fall_finish(o);
    for (uint32_t i = 0; o->models && i < o->def->group_count; i++)
        shoal_model_destroy(o->models[i]);
    free(o->models);
    free(o->bodies);
    free(o->memory);
    free(o);
}

static shoal_status make_model(const shl_own_group *g, shoal_context *ctx, shoal_model **out)
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = g->rest.triangles;
    def.triangle_count = g->rest.triangle_count;
    def.rest = shoal_positions_f64(g->rest.xyz, g->rest.vertex_count);
    def.self = g->self && g->kind == SHL_OWN_FREE;
    if (g->kind == SHL_OWN_REDUCED) {
        def.reducible = true;
        def.fields = g->fields;
        def.field_count = g->field_count;
        def.sphere_level = g->sphere_level;
    }
    const shoal_skinned_def skinned = {.size = sizeof skinned,
                                       .control_count = g->controls.count,
                                       .controls = g->controls.xyz,
                                       .weight_begin = g->controls.weight_begin,
                                       .weight_control = g->controls.weight_control,
                                       .weight = g->controls.weight,
                                       .weight_count = g->controls.weight_count};
    if (g->kind == SHL_OWN_SKINNED)
        def.skinned = &skinned;
    return shoal_model_create(ctx, &def, out);
}

static size_t numbers(const shl_own_group *g)
{
    return g->kind == SHL_OWN_FREE      ? 3 * (size_t)g->rest.vertex_count
           : g->kind == SHL_OWN_SKINNED ? 12 * (size_t)g->controls.count
                                        : g->field_count;
}

typedef shoal_status add_fn(shoal_scene *scene, shoal_model *model, shoal_body *out);
static add_fn *const add[] = {[SHL_OWN_FREE] = shoal_scene_add_free,
                              [SHL_OWN_REDUCED] = shoal_scene_add_reduced,
                              [SHL_OWN_SKINNED] = shoal_scene_add_skinned};

// A body of its group's kind, with its filter.
static shoal_status add_body(shl_own *o, const shl_own_group *g, shoal_model *model,
                             shl_own_body *b)
{
    const shl_own_filter *f = &g->instances[b->instance].filter;
    shoal_status st = add[g->kind](o->scene, model, &b->id);
    if (st == SHOAL_OK && (f->group != 1 || f->mask != UINT32_MAX))
        st = shoal_scene_set_filter(o->scene, b->id, f->group, f->mask);
    if (st == SHOAL_OK && f->is_static)
        st = shoal_scene_set_static(o->scene, b->id, true);
    return st;
}

static shoal_status fill(shl_own *o, shoal_context *ctx)
{
    size_t total = 0;
    for (uint32_t i = 0; i < o->def->group_count; i++) {
        o->count += o->def->groups[i].count;
        total += o->def->groups[i].count * numbers(&o->def->groups[i]);
    }
    o->models = calloc((size_t)o->def->group_count + 1, sizeof *o->models);
    o->bodies = calloc((size_t)o->count + 1, sizeof *o->bodies);
    o->memory = calloc(total + 1, sizeof *o->memory);
    if (!o->models || !o->bodies || !o->memory)
        return SHOAL_ERR_MEMORY;
    shl_own_body *b = o->bodies;
    double *memory = o->memory;
    for (uint32_t i = 0; i < o->def->group_count; i++) {
        const shl_own_group *g = &o->def->groups[i];
        shoal_status st = make_model(g, ctx, &o->models[i]);
        for (uint32_t k = 0; k < g->count && st == SHOAL_OK; k++, b++) {
            *b = (shl_own_body){.group = i, .instance = k, .numbers = memory};
            memory += numbers(g);
            st = add_body(o, g, o->models[i], b);
        }
        if (st != SHOAL_OK)
            return st;
    }
    return SHOAL_OK;
}

static uint32_t body_count(const void *state)
{
    return ((const shl_own *)state)->count;
}

static const shl_surface *surface(const void *state, uint32_t index)
{
    const shl_own *o = state;
    return &o->def->groups[o->bodies[index].group].rest;
}

static void vertices(const void *state, uint32_t index, double *xyz)
{
    const shl_own *o = state;
    const shl_own_body *b = &o->bodies[index];
    const shl_own_group *g = &o->def->groups[b->group];
    if (g->kind == SHL_OWN_FREE) {
        memcpy(xyz, b->numbers, 3 * (size_t)g->rest.vertex_count * sizeof *xyz);
        return;
    }
    for (uint32_t i = 0; i < g->rest.vertex_count; i++)
        (g->kind == SHL_OWN_SKINNED ? shl_own_skinned_vertex : evaluate)(g, b, i,
                                                                         xyz + 3 * (size_t)i);
}

static bool measure(const void *state, shl_motion_report *out)
{
    const shl_own *o = state;
    if (!o->falls)
        return false;
    shl_dynamics_motion_report(&o->dynamics, o->time, out);
    return true;
}

static const shl_simulator simulator = {.destroy = destroy,
                                        .step = step,
                                        .body_count = body_count,
                                        .surface = surface,
                                        .vertices = vertices,
                                        .measure = measure,
                                        .save = save,
                                        .restore = restore};

shoal_status shl_own_create(const shl_own_def *def, shoal_context *ctx, shoal_scene *scene,
                            shl_motion **out)
{
    *out = NULL;
    shl_own *o = calloc(1, sizeof *o);
    if (!o)
        return SHOAL_ERR_MEMORY;
    o->def = def;
    o->scene = scene;
    o->falls = shl_own_falls(def);
    shoal_status st = fill(o, ctx);
    if (st == SHOAL_OK && o->falls)
        st = shl_own_fall_begin(o);
    if (st == SHOAL_OK)
        return shl_motion_of(&simulator, o, out);
    destroy(o);
    return st;
}
