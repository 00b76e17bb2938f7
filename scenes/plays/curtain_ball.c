// SPDX-License-Identifier: MIT
// Balls that are thrown, one after the other, at a curtain in the wind.
#include "scenes/math/vec.h"
#include "scenes/models/curtain.h"
#include "scenes/plays/actors.h"

#include <stdlib.h>

static const double radius = 0.11, curtain_mass = 1.9;

enum { SUBDIVISIONS = 3 };

// Thrown from in front of the curtain so that the first one meets it after half a second, a
// little below its middle, and each next one comes from farther away.
static void place(shl_dynamics *d, const shl_scene_params *params)
{
    uint64_t seed = params->seed;
    for (uint32_t i = 0; i < params->bodies; i++) {
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

static shoal_status add(shl_actors *a, const shl_scene_params *params)
{
    static const shl_modal_body_def ball = {.mesh = make_ball, .mass = 0.35};
    static const double hertz[SHL_CURTAIN_FIELDS] = {4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7};
    shoal_model_file file;
    shoal_status st = shl_actors_add(a, &ball, params);
    if (st == SHOAL_OK)
        st = shl_curtain_model(params->say, &file);
    return st == SHOAL_OK ? shl_actors_add_file(a, &file, curtain_mass, hertz) : st;
}

static void rule(shl_dynamics_def *law)
{
    law->floor = (shl_contact_law){2e4, 40, 0.4};
    law->damping_ratio = 0.5; // cloth follows the wind and does not ring
}

static const shl_actors_kind kind = {add, place, rule, play};

const shl_play shl_play_curtain = {
    .name = "curtain",
    .summary = "balls are thrown at a curtain in gusty wind",
    .simulator = &shl_actors_simulator,
    .kind = &kind,
    // steps: as long as the recorded 110 frames
    .defaults = {.bodies = 1, .steps = 1467, .seed = 1, .arity = 8, .spheres = 7},
    .takes = SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_COUNT | SHL_TAKES_SPHERES,
    .floor = true,
    .reduced = true};
