// SPDX-License-Identifier: MIT
#include "scenes/plays/elastic_scene.h"

#include "scenes/math/vec.h"

#include <stdlib.h>

void shl_elastic_scene_destroy(void *state)
{
    shl_elastic_scene *s = state;
    if (!s)
        return;
    shl_elastic_finish(&s->soft);
    free(s);
}

shoal_status shl_elastic_scene_create(const shl_play *play, const shl_scene_params *params,
                                      shoal_context *ctx, shoal_scene *scene, void **out)
{
    *out = NULL;
    shl_surface surface;
    shl_elastic_scene *s = calloc(1, sizeof *s);
    if (!s)
        return SHOAL_ERR_MEMORY;
    s->params = *params;
    s->driver = play->kind;
    shl_elastic_def def = {
        .controls = params->controls, .bodies = params->bodies, .seed = params->seed};
    s->driver->define(params, &def);
    shoal_status st = s->driver->mesh(params->vertices, &surface);
    if (st == SHOAL_OK)
        st = shl_elastic_create(&def, &surface, ctx, scene, &s->soft);
    if (st != SHOAL_OK) {
        free(s);
        return st;
    }
    if (s->driver->begin)
        s->driver->begin(s);
    *out = s;
    return SHOAL_OK;
}

shoal_status shl_elastic_scene_step(void *state, uint32_t step)
{
    shl_elastic_scene *s = state;
    if (s->driver->pose)
        s->steps = step - 1;
    else if (step > 1)
        s->steps++;
    const double time = s->steps * s->soft.def.step;
    if (s->driver->pose) {
        s->driver->pose(s, time);
        return shl_elastic_set_states(&s->soft);
    }
    if (step > 1) {
        const shoal_pairs found = shoal_scene_pairs(s->soft.scene);
        s->driver->drive(s, time);
        shl_elastic_step(&s->soft, found.rows, found.count);
    }
    return shl_elastic_hand_over(&s->soft);
}

static uint32_t body_count(const void *state)
{
    return ((const shl_elastic_scene *)state)->soft.def.bodies;
}

static const shl_surface *surface(const void *state, uint32_t body)
{
    const shl_elastic *s = &((const shl_elastic_scene *)state)->soft;
    return body < s->def.bodies ? &s->surface : NULL;
}

static void vertices(const void *state, uint32_t body, double *xyz)
{
    const shl_elastic *s = &((const shl_elastic_scene *)state)->soft;
    for (uint32_t v = 0; v < s->surface.vertex_count; v++)
        shl_elastic_vertex(s, body, v, xyz + 3 * (size_t)v);
}

static bool measure(const void *state, shl_motion_report *out)
{
    const shl_elastic_scene *s = state;
    const shl_elastic_report r = shl_elastic_measure(&s->soft);
    *out = (shl_motion_report){.time = s->steps * s->soft.def.step,
                               .kinetic = r.kinetic,
                               .energy = r.kinetic + r.elastic,
                               .mean_speed = r.mean_speed,
                               .skinned = true,
                               .most_speed = r.most_speed,
                               .strain = r.longest_strain};
    return true;
}

// Places, velocities and turns of all control points, and the elastic energy.
static size_t save(const void *state, void *to)
{
    const shl_elastic *s = &((const shl_elastic_scene *)state)->soft;
    const size_t rows = (size_t)s->def.bodies * s->all;
    if (to) {
        double *out = to;
        memcpy(out, s->y, 3 * rows * sizeof *out);
        memcpy(out + 3 * rows, s->v, 3 * rows * sizeof *out);
        memcpy(out + 6 * rows, s->turn, 4 * rows * sizeof *out);
        out[10 * rows] = s->elastic;
    }
    return (10 * rows + 1) * sizeof(double);
}

static shoal_status restore(void *state, uint32_t step, const void *from, size_t size)
{
    shl_elastic_scene *scene = state;
    shl_elastic *s = &scene->soft;
    const size_t rows = (size_t)s->def.bodies * s->all;
    if (size != save(state, NULL) || step == 0)
        return SHOAL_ERR_ARGUMENT;
    const double *in = from;
    memcpy(s->y, in, 3 * rows * sizeof *in);
    memcpy(s->v, in + 3 * rows, 3 * rows * sizeof *in);
    memcpy(s->turn, in + 6 * rows, 4 * rows * sizeof *in);
    s->elastic = in[10 * rows];
    scene->steps = step - 1;
    return shl_elastic_hand_over(s);
}

const shl_simulator shl_elastic_simulator = {.create = shl_elastic_scene_create,
                                             .destroy = shl_elastic_scene_destroy,
                                             .step = shl_elastic_scene_step,
                                             .body_count = body_count,
                                             .surface = surface,
                                             .vertices = vertices,
                                             .measure = measure,
                                             .save = save,
                                             .restore = restore};

const shl_simulator shl_posed_simulator = {.create = shl_elastic_scene_create,
                                           .destroy = shl_elastic_scene_destroy,
                                           .step = shl_elastic_scene_step,
                                           .body_count = body_count,
                                           .surface = surface,
                                           .vertices = vertices};
