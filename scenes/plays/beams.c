// SPDX-License-Identifier: MIT
#include "scenes/plays/beams.h"
#include "scenes/math/turn.h"
#include "scenes/models/modal_plate.h"
#include "scenes/plays/bodies.h"
#include "scenes/plays/plays.h"

#include <stdlib.h>

static const double time_step = 0.05;
static const double swing = 0.12; // of a place

typedef struct beam {
    double centre[3], swing[3], phase[3];
    double axis[3], angle, spin; // radians, and radians a step
    double bend_phase[SHL_MODAL_PLATE_FIELDS_MAX];
} beam;

struct shl_beams {
    shl_beams_def def;
    shoal_scene *scene;
    shoal_model *model;
    shl_surface plate;
    float *fields;   // [fields][vertices][3]
    beam *beams;     // [bodies]
    shoal_body *ids; // [bodies]
    double *state;   // [12 + fields][bodies] rotation, translation, q
};

static void place(shl_beams *b)
{
    uint64_t state = b->def.seed;
    for (uint32_t i = 0; i < b->def.bodies; i++) {
        beam *p = &b->beams[i];
        shl_lattice_place(i, b->def.bodies, b->def.spacing, p->centre);
        for (int k = 0; k < 3; k++) {
            p->swing[k] = swing * shl_random_signed(&state);
            p->phase[k] = 3.0 * shl_random_signed(&state);
        }
        shl_random_axis(&state, p->axis);
        p->angle = 3.0 * shl_random_signed(&state);
        p->spin = 0.03 * shl_random_signed(&state);
        for (uint32_t j = 0; j < b->def.fields; j++)
            p->bend_phase[j] = 3.0 * shl_random_signed(&state);
    }
}

shoal_status shl_beams_step(shl_beams *b, uint32_t step)
{
    const uint32_t n = b->def.bodies;
    const double time = time_step * step;
    for (uint32_t i = 0; i < n; i++) {
        const beam *p = &b->beams[i];
        double *to = b->state + i, turn[9];
        shl_turn(p->axis, p->angle + p->spin * step, turn);
        for (size_t e = 0; e < 9; e++)
            to[e * n] = turn[e];
        for (size_t k = 0; k < 3; k++)
            to[(9 + k) * n] =
                p->centre[k] + p->swing[k] * shl_sincos_of(time + p->phase[k]).sin;
        for (size_t j = 0; j < b->def.fields; j++) {
            const size_t pair = j / 2;
            to[(12 + j) * n] = b->def.amplitude / (double)(1 + pair) *
                               shl_sincos_of((double)(j + 1) * time + p->bend_phase[j]).sin;
        }
    }
    return shl_bodies_hand_over(b->scene, b->ids, n, b->def.fields, b->state);
}

static shoal_status make_bodies(shl_beams *b, shoal_context *ctx)
{
    shoal_status st =
        shl_mesh_modal_plate(b->def.along, b->def.across, b->def.fields, &b->plate, &b->fields);
    if (st != SHOAL_OK)
        return st;
    shoal_model_def def = shoal_model_def_default();
    def.triangles = b->plate.triangles;
    def.triangle_count = b->plate.triangle_count;
    def.rest = shoal_positions_f64(b->plate.xyz, b->plate.vertex_count);
    def.reducible = true;
    def.fields = b->fields;
    def.field_count = b->def.fields;
    def.bounds = b->def.bounds;
    def.sphere_level = (int32_t)b->def.spheres - 1;
    st = shoal_model_create(ctx, &def, &b->model);
    for (uint32_t i = 0; i < b->def.bodies && st == SHOAL_OK; i++)
        st = shoal_scene_add_reduced(b->scene, b->model, &b->ids[i]);
    return st;
}

shoal_status shl_beams_create(const shl_beams_def *def, shoal_context *ctx, shoal_scene *scene,
                              shl_beams **out)
{
    *out = NULL;
    shl_beams *b = calloc(1, sizeof *b);
    if (!b)
        return SHOAL_ERR_MEMORY;
    b->def = *def;
    b->scene = scene;
    b->beams = calloc(def->bodies, sizeof *b->beams);
    b->ids = calloc(def->bodies, sizeof *b->ids);
    b->state = calloc((size_t)def->bodies * (12 + def->fields), sizeof *b->state);
    const bool room = b->beams && b->ids && b->state;
    const shoal_status st = room ? make_bodies(b, ctx) : SHOAL_ERR_MEMORY;
    if (st != SHOAL_OK) {
        shl_beams_destroy(b);
        return st;
    }
    place(b);
    *out = b;
    return SHOAL_OK;
}

void shl_beams_destroy(shl_beams *b)
{
    if (!b)
        return;
    shl_bodies_remove(b->scene, b->ids, b->def.bodies);
    shoal_model_destroy(b->model);
    shl_surface_finish(&b->plate);
    free(b->fields);
    free(b->beams);
    free(b->ids);
    free(b->state);
    free(b);
}

shoal_model *shl_beams_model(const shl_beams *b)
{
    return b->model;
}

const double *shl_beams_state(const shl_beams *b, size_t *bytes)
{
    *bytes = (size_t)b->def.bodies * (12 + b->def.fields) * sizeof(double);
    return b->state;
}

void shl_beams_vertex(const shl_beams *b, uint32_t body, uint32_t vertex, double out[3])
{
    const size_t n = b->def.bodies;
    const double *from = b->state + body, *p = b->plate.xyz + 3 * (size_t)vertex;
    double own[3] = {p[0], p[1], p[2]};
    for (size_t j = 0; j < b->def.fields; j++) {
        const float *u = b->fields + 3 * (j * b->plate.vertex_count + vertex);
        for (size_t k = 0; k < 3; k++)
            own[k] += (double)u[k] * from[(12 + j) * n];
    }
    for (size_t k = 0; k < 3; k++)
        out[k] = from[3 * k * n] * own[0] + from[(3 * k + 1) * n] * own[1] +
                 from[(3 * k + 2) * n] * own[2] + from[(9 + k) * n];
}

// Squares of a plate: 72 * 4^k + 36 * 2^k triangles.
static shoal_status create(const shl_play *play, const shl_scene_params *params,
                           shoal_context *ctx, shoal_scene *scene, void **out)
{
    (void)play;
    const shl_beams_def def = {.along = 6u << params->k,
                               .across = 3u << params->k,
                               .fields = 10,
                               .bodies = params->bodies,
                               .spacing = 0.65,
                               .amplitude = 0.04,
                               .seed = params->seed,
                               .spheres = params->spheres};
    shl_beams *beams;
    const shoal_status st = shl_beams_create(&def, ctx, scene, &beams);
    *out = beams;
    return st;
}

static void destroy(void *state)
{
    shl_beams_destroy(state);
}

static shoal_status step(void *state, uint32_t number)
{
    return shl_beams_step(state, number);
}

static uint32_t body_count(const void *state)
{
    return ((const shl_beams *)state)->def.bodies;
}

static const shl_surface *surface(const void *state, uint32_t body)
{
    (void)body;
    return &((const shl_beams *)state)->plate;
}

static void vertices(const void *state, uint32_t body, double *xyz)
{
    for (uint32_t v = 0; v < surface(state, body)->vertex_count; v++)
        shl_beams_vertex(state, body, v, xyz + 3 * (size_t)v);
}

static shoal_model *model(const void *state)
{
    return shl_beams_model(state);
}

static const void *positions(const void *state, size_t *bytes)
{
    return shl_beams_state(state, bytes);
}

static shl_frame frame(const void *state, uint32_t body)
{
    const shl_beams *b = state;
    shl_frame out;
    const double *from = b->state + body;
    for (size_t e = 0; e < 9; e++)
        out.rotation[e] = from[e * b->def.bodies];
    for (size_t k = 0; k < 3; k++)
        out.centre[k] = from[(9 + k) * b->def.bodies];
    return out;
}

static const shl_simulator simulator = {.create = create,
                                        .destroy = destroy,
                                        .step = step,
                                        .body_count = body_count,
                                        .surface = surface,
                                        .vertices = vertices,
                                        .model = model,
                                        .positions = positions,
                                        .frame = frame};

const shl_play shl_play_beams = {
    .name = "beams",
    .summary = "reduced bodies: folded plates of ten modes swing, spin and bend",
    .simulator = &simulator,
    .defaults = {.k = 3, .bodies = 64, .steps = 200, .seed = 1, .arity = 8},
    .takes =
        SHL_TAKES_K | SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_BODIES | SHL_TAKES_SPHERES,
    .reduced = true};
