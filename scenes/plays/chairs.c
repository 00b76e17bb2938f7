// SPDX-License-Identifier: MIT
// Flexible chairs that fall on a floor and on each other.
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/plays/actors.h"
#include "scenes/shapes/chair.h"

#include <stdlib.h>

static const double far_enough = 1.15; // metres: chairs do not touch at first
static const double first_layer = 0.8, jitter = 0.04;

// Layers of a square lattice, wider than high, each chair turned and spinning at random.
static void place(shl_dynamics *d, const shl_scene_params *params)
{
    const double spacing = params->spacing > 0 ? params->spacing : far_enough;
    uint64_t seed = params->seed;
    uint32_t layers = 1;
    while (4 * (uint64_t)layers * layers * layers < d->count)
        layers++;
    uint32_t side = 1;
    while ((uint64_t)side * side * layers < d->count)
        side++;
    for (uint32_t i = 0; i < d->count; i++) {
        shl_rigid *r = &d->rigid[i];
        const uint32_t layer = i / side / side;
        const double cell[3] = {i % side - 0.5 * (side - 1), i / side % side - 0.5 * (side - 1),
                                layer};
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

static shoal_status add(shl_actors *a, const shl_scene_params *params)
{
    static const shl_modal_body_def chair = {.mesh = shl_mesh_chair,
                                             .mass = 2.2,
                                             .fields = shl_chair_fields,
                                             .field_count = SHL_CHAIR_FIELDS,
                                             .hertz = shl_chair_hertz};
    return shl_actors_add(a, &chair, params);
}

static const shl_actors_kind kind = {.add = add, .place = place};

const shl_play shl_play_chairs = {
    .name = "chairs",
    .summary = "flexible chairs fall on a floor, tumble and come to rest",
    .simulator = &shl_actors_simulator,
    .kind = &kind,
    .defaults = {.bodies = 30, .steps = 2000, .seed = 1, .arity = 8, .spheres = 11},
    .takes = SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_COUNT | SHL_TAKES_SPHERES,
    .floor = true,
    .reduced = true};
