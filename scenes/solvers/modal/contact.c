// SPDX-License-Identifier: MIT
#include "scenes/solvers/modal/contact.h"

#include "scenes/math/vec.h"

static const float *modes_at(const shl_flex *flex, uint32_t vertex)
{
    return flex->mode_count ? flex->fields + 3 * (size_t)vertex * flex->mode_count : NULL;
}

// to += sign * the velocity, at the end of the step, of the body's point that touches
static void add_velocity(const shl_dynamics *d, const shl_modal_contact *t, int side,
                         double sign, double to[3])
{
    const uint32_t body = t->body[side];
    if (body == SHL_FLOOR)
        return;
    const shl_flex *flex = shl_flex_of(d, body);
    const uint32_t modes = flex->mode_count;
    const float *u = modes_at(flex, t->vertex[side]);
    const double *rate = d->rate + (size_t)body * d->numbers;
    double own[3] = {0}, world[3], turning[3];
    for (uint32_t j = 0; j < modes; j++) {
        for (int k = 0; k < 3; k++)
            own[k] += (double)u[3 * j + (uint32_t)k] * rate[j];
    }
    shl_apply(d->rotation + 9 * (size_t)body, own, world);
    shl_cross(d->rigid[body].spin, t->arm[side], turning);
    shl_add(to, sign, d->rigid[body].velocity);
    shl_add(to, sign, turning);
    shl_add(to, sign, world);
}

// An impulse on the body where it touches.
static void push(shl_dynamics *d, const shl_modal_contact *t, int side, const double impulse[3])
{
    const uint32_t body = t->body[side];
    if (body == SHL_FLOOR)
        return;
    const shl_flex *flex = shl_flex_of(d, body);
    const uint32_t modes = flex->mode_count;
    const shl_oscillator *oscillators = shl_crowd_of(d, body)->oscillators;
    double moment[3], turning[3], own[3];
    shl_add(d->rigid[body].velocity, flex->inverse_mass, impulse);
    shl_cross(t->arm[side], impulse, moment);
    shl_apply(d->inverse_inertia + 9 * (size_t)body, moment, turning);
    shl_add(d->rigid[body].spin, 1, turning);
    shl_apply_back(d->rotation + 9 * (size_t)body, impulse, own);
    const float *u = modes_at(flex, t->vertex[side]);
    double *rate = d->rate + (size_t)body * d->numbers;
    for (uint32_t j = 0; j < modes; j++) {
        const double share = (double)u[3 * j] * own[0] + (double)u[3 * j + 1] * own[1] +
                             (double)u[3 * j + 2] * own[2];
        rate[j] += oscillators[j].gain / (d->def.step * flex->modes[j].mass) * share;
    }
}

// to += the velocity that an impulse on the body gives to its point
static void add_response(const shl_dynamics *d, const shl_modal_contact *t, int side,
                         const double impulse[3], double to[3])
{
    const uint32_t body = t->body[side];
    if (body == SHL_FLOOR)
        return;
    const shl_flex *flex = shl_flex_of(d, body);
    const uint32_t modes = flex->mode_count;
    const shl_oscillator *oscillators = shl_crowd_of(d, body)->oscillators;
    double moment[3], turning[3], moving[3], own[3], bending[3] = {0}, world[3];
    shl_cross(t->arm[side], impulse, moment);
    shl_apply(d->inverse_inertia + 9 * (size_t)body, moment, turning);
    shl_cross(turning, t->arm[side], moving);
    shl_apply_back(d->rotation + 9 * (size_t)body, impulse, own);
    const float *u = modes_at(flex, t->vertex[side]);
    for (uint32_t j = 0; j < modes; j++) {
        const double at[3] = {(double)u[3 * j], (double)u[3 * j + 1], (double)u[3 * j + 2]};
        shl_add(bending,
                oscillators[j].gain / (d->def.step * flex->modes[j].mass) * shl_dot(at, own),
                at);
    }
    shl_apply(d->rotation + 9 * (size_t)body, bending, world);
    shl_add(to, flex->inverse_mass, impulse);
    shl_add(to, 1, moving);
    shl_add(to, 1, world);
}

void shl_modal_contact_prepare(const shl_dynamics *d, shl_modal_contact *t)
{
    const double h = d->def.step;
    double columns[3][3] = {{0}}, trace = 0;
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        add_response(d, t, 0, axis, columns[k]);
        add_response(d, t, 1, axis, columns[k]);
        trace += columns[k][k];
    }
    for (int k = 0; k < 3; k++)
        t->response[k] = shl_dot(columns[k], t->normal); // it is symmetric
    const double across = shl_dot(t->response, t->normal);
    t->give = h * h * t->law->stiffness + h * t->law->damping;
    t->bias = t->depth < 0 ? t->give * t->depth / h : h * t->law->stiffness * t->depth;
    t->normal_share = 1 / (1 + t->give * across);
    t->slide_share = 1 / (trace - across); // both directions at once: never too much
    t->along = 0;
    memset(t->slide, 0, sizeof t->slide);
}

void shl_modal_contact_solve(shl_dynamics *d, shl_modal_contact *t)
{
    double closing[3] = {0}, impulse[3], before[3];
    add_velocity(d, t, 0, 1, closing);
    add_velocity(d, t, 1, -1, closing);
    double speed = shl_dot(closing, t->normal);
    const double wish = t->along + t->normal_share * (t->bias + t->give * speed - t->along);
    const double along = wish > 0 ? wish : 0, more = along - t->along;
    t->along = along;
    for (int k = 0; k < 3; k++)
        impulse[k] = more * t->normal[k];
    shl_add(closing, -more, t->response);
    speed = shl_dot(closing, t->normal);
    memcpy(before, t->slide, sizeof before);
    for (int k = 0; k < 3; k++)
        t->slide[k] += t->slide_share * (closing[k] - speed * t->normal[k]);
    const double most = t->law->friction * along, size = sqrt(shl_dot(t->slide, t->slide));
    for (int k = 0; k < 3; k++) {
        if (size > most)
            t->slide[k] *= most / size;
        impulse[k] += t->slide[k] - before[k];
    }
    push(d, t, 1, impulse);
    const double back[3] = {-impulse[0], -impulse[1], -impulse[2]};
    push(d, t, 0, back);
}
