// SPDX-License-Identifier: MIT
#include "scenes/dynamics.h"

#include "scenes/limit.h"
#include "scenes/touch.h"
#include "scenes/vec.h"

#include <stdlib.h>

shl_dynamics_def shl_dynamics_default(void)
{
    return (shl_dynamics_def){.step = 1.0 / 400,
                              .gravity = 9.81,
                              .damping_ratio = 0.03,
                              .strain_limit = 0.04,
                              .passes = 10,
                              .body = {2e4, 150, 0.45},
                              .floor = {4e5, 1500, 0.45}};
}

shoal_status shl_dynamics_create(const shl_dynamics_def *def, const shl_flex *flex,
                                 uint32_t count, shl_dynamics *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t j = 0; j < flex->mode_count; j++) {
        if (!(flex->modes[j].w * def->step < 3)) // beyond half a period forces act backwards
            return SHOAL_ERR_ARGUMENT;
    }
    const size_t n = count, numbers = n * flex->mode_count + 1;
    *out = (shl_dynamics){.def = *def,
                          .flex = flex,
                          .count = count,
                          .rigid = calloc(n, sizeof *out->rigid),
                          .q = calloc(numbers, sizeof *out->q),
                          .rate = calloc(numbers, sizeof *out->rate),
                          .rotation = calloc(n, 9 * sizeof *out->rotation),
                          .inverse_inertia = calloc(n, 9 * sizeof *out->inverse_inertia),
                          .rate_before = calloc(numbers, sizeof *out->rate_before),
                          .touched = calloc(n, sizeof *out->touched)};
    if (!out->rigid || !out->q || !out->rate || !out->rotation || !out->inverse_inertia ||
        !out->rate_before || !out->touched) {
        shl_dynamics_finish(out);
        return SHOAL_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++)
        out->rigid[i].turn[0] = 1;
    for (uint32_t j = 0; j < flex->mode_count; j++)
        out->oscillators[j] =
            shl_oscillator_of(flex->modes[j].w, def->damping_ratio, def->step);
    return SHOAL_OK;
}

void shl_dynamics_finish(shl_dynamics *d)
{
    free(d->rigid);
    free(d->q);
    free(d->rate);
    free(d->rotation);
    free(d->inverse_inertia);
    free(d->rate_before);
    free(d->touched);
    free(d->touches);
    free(d->limits);
    memset(d, 0, sizeof *d);
}

// Velocities at the end of the step if nothing touched.
static void fly(shl_dynamics *d, uint32_t body)
{
    const uint32_t modes = d->flex->mode_count;
    double *rotation = d->rotation + 9 * (size_t)body;
    shl_quaternion_matrix(d->rigid[body].turn, rotation);
    shl_turn_tensor(rotation, d->flex->inverse_inertia, d->inverse_inertia + 9 * (size_t)body);
    d->rigid[body].velocity[2] -= d->def.step * d->def.gravity;
    d->touched[body] = 0;
    for (uint32_t j = 0; j < modes; j++) {
        const size_t at = (size_t)body * modes + j;
        double q = d->q[at];
        d->rate_before[at] = d->rate[at];
        shl_oscillator_step(&d->oscillators[j], 0, &q, &d->rate[at]);
    }
}

static shl_touch *new_touch(shl_dynamics *d)
{
    if (d->touch_count == d->touch_room) {
        const size_t room = d->touch_room ? 2 * d->touch_room : 256;
        shl_touch *more = realloc(d->touches, room * sizeof *more);
        if (!more)
            return NULL;
        d->touches = more;
        d->touch_room = room;
    }
    return &d->touches[d->touch_count++];
}

// Which vertex of the body is at a place: near there at rest, once the bending is taken back.
static uint32_t vertex_there(const shl_dynamics *d, uint32_t body, const double arm[3])
{
    const double *q = d->q + (size_t)body * d->flex->mode_count;
    double own[3], at[3], undone[3];
    shl_apply_back(d->rotation + 9 * (size_t)body, arm, own);
    const uint32_t first = shl_near_vertex(&d->flex->near, own);
    const double *rest = d->flex->rest.xyz + 3 * (size_t)first;
    shl_flex_vertex(d->flex, first, q, at);
    for (int k = 0; k < 3; k++)
        undone[k] = own[k] - (at[k] - rest[k]);
    return shl_near_vertex(&d->flex->near, undone);
}

static shoal_status touch_bodies(shl_dynamics *d, const shoal_contact *contacts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const shoal_contact *c = &contacts[i];
        shl_touch *t = new_touch(d);
        if (!t)
            return SHOAL_ERR_MEMORY;
        *t =
            (shl_touch){.body = {c->body_a, c->body_b}, .depth = c->depth, .law = &d->def.body};
        memcpy(t->normal, c->normal, sizeof t->normal);
        for (int side = 0; side < 2; side++) {
            memcpy(t->arm[side], c->position, sizeof t->arm[side]);
            shl_add(t->arm[side], -1, d->rigid[t->body[side]].centre);
            t->vertex[side] = vertex_there(d, t->body[side], t->arm[side]);
            d->touched[t->body[side]] = 1;
        }
    }
    return SHOAL_OK;
}

// How far a body's vertices can move down in the step.
static double fall_of(const shl_dynamics *d, uint32_t body)
{
    const shl_rigid *r = &d->rigid[body];
    double bend = 0, speed = -r->velocity[2];
    for (uint32_t j = 0; j < d->flex->mode_count; j++) {
        const size_t at = (size_t)body * d->flex->mode_count + j;
        bend += fabs(d->q[at]) * d->flex->modes[j].reach;
        speed += fabs(d->rate[at]) * d->flex->modes[j].reach;
    }
    speed += sqrt(shl_dot(r->spin, r->spin)) * (d->flex->reach + bend);
    return speed > 0 ? d->def.step * speed : 0;
}

// The lowest vertex of a patch, and its height over the floor.
static double lowest_vertex(const shl_dynamics *d, uint32_t body, uint32_t patch,
                            const double up[3], uint32_t *vertex)
{
    const shl_patch *row = &d->flex->patches.rows[patch];
    const double *q = d->q + (size_t)body * d->flex->mode_count;
    double lowest = INFINITY;
    for (uint32_t i = row->begin; i < row->end; i++) {
        double own[3];
        shl_flex_vertex(d->flex, d->flex->patches.order[i], q, own);
        const double height = d->rigid[body].centre[2] + shl_dot(up, own);
        if (height < lowest) {
            lowest = height;
            *vertex = d->flex->patches.order[i];
        }
    }
    return lowest;
}

// What lies on the floor, or may before the step ends: of each patch the lowest vertex.
static shoal_status touch_floor(shl_dynamics *d, uint32_t body)
{
    const double fall = fall_of(d, body), height = d->rigid[body].centre[2];
    const double *up = d->rotation + 9 * (size_t)body + 6;
    const double *q = d->q + (size_t)body * d->flex->mode_count;
    double reach = d->flex->reach;
    for (uint32_t j = 0; j < d->flex->mode_count; j++)
        reach += fabs(q[j]) * d->flex->modes[j].reach;
    if (height - reach > fall)
        return SHOAL_OK;
    for (uint32_t patch = 0; patch < d->flex->patches.count; patch++) {
        uint32_t vertex = 0;
        if (height + shl_patch_lowest(&d->flex->patches, patch, up, q) > fall)
            continue;
        const double over = lowest_vertex(d, body, patch, up, &vertex);
        if (over > fall)
            continue;
        shl_touch *t = new_touch(d);
        if (!t)
            return SHOAL_ERR_MEMORY;
        *t = (shl_touch){.body = {body, SHL_FLOOR},
                         .vertex = {vertex, 0},
                         .normal = {0, 0, -1},
                         .depth = -over,
                         .law = &d->def.floor};
        double own[3];
        shl_flex_vertex(d->flex, vertex, q, own);
        shl_apply(d->rotation + 9 * (size_t)body, own, t->arm[0]);
        d->touched[body] = 1;
    }
    return SHOAL_OK;
}

// Modes under the forces that gave them their new rates.
static void bend(shl_dynamics *d, uint32_t body)
{
    const uint32_t modes = d->flex->mode_count;
    double *q = d->q + (size_t)body * modes, *rate = d->rate + (size_t)body * modes;
    for (uint32_t j = 0; j < modes; j++) {
        const shl_oscillator *o = &d->oscillators[j];
        double before = d->rate_before[(size_t)body * modes + j], free_q = q[j],
               free_rate = before;
        shl_oscillator_step(o, 0, &free_q, &free_rate);
        shl_oscillator_step(o, (rate[j] - free_rate) / o->gain, &q[j], &before);
    }
}

// The frame moves on. Angular momentum is what a free spin keeps; the axis about which the body
// turns is taken from the middle of the step.
static void move(shl_dynamics *d, uint32_t body)
{
    shl_rigid *r = &d->rigid[body];
    const double h = d->def.step, *rotation = d->rotation + 9 * (size_t)body;
    shl_add(r->centre, h, r->velocity);
    if (!d->touched[body]) // a parabola; contacts on the other hand want the end's velocity
        r->centre[2] += 0.5 * h * h * d->def.gravity;
    double inertia[9], inverse[9], momentum[3], half[4], mid[9], by[3];
    shl_turn_tensor(rotation, d->flex->inertia, inertia);
    shl_apply(inertia, r->spin, momentum);
    for (int k = 0; k < 3; k++)
        by[k] = 0.5 * h * r->spin[k];
    memcpy(half, r->turn, sizeof half);
    shl_turn_further(half, by);
    shl_quaternion_matrix(half, mid);
    shl_turn_tensor(mid, d->flex->inverse_inertia, inverse);
    shl_apply(inverse, momentum, r->spin);
    for (int k = 0; k < 3; k++)
        by[k] = h * r->spin[k];
    shl_turn_further(r->turn, by);
    shl_quaternion_matrix(r->turn, mid);
    shl_turn_tensor(mid, d->flex->inverse_inertia, inverse);
    shl_apply(inverse, momentum, r->spin);
}

shoal_status shl_dynamics_step(shl_dynamics *d, const shoal_contact *contacts,
                               size_t contact_count)
{
    for (uint32_t i = 0; i < d->count; i++)
        fly(d, i);
    d->touch_count = d->limit_count = 0;
    shoal_status st = touch_bodies(d, contacts, contact_count);
    for (uint32_t i = 0; i < d->count && st == SHOAL_OK; i++)
        st = touch_floor(d, i);
    for (uint32_t i = 0; i < d->count && st == SHOAL_OK; i++)
        st = shl_limits_find(d, i);
    if (st != SHOAL_OK)
        return st;
    for (size_t i = 0; i < d->touch_count; i++)
        shl_touch_ready(d, &d->touches[i]);
    for (uint32_t pass = 0; pass < d->def.passes; pass++) {
        for (size_t i = 0; i < d->touch_count; i++)
            shl_touch_solve(d, &d->touches[i]);
        for (size_t i = 0; i < d->limit_count; i++)
            shl_limit_solve(d, &d->limits[i]);
    }
    for (uint32_t i = 0; i < d->count; i++) {
        bend(d, i);
        move(d, i);
    }
    return SHOAL_OK;
}

static double mode_energy(const shl_dynamics *d, uint32_t body, const double *numbers,
                          bool square)
{
    double sum = 0;
    for (uint32_t j = 0; j < d->flex->mode_count; j++) {
        const double x = numbers[(size_t)body * d->flex->mode_count + j];
        sum += 0.5 * d->flex->modes[j].mass * (square ? d->oscillators[j].square : 1) * x * x;
    }
    return sum;
}

static double floor_depth(const shl_dynamics *d, uint32_t body, const double rotation[9])
{
    const double *q = d->q + (size_t)body * d->flex->mode_count, *up = rotation + 6;
    const double height = d->rigid[body].centre[2];
    double depth = 0;
    for (uint32_t patch = 0; patch < d->flex->patches.count; patch++) {
        uint32_t vertex;
        if (height + shl_patch_lowest(&d->flex->patches, patch, up, q) < -depth)
            depth = fmax(depth, -lowest_vertex(d, body, patch, up, &vertex));
    }
    return depth;
}

shl_dynamics_report shl_dynamics_look(const shl_dynamics *d)
{
    shl_dynamics_report out = {0};
    for (uint32_t i = 0; i < d->count; i++) {
        const shl_rigid *r = &d->rigid[i];
        double rotation[9], inertia[9], momentum[3];
        shl_quaternion_matrix(r->turn, rotation);
        shl_turn_tensor(rotation, d->flex->inertia, inertia);
        shl_apply(inertia, r->spin, momentum);
        const double kinetic = 0.5 * d->flex->mass * shl_dot(r->velocity, r->velocity) +
                               0.5 * shl_dot(r->spin, momentum) +
                               mode_energy(d, i, d->rate, false);
        out.kinetic += kinetic;
        out.potential += d->flex->mass * d->def.gravity * r->centre[2];
        out.elastic += mode_energy(d, i, d->q, true);
        out.mean_speed += sqrt(2 * kinetic / d->flex->mass) / d->count;
        out.floor_depth = fmax(out.floor_depth, floor_depth(d, i, rotation));
    }
    return out;
}

void shl_dynamics_vertex(const shl_dynamics *d, uint32_t body, uint32_t vertex, double out[3])
{
    double own[3], rotation[9];
    shl_flex_vertex(d->flex, vertex, d->q + (size_t)body * d->flex->mode_count, own);
    shl_quaternion_matrix(d->rigid[body].turn, rotation);
    shl_apply(rotation, own, out);
    shl_add(out, 1, d->rigid[body].centre);
}
