// SPDX-License-Identifier: MIT
#include "scenes/math/vec.h"
#include "scenes/models/curtain.h"
#include "scenes/plays/cast.h"

#include <stdlib.h>

static const double radius = 0.11, ball_mass = 0.35, curtain_mass = 1.9;

enum { SUBDIVISIONS = 3 };

// Thrown from in front of the curtain so that the first one meets it after half a second, a
// little below its middle, and each next one comes from farther away.
static void place(shl_dynamics *d, uint32_t balls, uint64_t seed)
{
    for (uint32_t i = 0; i < balls; i++) {
        shl_rigid *r = &d->rigid[i];
        const double time = 0.5 + 0.35 * i, across = 0.3 * shl_random_signed(&seed);
        const double height = 1.0 + 0.5 * shl_random_signed(&seed);
        r->velocity[1] = 4.5;
        r->velocity[2] = 0.5 * d->def.gravity * time; // up and down again in that time
        r->centre[0] = across;
        r->centre[1] = -radius - time * r->velocity[1];
        r->centre[2] = height;
        for (int k = 0; k < 3; k++)
            r->spin[k] = 6 * shl_random_signed(&seed);
    }
}

// The recorded frames, to and fro.
static void play(const shl_actors *a, double time, double *target)
{
    const double last = a->frames - 1, turns = time / shl_curtain_frame / (2 * last);
    const double phase = 2 * (turns - floor(turns)); // of 2
    const double place = last * (phase < 1 ? phase : 2 - phase);
    const uint32_t frame = place < last ? (uint32_t)place : a->frames - 2;
    const double share = place - frame;
    for (uint32_t j = 0; j < SHL_CURTAIN_FIELDS; j++) {
        const double *now = a->motion + (size_t)frame * SHL_CURTAIN_FIELDS + j;
        target[j] = now[0] + share * (now[SHL_CURTAIN_FIELDS] - now[0]);
    }
}

static shoal_status make_ball(shl_surface *out)
{
    const shoal_status st = shl_mesh_icosphere(SUBDIVISIONS, out);
    for (size_t i = 0; st == SHOAL_OK && i < 3 * (size_t)out->vertex_count; i++)
        out->xyz[i] *= radius;
    return st;
}

static shoal_status add_balls(shl_actors *a, const shl_curtain_def *def)
{
    shl_surface ball;
    double *shares = NULL;
    shoal_status st = make_ball(&ball);
    if (st == SHOAL_OK)
        st = shl_vertex_shares(&ball, &shares);
    if (st == SHOAL_OK) {
        shl_centre(&ball, shares);
        const shl_part part = {
            .count = def->balls, .mass = ball_mass, .sphere_level = def->sphere_level};
        st = shl_actors_add(a, &ball, shares, &part);
    }
    shl_surface_finish(&ball);
    free(shares);
    return st;
}

static shoal_status add_curtain(shl_actors *a, const shl_curtain_def *def)
{
    static const double hertz[SHL_CURTAIN_FIELDS] = {4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7};
    shoal_model_file file;
    const shoal_status st = shl_curtain_model(def->say, &file);
    return st == SHOAL_OK ? shl_actors_add_file(a, &file, curtain_mass, hertz) : st;
}

shoal_status shl_curtain_create(const shl_curtain_def *def, shoal_context *ctx,
                                shoal_scene *scene, shl_actors **out)
{
    *out = NULL;
    shl_actors *a = shl_actors_new(ctx, scene);
    if (!a)
        return SHOAL_ERR_MEMORY;
    shl_dynamics_def law = shl_dynamics_default();
    law.floor = (shl_contact_law){2e4, 40, 0.4};
    law.damping_ratio = 0.5; // cloth follows the wind and does not ring
    shoal_status st = add_balls(a, def);
    if (st == SHOAL_OK)
        st = add_curtain(a, def);
    if (st == SHOAL_OK)
        st = shl_actors_begin(a, &law);
    if (st != SHOAL_OK) {
        shl_actors_destroy(a);
        return st;
    }
    a->drive = play;
    place(&a->dynamics, def->balls, def->seed);
    *out = a;
    return SHOAL_OK;
}
