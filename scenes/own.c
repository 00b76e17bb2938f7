// SPDX-License-Identifier: MIT
#include "scenes/own.h"

#include "scenes/motion.h"
#include "scenes/play.h"
#include "scenes/turn.h"
#include "scenes/vec.h"

#include <shoal/reduced.h>

#include <stdlib.h>

static const double two_pi = 6.283185307179586;

typedef struct body {
    uint32_t group, place;
    shoal_body id;
    double at[3], rotation[9];
    double *xyz; // [vertices][3] of a free body, what shoal reads
    double *q;   // [field_count]
} body;

typedef struct own {
    const shl_own_def *def;
    shoal_scene *scene;
    shoal_model **models; // [group_count]
    body *bodies;
    uint32_t count;
    double *memory; // of all xyz and q
    bool handed_over;
} own;

void shl_own_finish(shl_own_def *def)
{
    for (uint32_t i = 0; i < def->group_count; i++) {
        shl_surface_finish(&def->groups[i].rest);
        free(def->groups[i].fields);
        free(def->groups[i].places);
    }
    free(def->groups);
    *def = (shl_own_def){0};
}

static void multiply(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 9; i++)
        out[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[i % 3 + 3] +
                 a[i / 3 * 3 + 2] * b[i % 3 + 6];
}

static double beat(shl_own_beat b, double time, double phase)
{
    return b.amplitude * shl_sincos_of(two_pi * b.hertz * time + phase).sin;
}

static void move(const own *o, body *b, double time)
{
    const shl_own_group *g = &o->def->groups[b->group];
    const shl_own_place *p = &g->places[b->place];
    const double swing = shl_sincos_of(two_pi * g->swing_hertz * time + p->phase).sin;
    double spun[9];
    shl_turn(g->axis, g->spin * time, spun);
    multiply(spun, p->rotation, b->rotation);
    for (int k = 0; k < 3; k++)
        b->at[k] = p->at[k] + g->velocity[k] * time + g->swing[k] * swing;
    for (uint32_t j = 0; j < g->field_count; j++)
        b->q[j] = beat(g->beats[j], time, p->phase);
}

// The library's own evaluator, operation by operation; see shoal/reduced.h.
static void evaluate(const shl_own_group *g, const body *b, uint32_t vertex, double out[3])
{
    double d[3];
    for (size_t k = 0; k < 3; k++) {
        d[k] = g->rest.xyz[3 * (size_t)vertex + k];
        for (size_t j = 0; j < g->field_count; j++)
            d[k] =
                d[k] + (double)g->fields[3 * (j * g->rest.vertex_count + vertex) + k] * b->q[j];
    }
    for (int k = 0; k < 3; k++)
        out[k] = ((b->rotation[3 * k] * d[0] + b->rotation[3 * k + 1] * d[1]) +
                  b->rotation[3 * k + 2] * d[2]) +
                 b->at[k];
}

static void write_free(const own *o, body *b, double time)
{
    const shl_own_group *g = &o->def->groups[b->group];
    const double phase = two_pi * g->wave.hertz * time + g->places[b->place].phase;
    for (size_t i = 0; i < g->rest.vertex_count; i++) {
        double own_place[3], turned[3];
        memcpy(own_place, g->rest.xyz + 3 * i, sizeof own_place);
        if (g->wave.amplitude != 0)
            own_place[2] += g->wave.amplitude *
                            shl_sincos_of(two_pi * own_place[0] / g->wave_length - phase).sin;
        shl_apply(b->rotation, own_place, turned);
        for (size_t k = 0; k < 3; k++)
            b->xyz[3 * i + k] = turned[k] + b->at[k];
    }
}

static shoal_status step(void *state, uint32_t number)
{
    own *o = state;
    const double time = o->def->time_step * (number - 1);
    for (uint32_t i = 0; i < o->count; i++) {
        body *b = &o->bodies[i];
        const shl_own_group *g = &o->def->groups[b->group];
        shoal_status st = SHOAL_OK;
        move(o, b, time);
        if (g->kind == SHL_OWN_REDUCED) {
            const shoal_reduced_state one = {.bodies = &b->id,
                                             .count = 1,
                                             .stride = 1,
                                             .rotation = b->rotation,
                                             .translation = b->at,
                                             .q = g->field_count ? b->q : NULL,
                                             .field_count = g->field_count};
            st = shoal_scene_set_reduced(o->scene, &one);
        } else {
            write_free(o, b, time);
            shoal_positions p = shoal_positions_f64(b->xyz, g->rest.vertex_count);
            p.hold = SHOAL_BORROW;
            if (!o->handed_over)
                st = shoal_scene_set_positions(o->scene, b->id, &p);
        }
        if (st != SHOAL_OK)
            return st;
    }
    o->handed_over = true;
    return SHOAL_OK;
}

static void destroy(void *state)
{
    own *o = state;
    if (!o)
        return;
    for (uint32_t i = 0; o->bodies && i < o->count; i++) {
        if (o->bodies[i].id.index1 && shoal_scene_remove(o->scene, o->bodies[i].id) != SHOAL_OK)
            continue; // already gone
    }
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
        def.proxy_level = g->proxy_level;
    }
    return shoal_model_create(ctx, &def, out);
}

static size_t numbers(const shl_own_group *g)
{
    return g->kind == SHL_OWN_FREE ? 3 * (size_t)g->rest.vertex_count : g->field_count;
}

static shoal_status fill(own *o, shoal_context *ctx)
{
    size_t total = 0;
    for (uint32_t i = 0; i < o->def->group_count; i++) {
        o->count += o->def->groups[i].count;
        total += o->def->groups[i].count * numbers(&o->def->groups[i]);
    }
    o->models = calloc(o->def->group_count, sizeof *o->models);
    o->bodies = calloc(o->count, sizeof *o->bodies);
    o->memory = calloc(total + 1, sizeof *o->memory);
    if (!o->models || !o->bodies || !o->memory)
        return SHOAL_ERR_MEMORY;
    body *b = o->bodies;
    double *memory = o->memory;
    for (uint32_t i = 0; i < o->def->group_count; i++) {
        const shl_own_group *g = &o->def->groups[i];
        shoal_status st = make_model(g, ctx, &o->models[i]);
        for (uint32_t k = 0; k < g->count && st == SHOAL_OK; k++, b++) {
            *b = (body){.group = i, .place = k, .xyz = memory, .q = memory};
            memory += numbers(g);
            st = g->kind == SHL_OWN_FREE
                     ? shoal_scene_add_free(o->scene, o->models[i], &b->id)
                     : shoal_scene_add_reduced(o->scene, o->models[i], &b->id);
        }
        if (st != SHOAL_OK)
            return st;
    }
    return SHOAL_OK;
}

static uint32_t body_count(const void *state)
{
    return ((const own *)state)->count;
}

static const shl_surface *surface(const void *state, uint32_t index)
{
    const own *o = state;
    return &o->def->groups[o->bodies[index].group].rest;
}

static void vertices(const void *state, uint32_t index, double *xyz)
{
    const own *o = state;
    const body *b = &o->bodies[index];
    const shl_own_group *g = &o->def->groups[b->group];
    if (g->kind == SHL_OWN_FREE) {
        memcpy(xyz, b->xyz, 3 * (size_t)g->rest.vertex_count * sizeof *xyz);
        return;
    }
    for (uint32_t i = 0; i < g->rest.vertex_count; i++)
        evaluate(g, b, i, xyz + 3 * (size_t)i);
}

// Places are functions of the step's number: nothing is saved.
static const shl_play play = {.destroy = destroy,
                              .step = step,
                              .body_count = body_count,
                              .surface = surface,
                              .vertices = vertices};

shoal_status shl_own_create(const shl_own_def *def, shoal_context *ctx, shoal_scene *scene,
                            shl_motion **out)
{
    *out = NULL;
    own *o = calloc(1, sizeof *o);
    shl_motion *m = calloc(1, sizeof *m);
    shoal_status st = o && m ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK) {
        o->def = def;
        o->scene = scene;
        st = fill(o, ctx);
    }
    if (st != SHOAL_OK) {
        destroy(o);
        free(m);
        return st;
    }
    m->play = &play;
    m->state = o;
    m->scene = scene;
    *out = m;
    return SHOAL_OK;
}
