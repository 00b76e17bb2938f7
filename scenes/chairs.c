// SPDX-License-Identifier: MIT
#include "scenes/chairs.h"

#include "scenes/chair.h"
#include "scenes/turn.h"
#include "scenes/vec.h"

#include <shoal/reduced.h>

#include <stdlib.h>

static const double mass = 2.2;     // kilograms
static const double spacing = 1.15; // of the lattice, metres: chairs do not touch at first
static const double first_layer = 0.8, jitter = 0.04;

struct shl_chairs {
    shoal_scene *scene;
    shoal_model *model;
    shl_flex flex;
    shl_dynamics dynamics;
    uint32_t count;
    uint32_t steps;  // of time, so far
    shoal_body *ids; // [count]
    double *state;   // [12 + fields][count] rotation, translation, q
};

// Layers of a square lattice, wider than high, each chair turned and spinning at random.
static void place(shl_chairs *c, uint64_t seed)
{
    uint32_t layers = 1;
    while (4 * (uint64_t)layers * layers * layers < c->count)
        layers++;
    uint32_t side = 1;
    while ((uint64_t)side * side * layers < c->count)
        side++;
    for (uint32_t i = 0; i < c->count; i++) {
        shl_rigid *r = &c->dynamics.rigid[i];
        const double cell[3] = {i % side - 0.5 * (side - 1), i / side % side - 0.5 * (side - 1),
                                i / side / side};
        double axis[3];
        for (int k = 0; k < 3; k++) {
            r->centre[k] = spacing * cell[k] + jitter * shl_random_signed(&seed);
            r->velocity[k] = 0.3 * shl_random_signed(&seed);
            r->spin[k] = 1.5 * shl_random_signed(&seed);
        }
        r->centre[2] += first_layer;
        shl_random_axis(&seed, axis);
        const double angle = 3.0 * shl_random_signed(&seed);
        const double by[3] = {angle * axis[0], angle * axis[1], angle * axis[2]};
        shl_turn_further(r->turn, by);
    }
}

static shoal_status hand_over(shl_chairs *c)
{
    const size_t n = c->count;
    const uint32_t modes = c->flex.mode_count;
    for (size_t i = 0; i < n; i++) {
        double rotation[9];
        shl_quaternion_matrix(c->dynamics.rigid[i].turn, rotation);
        for (size_t e = 0; e < 9; e++)
            c->state[e * n + i] = rotation[e];
        for (size_t k = 0; k < 3; k++)
            c->state[(9 + k) * n + i] = c->dynamics.rigid[i].centre[k];
        for (size_t j = 0; j < modes; j++)
            c->state[(12 + j) * n + i] = c->dynamics.q[i * modes + j];
    }
    const shoal_reduced_state all = {.bodies = c->ids,
                                     .count = c->count,
                                     .stride = n,
                                     .rotation = c->state,
                                     .translation = c->state + 9 * n,
                                     .q = c->state + 12 * n,
                                     .field_count = modes};
    return shoal_scene_set_reduced(c->scene, &all);
}

shoal_status shl_chairs_step(shl_chairs *c, uint32_t step)
{
    if (step > 1) {
        const shoal_results found = shoal_scene_results(c->scene);
        const shoal_status st =
            shl_dynamics_step(&c->dynamics, found.contacts, found.contact_count);
        if (st != SHOAL_OK)
            return st;
        c->steps++;
    }
    return hand_over(c);
}

size_t shl_chairs_save(const shl_chairs *c, void *to)
{
    const shl_dynamics *d = &c->dynamics;
    const size_t bodies = c->count * sizeof *d->rigid;
    const size_t modes = c->count * c->flex.mode_count * sizeof *d->q;
    if (to) {
        memcpy(to, d->rigid, bodies);
        memcpy((char *)to + bodies, d->q, modes);
        memcpy((char *)to + bodies + modes, d->rate, modes);
    }
    return bodies + 2 * modes;
}

shoal_status shl_chairs_restore(shl_chairs *c, uint32_t step, const void *state, size_t size)
{
    const shl_dynamics *d = &c->dynamics;
    const size_t bodies = c->count * sizeof *d->rigid;
    const size_t modes = c->count * c->flex.mode_count * sizeof *d->q;
    if (size != bodies + 2 * modes || step == 0)
        return SHOAL_ERR_ARGUMENT;
    memcpy(d->rigid, state, bodies);
    memcpy(d->q, (const char *)state + bodies, modes);
    memcpy(d->rate, (const char *)state + bodies + modes, modes);
    c->steps = step - 1;
    return hand_over(c);
}

static shoal_status make_model(shl_chairs *c, const shl_surface *chair, const float *fields,
                               int32_t level, shoal_context *ctx)
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = chair->triangles;
    def.triangle_count = chair->triangle_count;
    def.rest = shoal_positions_f64(chair->xyz, chair->vertex_count);
    def.reducible = true;
    def.fields = fields;
    def.field_count = SHL_CHAIR_FIELDS;
    def.proxy_level = level;
    return shoal_model_create(ctx, &def, &c->model);
}

static shoal_status make_chairs(shl_chairs *c, int32_t level, shoal_context *ctx)
{
    shl_surface chair;
    double *shares = NULL;
    float *fields = NULL;
    shoal_status st = shl_mesh_chair(&chair);
    if (st == SHOAL_OK)
        st = shl_vertex_shares(&chair, &shares);
    if (st == SHOAL_OK) {
        shl_centre(&chair, shares);
        st = shl_chair_fields(&chair, shares, &fields);
    }
    if (st == SHOAL_OK)
        st = make_model(c, &chair, fields, level, ctx);
    if (st == SHOAL_OK)
        st = shl_flex_create(&chair, shares, mass, fields, shl_chair_hertz, SHL_CHAIR_FIELDS,
                             &c->flex);
    shl_surface_finish(&chair);
    free(shares);
    free(fields);
    const shl_dynamics_def def = shl_dynamics_default();
    if (st == SHOAL_OK)
        st = shl_dynamics_create(&def, &c->flex, c->count, &c->dynamics);
    for (uint32_t i = 0; i < c->count && st == SHOAL_OK; i++)
        st = shoal_scene_add_reduced(c->scene, c->model, &c->ids[i]);
    return st;
}

shoal_status shl_chairs_create(const shl_chairs_def *def, shoal_context *ctx,
                               shoal_scene *scene, shl_chairs **out)
{
    *out = NULL;
    shl_chairs *c = calloc(1, sizeof *c);
    if (!c)
        return SHOAL_ERR_MEMORY;
    c->scene = scene;
    const uint32_t count = c->count = def->count;
    c->ids = calloc(count, sizeof *c->ids);
    c->state = calloc((size_t)count * (12 + SHL_CHAIR_FIELDS), sizeof *c->state);
    const shoal_status st =
        c->ids && c->state ? make_chairs(c, def->proxy_level, ctx) : SHOAL_ERR_MEMORY;
    if (st != SHOAL_OK) {
        shl_chairs_destroy(c);
        return st;
    }
    place(c, def->seed);
    *out = c;
    return SHOAL_OK;
}

void shl_chairs_destroy(shl_chairs *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; c->ids && i < c->count; i++) {
        if (c->ids[i].index1 && shoal_scene_remove(c->scene, c->ids[i]) != SHOAL_OK)
            continue; // already gone
    }
    shoal_model_destroy(c->model);
    shl_dynamics_finish(&c->dynamics);
    shl_flex_finish(&c->flex);
    free(c->ids);
    free(c->state);
    free(c);
}

double shl_chairs_time(const shl_chairs *c)
{
    return c->steps * c->dynamics.def.step;
}

shoal_model *shl_chairs_model(const shl_chairs *c)
{
    return c->model;
}

const shl_dynamics *shl_chairs_dynamics(const shl_chairs *c)
{
    return &c->dynamics;
}

const double *shl_chairs_state(const shl_chairs *c, size_t *bytes)
{
    *bytes = (size_t)c->count * (12 + SHL_CHAIR_FIELDS) * sizeof(double);
    return c->state;
}

shl_frame shl_chairs_frame(const shl_chairs *c, uint32_t body)
{
    shl_frame out;
    memcpy(out.centre, c->dynamics.rigid[body].centre, sizeof out.centre);
    shl_quaternion_matrix(c->dynamics.rigid[body].turn, out.rotation);
    return out;
}
