// SPDX-License-Identifier: MIT
#include "scenes/solvers/modal/dynamics.h"

#include "scenes/math/vec.h"
#include "scenes/solvers/modal/contact.h"
#include "scenes/solvers/particles/limit.h"

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

// A mode's force acts backwards beyond half a period.
static bool steps_are_short(const shl_dynamics_def *def, const shl_flex *flex)
{
    for (uint32_t j = 0; j < flex->mode_count; j++) {
        if (!(flex->modes[j].w * def->step < 3))
            return false;
    }
    return true;
}

shoal_status shl_dynamics_create_crowds(const shl_dynamics_def *def, const shl_crowd *crowds,
                                        uint32_t count, shl_dynamics *out)
{
    *out = (shl_dynamics){.def = *def, .crowd_count = count};
    out->crowds = calloc(count, sizeof *out->crowds);
    for (uint32_t c = 0; out->crowds && c < count; c++) {
        const shl_flex *flex = crowds[c].flex;
        if (!flex)
            continue;
        if (!steps_are_short(def, flex)) {
            shl_dynamics_finish(out);
            return SHOAL_ERR_ARGUMENT;
        }
        out->crowds[c] = (shl_crowd){.flex = flex, .count = crowds[c].count};
        out->count += crowds[c].count;
        out->numbers = flex->mode_count > out->numbers ? flex->mode_count : out->numbers;
        for (uint32_t j = 0; j < flex->mode_count; j++)
            out->crowds[c].oscillators[j] =
                shl_oscillator_of(flex->modes[j].w, def->damping_ratio, def->step);
    }
    const size_t n = out->count, numbers = n * out->numbers + 1;
    out->kind = calloc(n + 1, sizeof *out->kind);
    out->rigid = calloc(n, sizeof *out->rigid);
    out->q = calloc(numbers, sizeof *out->q);
    out->rate = calloc(numbers, sizeof *out->rate);
    out->target = calloc(numbers, sizeof *out->target);
    out->rotation = calloc(n, 9 * sizeof *out->rotation);
    out->inverse_inertia = calloc(n, 9 * sizeof *out->inverse_inertia);
    out->rate_before = calloc(numbers, sizeof *out->rate_before);
    out->touched = calloc(n, sizeof *out->touched);
    if (!out->crowds || !out->kind || !out->rigid || !out->q || !out->rate || !out->target ||
        !out->rotation || !out->inverse_inertia || !out->rate_before || !out->touched) {
        shl_dynamics_finish(out);
        return SHOAL_ERR_MEMORY;
    }
    for (uint32_t c = 0, i = 0; c < count; c++) {
        for (const uint32_t end = i + out->crowds[c].count; i < end; i++) {
            out->kind[i] = c;
            out->rigid[i].turn[0] = 1;
        }
    }
    return SHOAL_OK;
}

shoal_status shl_dynamics_create(const shl_dynamics_def *def, const shl_flex *flex,
                                 uint32_t count, shl_dynamics *out)
{
    const shl_crowd crowd = {.flex = flex, .count = count};
    return shl_dynamics_create_crowds(def, &crowd, 1, out);
}

void shl_dynamics_finish(shl_dynamics *d)
{
    free(d->crowds);
    free(d->kind);
    free(d->rigid);
    free(d->q);
    free(d->rate);
    free(d->target);
    free(d->rotation);
    free(d->inverse_inertia);
    free(d->rate_before);
    free(d->touched);
    free(d->contacts);
    free(d->limits);
    memset(d, 0, sizeof *d);
}

// The force that would hold a mode where it rests.
static double pull(const shl_dynamics *d, const shl_oscillator *o, size_t number)
{
    return o->square * d->target[number];
}

// Velocities at the end of the step if nothing touched.
static void fly(shl_dynamics *d, uint32_t body)
{
    const shl_crowd *c = shl_crowd_of(d, body);
    double *rotation = d->rotation + 9 * (size_t)body;
    shl_quaternion_matrix(d->rigid[body].turn, rotation);
    shl_turn_tensor(rotation, c->flex->inverse_inertia, d->inverse_inertia + 9 * (size_t)body);
    if (!c->flex->fixed)
        d->rigid[body].velocity[2] -= d->def.step * d->def.gravity;
    d->touched[body] = 0;
    for (uint32_t j = 0; j < c->flex->mode_count; j++) {
        const size_t at = (size_t)body * d->numbers + j;
        double q = d->q[at];
        d->rate_before[at] = d->rate[at];
        shl_oscillator_step(&c->oscillators[j], pull(d, &c->oscillators[j], at), &q,
                            &d->rate[at]);
    }
}

static shl_modal_contact *new_contact(shl_dynamics *d)
{
    if (d->contact_count == d->contact_capacity) {
        const size_t capacity = d->contact_capacity ? 2 * d->contact_capacity : 256;
        shl_modal_contact *more = realloc(d->contacts, capacity * sizeof *more);
        if (!more)
            return NULL;
        d->contacts = more;
        d->contact_capacity = capacity;
    }
    return &d->contacts[d->contact_count++];
}

// Which vertex of the body is at a place: near there at rest, once the bending is taken back.
static uint32_t vertex_there(const shl_dynamics *d, uint32_t body, const double arm[3])
{
    const shl_flex *flex = shl_flex_of(d, body);
    const double *q = d->q + (size_t)body * d->numbers;
    double own[3], at[3], undone[3];
    shl_apply_back(d->rotation + 9 * (size_t)body, arm, own);
    const uint32_t first = shl_nearest_vertex(&flex->near, own);
    const double *rest = flex->rest.xyz + 3 * (size_t)first;
    shl_flex_vertex(flex, first, q, at);
    for (int k = 0; k < 3; k++)
        undone[k] = own[k] - (at[k] - rest[k]);
    return shl_nearest_vertex(&flex->near, undone);
}

static shoal_status touch_bodies(shl_dynamics *d, const shoal_sphere_contact *contacts,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const shoal_sphere_contact *c = &contacts[i];
        const bool fixed = shl_flex_of(d, c->body_a)->fixed || shl_flex_of(d, c->body_b)->fixed;
        if (shl_flex_of(d, c->body_a)->fixed && shl_flex_of(d, c->body_b)->fixed)
            continue; // nothing can give way
        shl_modal_contact *t = new_contact(d);
        if (!t)
            return SHOAL_ERR_MEMORY;
        *t = (shl_modal_contact){.body = {c->body_a, c->body_b},
                                 .depth = c->depth,
                                 .law = fixed ? &d->def.floor : &d->def.body};
        memcpy(t->normal, c->normal, sizeof t->normal);
        for (int side = 0; side < 2; side++) {
            memcpy(t->arm[side], c->position, sizeof t->arm[side]);
            shl_add(t->arm[side], -1, d->rigid[t->body[side]].centre);
            const shl_flex *flex = shl_flex_of(d, t->body[side]);
            t->vertex[side] = flex->mode_count == 0 ? 0
                              : flex->fixed // modes hardly differ from corner to corner
                                  ? flex->rest.triangles[3 * (size_t)c->element_b]
                                  : vertex_there(d, t->body[side], t->arm[side]);
            d->touched[t->body[side]] = 1;
        }
    }
    return SHOAL_OK;
}

// How far a body's vertices can move down in the step.
static double fall_of(const shl_dynamics *d, uint32_t body)
{
    const shl_rigid *r = &d->rigid[body];
    const shl_flex *flex = shl_flex_of(d, body);
    double bend = 0, speed = -r->velocity[2];
    for (uint32_t j = 0; j < flex->mode_count; j++) {
        const size_t at = (size_t)body * d->numbers + j;
        bend += fabs(d->q[at]) * flex->modes[j].reach;
        speed += fabs(d->rate[at]) * flex->modes[j].reach;
    }
    speed += sqrt(shl_dot(r->spin, r->spin)) * (flex->reach + bend);
    return speed > 0 ? d->def.step * speed : 0;
}

// The lowest vertex of a patch, and its height over the floor.
static double lowest_vertex(const shl_dynamics *d, uint32_t body, uint32_t patch,
                            const double up[3], uint32_t *vertex)
{
    const shl_flex *flex = shl_flex_of(d, body);
    const shl_patch *row = &flex->patches.rows[patch];
    const double *q = d->q + (size_t)body * d->numbers;
    double lowest = INFINITY;
    for (uint32_t i = row->begin; i < row->end; i++) {
        double own[3];
        shl_flex_vertex(flex, flex->patches.order[i], q, own);
        const double height = d->rigid[body].centre[2] - d->def.level + shl_dot(up, own);
        if (height < lowest) {
            lowest = height;
            *vertex = flex->patches.order[i];
        }
    }
    return lowest;
}

// What lies on the floor, or may before the step ends: of each patch the lowest vertex.
static shoal_status touch_floor(shl_dynamics *d, uint32_t body)
{
    const shl_flex *flex = shl_flex_of(d, body);
    if (flex->fixed)
        return SHOAL_OK;
    const double fall = fall_of(d, body), height = d->rigid[body].centre[2] - d->def.level;
    const double *up = d->rotation + 9 * (size_t)body + 6;
    const double *q = d->q + (size_t)body * d->numbers;
    double reach = flex->reach;
    for (uint32_t j = 0; j < flex->mode_count; j++)
        reach += fabs(q[j]) * flex->modes[j].reach;
    if (height - reach > fall)
        return SHOAL_OK;
    for (uint32_t patch = 0; patch < flex->patches.count; patch++) {
        uint32_t vertex = 0;
        if (height + shl_patch_lowest(&flex->patches, patch, up, q) > fall)
            continue;
        const double over = lowest_vertex(d, body, patch, up, &vertex);
        if (over > fall)
            continue;
        shl_modal_contact *t = new_contact(d);
        if (!t)
            return SHOAL_ERR_MEMORY;
        *t = (shl_modal_contact){.body = {body, SHL_FLOOR},
                                 .vertex = {vertex, 0},
                                 .normal = {0, 0, -1},
                                 .depth = -over,
                                 .law = &d->def.floor};
        double own[3];
        shl_flex_vertex(flex, vertex, q, own);
        shl_apply(d->rotation + 9 * (size_t)body, own, t->arm[0]);
        d->touched[body] = 1;
    }
    return SHOAL_OK;
}

// Modes under the forces that gave them their new rates.
static void bend(shl_dynamics *d, uint32_t body)
{
    const shl_crowd *c = shl_crowd_of(d, body);
    for (uint32_t j = 0; j < c->flex->mode_count; j++) {
        const shl_oscillator *o = &c->oscillators[j];
        const size_t at = (size_t)body * d->numbers + j;
        const double held = pull(d, o, at);
        double before = d->rate_before[at], free_q = d->q[at], free_rate = before;
        shl_oscillator_step(o, held, &free_q, &free_rate);
        shl_oscillator_step(o, held + (d->rate[at] - free_rate) / o->gain, &d->q[at], &before);
    }
}

// The frame moves on. Angular momentum is what a free spin keeps; the axis about which the body
// turns is taken from the middle of the step.
static void move(shl_dynamics *d, uint32_t body)
{
    shl_rigid *r = &d->rigid[body];
    const shl_flex *flex = shl_flex_of(d, body);
    if (flex->fixed)
        return;
    const double h = d->def.step, *rotation = d->rotation + 9 * (size_t)body;
    shl_add(r->centre, h, r->velocity);
    if (!d->touched[body]) // a parabola; contacts on the other hand want the end's velocity
        r->centre[2] += 0.5 * h * h * d->def.gravity;
    double inertia[9], inverse[9], momentum[3], half[4], mid[9], by[3];
    shl_turn_tensor(rotation, flex->inertia, inertia);
    shl_apply(inertia, r->spin, momentum);
    for (int k = 0; k < 3; k++)
        by[k] = 0.5 * h * r->spin[k];
    memcpy(half, r->turn, sizeof half);
    shl_turn_further(half, by);
    shl_quaternion_matrix(half, mid);
    shl_turn_tensor(mid, flex->inverse_inertia, inverse);
    shl_apply(inverse, momentum, r->spin);
    for (int k = 0; k < 3; k++)
        by[k] = h * r->spin[k];
    shl_turn_further(r->turn, by);
    shl_quaternion_matrix(r->turn, mid);
    shl_turn_tensor(mid, flex->inverse_inertia, inverse);
    shl_apply(inverse, momentum, r->spin);
}

shoal_status shl_dynamics_step(shl_dynamics *d, const shoal_sphere_contact *contacts,
                               size_t contact_count)
{
    for (uint32_t i = 0; i < d->count; i++)
        fly(d, i);
    d->contact_count = d->limit_count = 0;
    shoal_status st = touch_bodies(d, contacts, contact_count);
    for (uint32_t i = 0; i < d->count && st == SHOAL_OK; i++)
        st = touch_floor(d, i);
    for (uint32_t i = 0; i < d->count && st == SHOAL_OK; i++)
        st = shl_limits_find(d, i);
    if (st != SHOAL_OK)
        return st;
    for (size_t i = 0; i < d->contact_count; i++)
        shl_modal_contact_prepare(d, &d->contacts[i]);
    for (uint32_t pass = 0; pass < d->def.passes; pass++) {
        for (size_t i = 0; i < d->contact_count; i++)
            shl_modal_contact_solve(d, &d->contacts[i]);
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
    const shl_crowd *c = shl_crowd_of(d, body);
    double sum = 0;
    for (uint32_t j = 0; j < c->flex->mode_count; j++) {
        const double x = numbers[(size_t)body * d->numbers + j];
        sum += 0.5 * c->flex->modes[j].mass * (square ? c->oscillators[j].square : 1) * x * x;
    }
    return sum;
}

static double floor_depth(const shl_dynamics *d, uint32_t body, const double rotation[9])
{
    const shl_flex *flex = shl_flex_of(d, body);
    const double *q = d->q + (size_t)body * d->numbers, *up = rotation + 6;
    const double height = d->rigid[body].centre[2] - d->def.level;
    double depth = 0;
    for (uint32_t patch = 0; patch < flex->patches.count; patch++) {
        uint32_t vertex;
        if (height + shl_patch_lowest(&flex->patches, patch, up, q) < -depth)
            depth = fmax(depth, -lowest_vertex(d, body, patch, up, &vertex));
    }
    return depth;
}

shl_dynamics_report shl_dynamics_measure(const shl_dynamics *d)
{
    shl_dynamics_report out = {0};
    uint32_t fat = 0;
    for (uint32_t c = 0; c < d->crowd_count; c++)
        fat += d->crowds[c].flex && !d->crowds[c].flex->fixed ? d->crowds[c].count : 0;
    for (uint32_t i = 0; i < d->count; i++) {
        const shl_rigid *r = &d->rigid[i];
        const shl_flex *flex = shl_flex_of(d, i);
        double kinetic = mode_energy(d, i, d->rate, false);
        out.elastic += mode_energy(d, i, d->q, true);
        if (!flex->fixed) {
            double rotation[9], inertia[9], momentum[3];
            shl_quaternion_matrix(r->turn, rotation);
            shl_turn_tensor(rotation, flex->inertia, inertia);
            shl_apply(inertia, r->spin, momentum);
            kinetic += 0.5 * flex->mass * shl_dot(r->velocity, r->velocity) +
                       0.5 * shl_dot(r->spin, momentum);
            out.potential += flex->mass * d->def.gravity * r->centre[2];
            out.mean_speed += sqrt(2 * kinetic / flex->mass) / fat;
            out.floor_depth = fmax(out.floor_depth, floor_depth(d, i, rotation));
        }
        out.kinetic += kinetic;
    }
    return out;
}

void shl_dynamics_vertex(const shl_dynamics *d, uint32_t body, uint32_t vertex, double out[3])
{
    double own[3], rotation[9];
    shl_flex_vertex(shl_flex_of(d, body), vertex, d->q + (size_t)body * d->numbers, own);
    shl_quaternion_matrix(d->rigid[body].turn, rotation);
    shl_apply(rotation, own, out);
    shl_add(out, 1, d->rigid[body].centre);
}

size_t shl_dynamics_save(const shl_dynamics *d, void *to)
{
    const size_t bodies = d->count * sizeof *d->rigid;
    const size_t modes = (size_t)d->count * d->numbers * sizeof *d->q;
    if (to) {
        memcpy(to, d->rigid, bodies);
        memcpy((char *)to + bodies, d->q, modes);
        memcpy((char *)to + bodies + modes, d->rate, modes);
    }
    return bodies + 2 * modes;
}

shoal_status shl_dynamics_restore(shl_dynamics *d, const void *from, size_t size)
{
    const size_t bodies = d->count * sizeof *d->rigid;
    const size_t modes = (size_t)d->count * d->numbers * sizeof *d->q;
    if (size != bodies + 2 * modes)
        return SHOAL_ERR_ARGUMENT;
    memcpy(d->rigid, from, bodies);
    memcpy(d->q, (const char *)from + bodies, modes);
    memcpy(d->rate, (const char *)from + bodies + modes, modes);
    return SHOAL_OK;
}
