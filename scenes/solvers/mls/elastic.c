// SPDX-License-Identifier: MIT
#include "scenes/solvers/mls/elastic.h"

#include "scenes/math/vec.h"
#include "scenes/plays/bodies.h"

#include <stdlib.h>

static size_t first_control(const shl_elastic *s, uint32_t body)
{
    return (size_t)body * s->all;
}

// The unit quaternion of a rotation, from its largest component.
static void quaternion_of(const double r[9], double out[4])
{
    // four times the squares of w, x, y and z
    const double square[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8],
                              1 - r[0] + r[4] - r[8], 1 - r[0] - r[4] + r[8]};
    const double mixed[4][4] = {{0, r[7] - r[5], r[2] - r[6], r[3] - r[1]},
                                {r[7] - r[5], 0, r[1] + r[3], r[2] + r[6]},
                                {r[2] - r[6], r[1] + r[3], 0, r[5] + r[7]},
                                {r[3] - r[1], r[2] + r[6], r[5] + r[7], 0}};
    int top = 0;
    for (int i = 1; i < 4; i++)
        top = square[i] > square[top] ? i : top;
    const double twice = sqrt(square[top]);
    for (int i = 0; i < 4; i++)
        out[i] = i == top ? 0.5 * twice : 0.5 * mixed[top][i] / twice;
}

void shl_elastic_place(shl_elastic *s, uint32_t body, const double rotation[9],
                       const double at[3], const double velocity[3])
{
    for (size_t i = 0; i < s->all; i++) {
        const size_t row = first_control(s, body) + i;
        shl_apply(rotation, s->mls.rest + 3 * i, s->y + 3 * row);
        shl_add(s->y + 3 * row, 1, at);
        memcpy(s->v + 3 * row, velocity, 3 * sizeof *s->v);
        quaternion_of(rotation, s->turn + 4 * row);
    }
}

// One of `parts` equal steps of a body: new velocities from the forces here, then new places.
static double move(shl_elastic *s, uint32_t body, double h, uint32_t part, uint32_t parts)
{
    const size_t first = first_control(s, body);
    double *y = s->y + 3 * first, *v = s->v + 3 * first;
    memcpy(s->force, s->load + 3 * first, 3 * (size_t)s->all * sizeof *s->force);
    const double energy =
        shl_mls_forces(&s->mls, y, v, s->couple + 9 * first, s->turn + 4 * first, s->force);
    const double keep = fmax(0, 1 - s->def.drag * h);
    for (size_t i = 0; i < s->all; i++) {
        for (size_t k = 0; k < 3; k++) {
            const size_t at = 3 * i + k;
            if (s->tied[first + i]) {
                v[at] = (s->target[3 * first + at] - y[at]) / (h * (parts - part));
            } else {
                v[at] = keep * v[at] +
                        h * (s->push[3 * first + at] + s->force[at] / s->mls.mass[i]);
            }
            y[at] += h * v[at];
        }
    }
    return energy;
}

void shl_elastic_step(shl_elastic *s, const shoal_pair *pairs, size_t count)
{
    shl_elastic_contacts(s, pairs, count);
    const uint32_t parts = (uint32_t)ceil(s->def.step / s->mls.longest_step);
    s->elastic = 0;
    for (uint32_t body = 0; body < s->def.bodies; body++) {
        double energy = 0;
        for (uint32_t part = 0; part < parts; part++)
            energy = move(s, body, s->def.step / parts, part, parts);
        s->elastic += energy;
    }
}

shoal_status shl_elastic_hand_over(shl_elastic *s)
{
    for (uint32_t body = 0; body < s->def.bodies; body++) {
        const size_t first = first_control(s, body);
        shl_mls_gradients(&s->mls, s->y + 3 * first, s->gradient + 9 * first);
    }
    return shl_elastic_set_states(s);
}

shoal_status shl_elastic_set_states(shl_elastic *s)
{
    const uint32_t n = s->controls.count;
    const size_t rows = (size_t)s->def.bodies * n;
    for (uint32_t body = 0; body < s->def.bodies; body++) {
        const size_t first = first_control(s, body);
        for (size_t i = 0; i < n; i++) {
            const double *g = s->gradient + 9 * (first + i);
            double *to = s->state + (size_t)body * n + i;
            for (size_t k = 0; k < 3; k++)
                to[k * rows] = s->y[3 * (first + i) + k] - s->mls.rest[3 * i + k];
            for (size_t e = 0; e < 9; e++)
                to[(3 + e) * rows] = g[e] - (e % 4 == 0);
        }
    }
    const shoal_skinned_state all = {.bodies = s->ids,
                                     .count = s->def.bodies,
                                     .row_count = rows,
                                     .stride = rows,
                                     .u = s->state,
                                     .J = s->state + 3 * rows};
    return shoal_scene_set_skinned(s->scene, &all);
}

void shl_elastic_vertex(const shl_elastic *s, uint32_t body, uint32_t vertex, double out[3])
{
    const double *rest = s->surface.xyz + 3 * (size_t)vertex;
    const size_t first = first_control(s, body);
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t e = s->controls.weight_begin[vertex];
         e < s->controls.weight_begin[vertex + 1]; e++) {
        const size_t j = s->controls.weight_control[e];
        double from[3], moved[3];
        for (size_t k = 0; k < 3; k++)
            from[k] = rest[k] - s->mls.rest[3 * j + k];
        shl_apply(s->gradient + 9 * (first + j), from, moved);
        shl_add(moved, 1, s->y + 3 * (first + j));
        shl_add(out, (double)s->controls.weight[e], moved);
    }
}

shl_elastic_report shl_elastic_measure(const shl_elastic *s)
{
    shl_elastic_report out = {.elastic = s->elastic};
    const size_t rows = (size_t)s->def.bodies * s->all;
    for (size_t row = 0; row < rows; row++) {
        const double mass = s->mls.mass[row % s->all], *v = s->v + 3 * row;
        const double square = shl_dot(v, v), *g = s->gradient + 9 * row;
        double spin[3], longest = 0;
        out.kinetic += 0.5 * mass * square;
        out.mean_speed += sqrt(square) / (double)rows;
        out.most_speed = fmax(out.most_speed, sqrt(square));
        shl_add(out.momentum, mass, v);
        shl_cross(s->y + 3 * row, v, spin);
        shl_add(out.spin, mass, spin);
        for (int k = 0; k < 3; k++)
            longest = fmax(longest, g[k] * g[k] + g[3 + k] * g[3 + k] + g[6 + k] * g[6 + k]);
        out.longest_strain = fmax(out.longest_strain, sqrt(longest) - 1);
    }
    return out;
}

static shoal_status make_model(shl_elastic *s, shoal_context *ctx)
{
    shoal_skinned_def skinned = shoal_skinned_def_default();
    skinned.control_count = s->controls.count;
    skinned.controls = s->controls.xyz;
    skinned.weight_begin = s->controls.weight_begin;
    skinned.weight_control = s->controls.weight_control;
    skinned.weight = s->controls.weight;
    skinned.weight_count = s->controls.weight_begin[s->surface.vertex_count];
    shoal_model_def def = shoal_model_def_default();
    def.triangles = s->surface.triangles;
    def.triangle_count = s->surface.triangle_count;
    def.rest = shoal_positions_f64(s->surface.xyz, s->surface.vertex_count);
    def.skinned = &skinned;
    return shoal_model_create(ctx, &def, &s->model);
}

static bool reserve(shl_elastic *s)
{
    const size_t bodies = s->def.bodies, rows = bodies * s->all;
    s->ids = calloc(bodies, sizeof *s->ids);
    s->y = calloc(rows, 3 * sizeof *s->y);
    s->v = calloc(rows, 3 * sizeof *s->v);
    s->turn = calloc(rows, 4 * sizeof *s->turn);
    s->push = calloc(rows, 3 * sizeof *s->push);
    s->tied = calloc(rows, sizeof *s->tied);
    s->target = calloc(rows, 3 * sizeof *s->target);
    s->load = calloc(rows, 3 * sizeof *s->load);
    s->couple = calloc(rows, 9 * sizeof *s->couple);
    s->gradient = calloc(rows, 9 * sizeof *s->gradient);
    s->force = calloc(s->all, 3 * sizeof *s->force);
    s->state = calloc(bodies * s->controls.count, 12 * sizeof *s->state);
    return s->ids && s->y && s->v && s->turn && s->push && s->tied && s->target && s->load &&
           s->couple && s->gradient && s->force && s->state;
}

shoal_status shl_elastic_create(const shl_elastic_def *def, shl_surface *surface,
                                shoal_context *ctx, shoal_scene *scene, shl_elastic *s)
{
    *s = (shl_elastic){.def = *def, .surface = *surface, .scene = scene};
    memset(surface, 0, sizeof *surface);
    const shoal_mesh mesh = {.xyz = s->surface.xyz,
                             .triangles = s->surface.triangles,
                             .vertex_count = s->surface.vertex_count,
                             .triangle_count = s->surface.triangle_count};
    shl_volume_error error;
    shoal_status st =
        shl_controls_create(&mesh, def->controls, def->seed, &s->controls, &error);
    if (st == SHOAL_OK) {
        s->all = s->controls.count + s->controls.core;
        shl_mls_def mls = def->mls;
        mls.nodes = s->controls.xyz;
        mls.volume = s->controls.volume;
        mls.count = s->all;
        st = shl_mls_create(&mls, &s->mls);
    }
    if (st == SHOAL_OK)
        st = reserve(s) ? make_model(s, ctx) : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < def->bodies && st == SHOAL_OK; i++)
        st = shoal_scene_add_skinned(scene, s->model, &s->ids[i]);
    if (st != SHOAL_OK) {
        shl_elastic_finish(s);
        return st;
    }
    const double upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0};
    for (uint32_t i = 0; i < def->bodies; i++)
        shl_elastic_place(s, i, upright, zero, zero);
    return SHOAL_OK;
}

void shl_elastic_finish(shl_elastic *s)
{
    shl_bodies_remove(s->scene, s->ids, s->def.bodies);
    shoal_model_destroy(s->model);
    shl_mls_finish(&s->mls);
    shl_controls_finish(&s->controls);
    shl_surface_finish(&s->surface);
    free(s->ids);
    free(s->y);
    free(s->v);
    free(s->turn);
    free(s->push);
    free(s->tied);
    free(s->target);
    free(s->load);
    free(s->couple);
    free(s->gradient);
    free(s->force);
    free(s->state);
    memset(s, 0, sizeof *s);
}
