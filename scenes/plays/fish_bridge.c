// SPDX-License-Identifier: MIT
// Fish that fall on a bridge that sways; those that miss it or slide off lie on the floor.
#include "scenes/math/vec.h"
#include "scenes/plays/actors.h"
#include "scenes/shapes/bridge.h"
#include "scenes/shapes/fish.h"

#include <stdlib.h>

static const double bay_mass = 2500; // kilograms
static const double pi = 3.141592653589793;

// A block of fish over the deck, all with their noses along it, so close that they hardly miss
// each other.
static const double cell[3] = {0.64, 0.2, 0.22}, over_deck = 0.25;

static void place(shl_dynamics *d, const shl_scene_params *params)
{
    const uint32_t fish = params->bodies;
    uint64_t seed = params->seed;
    const double sizes[2] = {shl_bridge_bay * params->bays, shl_bridge_width - 0.2};
    uint32_t side[2];
    for (int k = 0; k < 2; k++)
        side[k] = sizes[k] > cell[k] ? (uint32_t)(sizes[k] / cell[k]) : 1;
    // a few fish come down in the middle, not at one end
    while (side[0] > 4 && (side[0] - 1) * side[1] * 3 >= fish)
        side[0]--;
    for (uint32_t i = 0; i < fish; i++) {
        shl_rigid *r = &d->rigid[i];
        const uint32_t layer = i / side[0] / side[1];
        r->centre[0] = cell[0] * (i % side[0] - 0.5 * (side[0] - 1));
        r->centre[1] = cell[1] * (i / side[0] % side[1] - 0.5 * (side[1] - 1));
        r->centre[2] = shl_bridge_deck + over_deck + cell[2] * layer;
        for (int k = 0; k < 3; k++) {
            r->velocity[k] = 0.2 * shl_random_signed(&seed);
            r->spin[k] = 2 * shl_random_signed(&seed);
        }
        const double yaw[3] = {0.2 * shl_random_signed(&seed), 0.1 * shl_random_signed(&seed),
                               0.1 * shl_random_signed(&seed) +
                                   (shl_random(&seed) & 1 ? pi : 0)};
        shl_turn_further(r->turn, yaw);
        for (int j = 0; j < SHL_FISH_FIELDS; j++)
            d->rate[(size_t)i * d->numbers + (uint32_t)j] = 0.4 * shl_random_signed(&seed);
    }
}

// Every field swings in its own time, the first ones, which tell most, slowest.
static void sway(const shl_actors *a, double time, double *target)
{
    (void)a;
    const double swell = time < 1 ? time : 1; // calm at first
    for (int j = 0; j < SHL_BRIDGE_FIELDS; j++)
        target[j] = swell * shl_sincos_of(2 * pi * (0.35 + 0.11 * j) * time + 1.7 * j).sin;
}

static shoal_status add(shl_actors *a, const shl_scene_params *params)
{
    static const shl_modal_body_def fish = {.mesh = shl_mesh_fish,
                                            .centred = true,
                                            .mass = 1.2,
                                            .fields = shl_fish_fields,
                                            .field_count = SHL_FISH_FIELDS,
                                            .hertz = shl_fish_hertz};
    static const double hertz[SHL_BRIDGE_FIELDS] = {1.5, 1.8, 2.1, 2.4, 2.7,
                                                    3.0, 3.5, 4.0, 4.5, 5.0};
    shoal_model_file file;
    shoal_status st = shl_actors_add(a, &fish, params);
    if (st == SHOAL_OK)
        st = shl_bridge_model(params->bays, params->say, &file);
    return st == SHOAL_OK ? shl_actors_add_file(a, &file, bay_mass * params->bays, hertz) : st;
}

static void rule(shl_dynamics_def *law)
{
    law->body = (shl_contact_law){6e3, 60, 0.25}; // wet, and softer than chairs
    law->floor = (shl_contact_law){6e4, 400, 0.35};
    law->damping_ratio = 0.1;
    law->passes = 4;
}

static const shl_actors_kind kind = {add, place, rule, sway};

const shl_play shl_play_fish_bridge = {
    .name = "fish-bridge",
    .summary = "fish fall on a bridge that sways, flop and slide",
    .simulator = &shl_actors_simulator,
    .kind = &kind,
    .defaults =
        {.bodies = 12000, .steps = 800, .seed = 1, .arity = 8, .spheres = 8, .bays = 40},
    .takes =
        SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_COUNT | SHL_TAKES_BAYS | SHL_TAKES_SPHERES,
    .floor = true,
    .reduced = true};
