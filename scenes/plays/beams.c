// SPDX-License-Identifier: MIT
#include "scenes/plays/beams.h"
#include "scenes/math/turn.h"
#include "scenes/models/modal_plate.h"

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
    uint32_t side = 1;
    while ((uint64_t)side * side * side < b->def.bodies)
        side++;
    uint64_t state = b->def.seed;
    for (uint32_t i = 0; i < b->def.bodies; i++) {
        beam *p = &b->beams[i];
        const uint32_t cell[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; k++) {
            p->centre[k] = b->def.spacing * (cell[k] - 0.5 * (side - 1));
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
    const shoal_reduced_state all = {.bodies = b->ids,
                                     .count = n,
                                     .stride = n,
                                     .rotation = b->state,
                                     .translation = b->state + 9 * (size_t)n,
                                     .q = b->state + 12 * (size_t)n,
                                     .field_count = b->def.fields};
    return shoal_scene_set_reduced(b->scene, &all);
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
    for (uint32_t i = 0; b->ids && i < b->def.bodies; i++) {
        if (b->ids[i].index1 && shoal_scene_remove(b->scene, b->ids[i]) != SHOAL_OK)
            continue; // already gone
    }
    shoal_model_destroy(b->model);
    shl_surface_finish(&b->plate);
    free(b->fields);
    free(b->beams);
    free(b->ids);
    free(b->state);
    free(b);
}

uint32_t shl_beams_body_count(const shl_beams *b)
{
    return b->def.bodies;
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

shl_frame shl_beams_frame(const shl_beams *b, uint32_t body)
{
    shl_frame out;
    const double *from = b->state + body;
    for (size_t e = 0; e < 9; e++)
        out.rotation[e] = from[e * b->def.bodies];
    for (size_t k = 0; k < 3; k++)
        out.centre[k] = from[(9 + k) * b->def.bodies];
    return out;
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
