// SPDX-License-Identifier: MIT
// Crowds of bumpy spheres: two that head for their centre, spin and bounce, and a calm one.
#include "scenes/math/turn.h"
#include "scenes/plays/bodies.h"
#include "scenes/plays/deforming.h"

#include <math.h>
#include <stdlib.h>

// Lengths in radii, times in steps.
static const double spacing = 2.6;
static const double start_speed = 0.015; // towards the centre
static const double pull = 0.0015;       // per step, keeps the crowd together
static const double bounce = 0.2;        // share of the closing speed that comes back
static const double leave_speed = 0.002; // bodies that meet part at least this fast
static const double spin_most = 0.04;    // radians a step

// The calm crowd: so close that neighbours touch, going to and fro by this many steps of the
// others.
static const double calm_spacing = 1.9, calm_swing = 0.05, calm_rate = 0.1;

static void place(shl_deforming *d)
{
    uint64_t state = d->params.seed;
    for (uint32_t i = 0; i < d->params.bodies; i++) {
        shl_course *b = &d->courses[i];
        double square = 0;
        shl_lattice_place(i, d->params.bodies, spacing, b->centre);
        for (int axis = 0; axis < 3; axis++)
            square += b->centre[axis] * b->centre[axis];
        for (int axis = 0; axis < 3 && square > 0; axis++)
            b->velocity[axis] = -start_speed * b->centre[axis] / sqrt(square);
        double axis[3];
        shl_random_axis(&state, axis);
        shl_turn(axis, 3.141592653589793 * shl_random_signed(&state), b->rotation);
        shl_random_axis(&state, b->axis);
        b->spin = spin_most * shl_random_signed(&state);
        b->phase = 3.0 * shl_random_signed(&state);
    }
}

static void place_calm(shl_deforming *d)
{
    place(d);
    for (uint32_t i = 0; i < d->params.bodies; i++) {
        shl_course *b = &d->courses[i];
        for (int axis = 0; axis < 3; axis++) {
            b->centre[axis] *= calm_spacing / spacing;
            b->velocity[axis] = 0;
        }
    }
}

static double calm_time(uint32_t step)
{
    return calm_swing * shl_sincos_of(calm_rate * step).sin;
}

// A centre-line impulse between equal masses: afterwards the two part.
static void push_apart(shl_course *a, shl_course *b)
{
    double n[3], square = 0, closing = 0;
    for (int i = 0; i < 3; i++) {
        n[i] = b->centre[i] - a->centre[i];
        square += n[i] * n[i];
    }
    if (square == 0)
        return;
    for (int i = 0; i < 3; i++) {
        n[i] /= sqrt(square);
        closing -= (b->velocity[i] - a->velocity[i]) * n[i];
    }
    const double back = bounce * closing, parting = back > leave_speed ? back : leave_speed;
    if (-closing >= parting)
        return;
    for (int i = 0; i < 3; i++) {
        const double half = 0.5 * (parting + closing) * n[i];
        a->velocity[i] -= half;
        b->velocity[i] += half;
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Impulses for all bodies that met, in the order of body numbers. The lists are sorted by
// body_a, so each of its runs gives the partners of one body.
static void respond(shl_deforming *d)
{
    const shoal_pairs pairs = shoal_scene_pairs(d->scene);
    const shoal_pairs first = shoal_scene_first_pairs(d->scene);
    const shoal_pair *list = first.count ? first.rows : pairs.rows;
    const size_t count = first.count ? first.count : pairs.count;
    uint32_t *met = d->met, *marked = d->met + d->params.bodies;
    for (size_t begin = 0, end; begin < count; begin = end) {
        const uint32_t a = list[begin].body_a;
        uint32_t partners = 0;
        for (end = begin; end < count && list[end].body_a == a; end++) {
            const uint32_t b = list[end].body_b;
            if (!marked[b]) {
                marked[b] = 1;
                met[partners++] = b;
            }
        }
        qsort(met, partners, sizeof *met, by_number);
        for (uint32_t i = 0; i < partners; i++) {
            push_apart(&d->courses[a], &d->courses[met[i]]);
            marked[met[i]] = 0;
        }
    }
}

static void move(shl_deforming *d, uint32_t step)
{
    if (step > 1)
        respond(d);
    for (uint32_t i = 0; i < d->params.bodies; i++) {
        shl_course *b = &d->courses[i];
        double square = 0;
        for (int axis = 0; axis < 3; axis++)
            square += b->centre[axis] * b->centre[axis];
        for (int axis = 0; axis < 3; axis++) {
            if (square > 0.01) // no direction to pull in at the centre itself
                b->velocity[axis] -= pull * b->centre[axis] / sqrt(square);
            b->centre[axis] += b->velocity[axis];
        }
    }
}

#define DEFAULTS                                                                               \
    {                                                                                          \
        .k = 4, .bodies = 27, .steps = 200, .seed = 1, .order = 1, .hold = 1, .arity = 8       \
    }

enum {
    TAKES =
        SHL_TAKES_K | SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_POSITIONS | SHL_TAKES_BODIES
};

static const shl_deforming_kind bumpy = {&shl_bumpy, place, move, NULL},
                                arms = {&shl_arms, place, move, NULL},
                                calm = {&shl_bumpy, place_calm, NULL, calm_time};

const shl_play shl_play_bumpy_27 = {
    .name = "bumpy-27",
    .summary = "a lattice of bumpy spheres heads for its centre, spins, bounces",
    .simulator = &shl_deforming_simulator,
    .kind = &bumpy,
    .defaults = DEFAULTS,
    .takes = TAKES};

const shl_play shl_play_arms_27 = {.name = "arms-27",
                                   .summary = "the same with bodies that wave seven long arms",
                                   .simulator = &shl_deforming_simulator,
                                   .kind = &arms,
                                   .defaults = DEFAULTS,
                                   .takes = TAKES};

const shl_play shl_play_calm_27 = {
    .name = "calm-27",
    .summary = "bumpy spheres packed so that they touch, trembling in their places",
    .simulator = &shl_deforming_simulator,
    .kind = &calm,
    .defaults = DEFAULTS,
    .takes = TAKES};
