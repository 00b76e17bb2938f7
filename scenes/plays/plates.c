// SPDX-License-Identifier: MIT
// A pile of folded plates: layers, each a quarter turn from the one below, so that ridges
// cross.
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/plays/bodies.h"
#include "scenes/plays/deforming.h"
#include "scenes/shapes/plate.h"

// The height of a layer was tuned at 1,000 plates for about 750 pairs a plate.
static const double side_length = 2.02, layer_height = 0.16;
static const double yaw = 0.05, tilt = 0.02; // at most, radians

static void place(shl_deforming *d)
{
    const uint32_t side = shl_lattice_side(d->params.bodies);
    uint64_t state = d->params.seed;
    for (uint32_t i = 0; i < d->params.bodies; i++) {
        shl_course *b = &d->courses[i];
        const uint32_t layer = i / side / side;
        b->centre[0] = side_length * (i % side - 0.5 * (side - 1));
        b->centre[1] = side_length * (i / side % side - 0.5 * (side - 1));
        b->centre[2] = layer_height * layer;
        const shl_sincos lean = shl_sincos_of(3.141592653589793 * shl_random_signed(&state));
        double flat[9], tilted[9];
        shl_turn((const double[3]){0, 0, 1},
                 1.5707963267948966 * (layer & 1) + yaw * shl_random_signed(&state), flat);
        shl_turn((const double[3]){lean.cos, lean.sin, 0}, tilt * shl_random_signed(&state),
                 tilted);
        shl_multiply(tilted, flat, b->rotation);
        b->axis[2] = 1;
        b->phase = 3.0 * shl_random_signed(&state);
    }
}

static const shl_deforming_kind kind = {&shl_folded, place, NULL, NULL};

const shl_play shl_play_plates = {
    .name = "plates",
    .summary = "a pile of folded plates that sink into their neighbours and ripple",
    .simulator = &shl_deforming_simulator,
    .kind = &kind,
    .defaults =
        {.k = 5, .bodies = 100, .steps = 40, .seed = 1, .order = 1, .hold = 1, .arity = 8},
    .takes = SHL_TAKES_K | SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_POSITIONS |
             SHL_TAKES_BODIES};
