// SPDX-License-Identifier: MIT
// Fish on a bridge and balls at a curtain as plays.
#include "scenes/play.h"
#include "scenes/plays/actors.h"

static shoal_status create_fish(const shl_scene_params *params, shoal_context *ctx,
                                shoal_scene *scene, void **out)
{
    const shl_fish_bridge_def def = {params->bodies, params->bays, params->seed,
                                     (int32_t)params->spheres - 1, params->say};
    shl_actors *actors;
    const shoal_status st = shl_fish_bridge_create(&def, ctx, scene, &actors);
    *out = actors;
    return st;
}

static shoal_status create_curtain(const shl_scene_params *params, shoal_context *ctx,
                                   shoal_scene *scene, void **out)
{
    const shl_curtain_def def = {params->bodies, params->seed, (int32_t)params->spheres - 1,
                                 params->say};
    shl_actors *actors;
    const shoal_status st = shl_curtain_create(&def, ctx, scene, &actors);
    *out = actors;
    return st;
}

static void destroy(void *state)
{
    shl_actors_destroy(state);
}

static shoal_status step(void *state, uint32_t number)
{
    return shl_actors_step(state, number);
}

static uint32_t body_count(const void *state)
{
    return shl_actors_dynamics(state)->count;
}

static const shl_surface *surface(const void *state, uint32_t body)
{
    return body < body_count(state) ? shl_actors_surface(state, body) : NULL;
}

static void vertices(const void *state, uint32_t body, double *xyz)
{
    const uint32_t count = shl_actors_surface(state, body)->vertex_count;
    for (uint32_t v = 0; v < count; v++)
        shl_dynamics_vertex(shl_actors_dynamics(state), body, v, xyz + 3 * (size_t)v);
}

static bool look(const void *state, shl_motion_report *out)
{
    shl_actors_look(state, out);
    return true;
}

static size_t save(const void *state, void *to)
{
    return shl_actors_save(state, to);
}

static shoal_status restore(void *state, uint32_t number, const void *from, size_t size)
{
    return shl_actors_restore(state, number, from, size);
}

const shl_play shl_fish_bridge_play = {create_fish, destroy, step, body_count, surface,
                                       vertices,    look,    save, restore};
const shl_play shl_curtain_play = {create_curtain, destroy, step, body_count, surface,
                                   vertices,       look,    save, restore};
