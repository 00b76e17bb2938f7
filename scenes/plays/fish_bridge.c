// SPDX-License-Identifier: MIT
#include "scenes/math/vec.h"
#include "scenes/plays/cast.h"
#include "scenes/shapes/bridge.h"
#include "scenes/shapes/fish.h"

#include <stdlib.h>

static const double fish_mass = 1.2, bay_mass = 2500; // kilograms
static const double pi = 3.141592653589793;

// A block of fish over the deck, all with their noses along it, so close that they hardly miss
// each other.
static const double cell[3] = {0.64, 0.2, 0.22}, over_deck = 0.25;

static void place(shl_dynamics *d, uint32_t fish, uint32_t bays, uint64_t seed)
{
    const double sizes[2] = {shl_bridge_bay * bays, shl_bridge_width - 0.2};
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

static shoal_status add_fish(shl_actors *a, const shl_fish_bridge_def *def)
{
    shl_surface fish;
    double *shares = NULL;
    float *fields = NULL;
    shoal_status st = shl_mesh_fish(&fish);
    if (st == SHOAL_OK)
        st = shl_vertex_shares(&fish, &shares);
    if (st == SHOAL_OK)
        st = shl_fish_fields(&fish, shares, &fields);
    if (st == SHOAL_OK) {
        const shl_part part = {.count = def->fish,
                               .mass = fish_mass,
                               .fields = fields,
                               .hertz = shl_fish_hertz,
                               .field_count = SHL_FISH_FIELDS,
                               .sphere_level = def->sphere_level};
        st = shl_actors_add(a, &fish, shares, &part);
    }
    shl_surface_finish(&fish);
    free(shares);
    free(fields);
    return st;
}

static shoal_status add_bridge(shl_actors *a, const shl_fish_bridge_def *def)
{
    static const double hertz[SHL_BRIDGE_FIELDS] = {1.5, 1.8, 2.1, 2.4, 2.7,
                                                    3.0, 3.5, 4.0, 4.5, 5.0};
    shoal_model_file file;
    const shoal_status st = shl_bridge_model(def->bays, def->say, &file);
    return st == SHOAL_OK ? shl_actors_add_file(a, &file, bay_mass * def->bays, hertz) : st;
}

shoal_status shl_fish_bridge_create(const shl_fish_bridge_def *def, shoal_context *ctx,
                                    shoal_scene *scene, shl_actors **out)
{
    *out = NULL;
    shl_actors *a = shl_actors_new(ctx, scene);
    if (!a)
        return SHOAL_ERR_MEMORY;
    shl_dynamics_def law = shl_dynamics_default();
    law.body = (shl_contact_law){6e3, 60, 0.25}; // wet, and softer than chairs
    law.floor = (shl_contact_law){6e4, 400, 0.35};
    law.damping_ratio = 0.1;
    law.passes = 4;
    shoal_status st = add_fish(a, def);
    if (st == SHOAL_OK)
        st = add_bridge(a, def);
    if (st == SHOAL_OK)
        st = shl_actors_begin(a, &law);
    if (st != SHOAL_OK) {
        shl_actors_destroy(a);
        return st;
    }
    a->drive = sway;
    place(&a->dynamics, def->fish, def->bays, def->seed);
    *out = a;
    return SHOAL_OK;
}
