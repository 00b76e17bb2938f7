// SPDX-License-Identifier: MIT
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/plays/cast.h"
#include "scenes/shapes/chair.h"

#include <stdlib.h>

static const double mass = 2.2;        // kilograms
static const double far_enough = 1.15; // metres: chairs do not touch at first
static const double first_layer = 0.8, jitter = 0.04;

// Layers of a square lattice, wider than high, each chair turned and spinning at random.
static void place(shl_dynamics *d, uint64_t seed, double spacing)
{
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

static shoal_status add_chairs(shl_actors *a, const shl_chairs_def *def)
{
    shl_surface chair;
    double *shares = NULL;
    float *fields = NULL;
    shoal_status st = shl_mesh_chair(&chair);
    if (st == SHOAL_OK)
        st = shl_vertex_shares(&chair, &shares);
    if (st == SHOAL_OK) {
        shl_centre(&chair, shares);
        st = shl_chair_fields(&chair, shares, &fields);
    }
    if (st == SHOAL_OK) {
        const shl_part part = {.count = def->count,
                               .mass = mass,
                               .fields = fields,
                               .hertz = shl_chair_hertz,
                               .field_count = SHL_CHAIR_FIELDS,
                               .sphere_level = def->sphere_level};
        st = shl_actors_add(a, &chair, shares, &part);
    }
    shl_surface_finish(&chair);
    free(shares);
    free(fields);
    return st;
}

shoal_status shl_chairs_create(const shl_chairs_def *def, shoal_context *ctx,
                               shoal_scene *scene, shl_actors **out)
{
    *out = NULL;
    shl_actors *a = shl_actors_new(ctx, scene);
    if (!a)
        return SHOAL_ERR_MEMORY;
    const shl_dynamics_def law = shl_dynamics_default();
    shoal_status st = add_chairs(a, def);
    if (st == SHOAL_OK)
        st = shl_actors_begin(a, &law);
    if (st != SHOAL_OK) {
        shl_actors_destroy(a);
        return st;
    }
    place(&a->dynamics, def->seed, def->spacing > 0 ? def->spacing : far_enough);
    *out = a;
    return SHOAL_OK;
}
