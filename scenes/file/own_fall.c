// SPDX-License-Identifier: MIT
// Bodies of the user's own that fall, on a floor, on each other, and on those that move as
// functions of time and give way to nobody.
#include "scenes/file/own_state.h"
#include "scenes/math/vec.h"

#include <stdlib.h>

bool shl_own_falls(const shl_own_def *def)
{
    for (uint32_t i = 0; i < def->group_count; i++) {
        if (def->groups[i].falls)
            return true;
    }
    return false;
}

static const shl_own_group *group_of(const shl_own *o, uint32_t body)
{
    return &o->def->groups[o->bodies[body].group];
}

// The unit quaternion of a rotation, from its largest part.
static void quaternion_of(const double m[9], double q[4])
{
    const double trace = m[0] + m[4] + m[8];
    int i = m[4] > m[0] ? 1 : 0;
    i = m[8] > m[4 * i] ? 2 : i;
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    if (trace > 0) {
        q[0] = 0.5 * sqrt(1 + trace);
        q[1] = 0.25 * (m[7] - m[5]) / q[0];
        q[2] = 0.25 * (m[2] - m[6]) / q[0];
        q[3] = 0.25 * (m[3] - m[1]) / q[0];
        return;
    }
    q[1 + i] = 0.5 * sqrt(1 + m[4 * i] - m[4 * k] - m[4 * l]);
    q[0] = 0.25 * (m[3 * l + k] - m[3 * k + l]) / q[1 + i];
    q[1 + k] = 0.25 * (m[3 * k + i] + m[3 * i + k]) / q[1 + i];
    q[1 + l] = 0.25 * (m[3 * l + i] + m[3 * i + l]) / q[1 + i];
}

static void begin_row(shl_own *o, uint32_t body)
{
    const shl_own_group *g = group_of(o, body);
    const shl_own_instance *p = &g->instances[o->bodies[body].instance];
    shl_rigid *r = &o->dynamics.rigid[body];
    if (!g->falls)
        return;
    quaternion_of(p->rotation, r->turn);
    for (int k = 0; k < 3; k++) {
        r->centre[k] = p->at[k];
        r->velocity[k] = g->velocity[k];
        r->spin[k] = g->spin * g->axis[k];
    }
}

static shoal_status copy_surface(const shl_surface *from, shl_surface *to)
{
    const size_t xyz = 3 * (size_t)from->vertex_count * sizeof *from->xyz;
    const size_t triangles = 3 * (size_t)from->triangle_count * sizeof *from->triangles;
    *to = *from;
    to->xyz = malloc(xyz);
    to->triangles = malloc(triangles);
    if (!to->xyz || !to->triangles) {
        shl_surface_finish(to);
        return SHOAL_ERR_MEMORY;
    }
    memcpy(to->xyz, from->xyz, xyz);
    memcpy(to->triangles, from->triangles, triangles);
    return SHOAL_OK;
}

static shoal_status make_flex(const shl_own_group *g, shl_flex *out)
{
    if (!g->falls) { // it is only stood on
        *out = (shl_flex){.fixed = true, .mass = 1};
        return SHOAL_OK;
    }
    shl_surface rest;
    double *shares = NULL;
    shoal_status st = shl_vertex_shares(&g->rest, &shares);
    if (st == SHOAL_OK)
        st = copy_surface(&g->rest, &rest);
    if (st == SHOAL_OK)
        st = shl_flex_create(&rest, shares, g->mass, g->fields, g->hertz, g->field_count, out);
    free(shares);
    return st;
}

shoal_status shl_own_fall_begin(shl_own *o)
{
    const uint32_t groups = o->def->group_count;
    shl_crowd *crowds = calloc(groups, sizeof *crowds);
    o->flex = calloc(groups, sizeof *o->flex);
    shoal_status st = crowds && o->flex ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < groups && st == SHOAL_OK; i++) {
        st = make_flex(&o->def->groups[i], &o->flex[i]);
        crowds[i] = (shl_crowd){.flex = &o->flex[i], .count = o->def->groups[i].count};
    }
    shl_dynamics_def law = o->def->law;
    law.step = o->def->time_step;
    if (st == SHOAL_OK)
        st = shl_dynamics_create_crowds(&law, crowds, groups, &o->dynamics);
    free(crowds);
    for (uint32_t i = 0; i < o->count && st == SHOAL_OK; i++)
        begin_row(o, i);
    return st;
}

void shl_own_fall_finish(shl_own *o)
{
    shl_dynamics_finish(&o->dynamics);
    for (uint32_t i = 0; o->flex && i < o->def->group_count; i++)
        shl_flex_finish(&o->flex[i]);
    free(o->flex);
    o->flex = NULL;
}

// How fast a body goes whose places are known.
static void lead_row(shl_own *o, uint32_t body, double time)
{
    const shl_own_group *g = group_of(o, body);
    shl_own_body next = o->bodies[body];
    double unused[SHOAL_FIELDS_MAX]; // the coordinates stay as they are
    shl_rigid *r = &o->dynamics.rigid[body];
    next.numbers = g->kind == SHL_OWN_REDUCED ? unused : next.numbers;
    shl_own_move(o, &next, time);
    for (int k = 0; k < 3; k++) {
        r->centre[k] = o->bodies[body].at[k];
        r->velocity[k] = (next.at[k] - r->centre[k]) / o->def->time_step;
        r->spin[k] = g->spin * g->axis[k];
    }
}

shoal_status shl_own_fall_step(shl_own *o, uint32_t number)
{
    const double time = o->def->time_step * (number - 1);
    for (uint32_t i = 0; i < o->count; i++) {
        if (!group_of(o, i)->falls)
            lead_row(o, i, time);
    }
    const shoal_sphere_contacts found = shoal_scene_sphere_contacts(o->scene);
    return shl_dynamics_step(&o->dynamics, found.rows, found.count);
}

void shl_own_fall_show(shl_own *o)
{
    const shl_dynamics *d = &o->dynamics;
    for (uint32_t i = 0; i < o->count; i++) {
        const shl_own_group *g = group_of(o, i);
        shl_own_body *b = &o->bodies[i];
        if (!g->falls)
            continue;
        memcpy(b->at, d->rigid[i].centre, sizeof b->at);
        shl_quaternion_matrix(d->rigid[i].turn, b->rotation);
        if (g->field_count)
            memcpy(b->numbers, d->q + (size_t)i * d->numbers,
                   g->field_count * sizeof *b->numbers);
    }
}
