// SPDX-License-Identifier: MIT
// Two bumpy spheres that sink into each other.
#include "scenes/plays/deforming.h"

// The distance of the centres is far - speed * step. Both numbers were found by bisection for
// k = 5, seed = 1, so that the first pairs come at step 60 and 3791, of 3500 to 4000, at step
// 200.
static const double far = 2.89, speed = 0.01382;

static void place(shl_deforming *d)
{
    for (uint32_t i = 0; i < d->params.bodies; i++)
        d->courses[i] = (shl_course){
            .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .axis = {0, 0, 1}, .phase = 2.0 * i};
}

static void move(shl_deforming *d, uint32_t step)
{
    const double half = 0.5 * (far - speed * step);
    d->courses[0].centre[0] = -half;
    d->courses[1].centre[0] = half;
}

static const shl_deforming_kind kind = {&shl_bumpy, place, move, NULL};

const shl_play shl_play_bumpy_2 = {
    .name = "bumpy-2",
    .summary = "two bumpy spheres sink into each other; they meet at step 60",
    .simulator = &shl_deforming_simulator,
    .kind = &kind,
    .defaults =
        {.k = 5, .bodies = 2, .steps = 200, .seed = 1, .order = 1, .hold = 1, .arity = 8},
    .takes = SHL_TAKES_K | SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_POSITIONS};
