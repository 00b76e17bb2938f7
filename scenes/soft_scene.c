// SPDX-License-Identifier: MIT
#include "scenes/soft_scene.h"

#include "scenes/vec.h"

#include <stdlib.h>

static const shl_driver *const drivers[SHL_SCENE_COUNT] = {
    [SHL_SCENE_RING] = &shl_ring_driver,
    [SHL_SCENE_FISH_24] = &shl_swarm_driver,
    [SHL_SCENE_BRAIN] = &shl_brain_driver,
};

shoal_status shl_soft_scene_create(shl_scene_id id, const shl_scene_params *params,
                                   shoal_context *ctx, shoal_scene *scene, shl_soft_scene **out)
{
    *out = NULL;
    shl_surface surface;
    shl_soft_scene *s = calloc(1, sizeof *s);
    if (!s)
        return SHOAL_ERR_MEMORY;
    s->params = *params;
    s->driver = drivers[id];
    shl_soft_def def = {.nodes = params->nodes, .bodies = params->bodies, .seed = params->seed};
    s->driver->define(params, &def);
    shoal_status st = s->driver->mesh(params->vertices, &surface);
    if (st == SHOAL_OK)
        st = shl_soft_create(&def, &surface, ctx, scene, &s->soft);
    if (st != SHOAL_OK) {
        free(s);
        return st;
    }
    s->driver->begin(s);
    *out = s;
    return SHOAL_OK;
}

void shl_soft_scene_destroy(shl_soft_scene *s)
{
    if (!s)
        return;
    shl_soft_finish(&s->soft);
    free(s);
}

shoal_status shl_soft_scene_step(shl_soft_scene *s, uint32_t step)
{
    if (step > 1)
        s->steps++;
    const double time = s->steps * s->soft.def.step;
    if (s->driver->pose) {
        s->driver->pose(s, time);
        return shl_soft_tell(&s->soft);
    }
    if (step > 1) {
        const shoal_results found = shoal_scene_results(s->soft.scene);
        s->driver->drive(s, time);
        shl_soft_step(&s->soft, found.pairs, found.pair_count);
    }
    return shl_soft_hand_over(&s->soft);
}

shoal_status shl_soft_scene_surface(shl_scene_id id, const shl_scene_params *params,
                                    shl_surface *out)
{
    return drivers[id]->mesh(params->vertices, out);
}

const shl_soft *shl_soft_scene_bodies(const shl_soft_scene *s)
{
    return &s->soft;
}

const double *shl_soft_scene_state(const shl_soft_scene *s, size_t *bytes)
{
    *bytes = (size_t)s->soft.def.bodies * s->soft.nodes.count * 12 * sizeof(double);
    return s->soft.state;
}

shl_frame shl_soft_scene_frame(const shl_soft_scene *s, uint32_t body)
{
    shl_frame out = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const size_t n = s->soft.all;
    for (size_t i = 0; i < n; i++)
        shl_add(out.centre, 1.0 / (double)n, s->soft.y + 3 * (body * n + i));
    return out;
}

bool shl_soft_scene_look(const shl_soft_scene *s, shl_motion_report *out)
{
    if (s->driver->pose)
        return false;
    const shl_soft_report r = shl_soft_look(&s->soft);
    *out = (shl_motion_report){.time = s->steps * s->soft.def.step,
                               .kinetic = r.kinetic,
                               .energy = r.kinetic + r.elastic,
                               .mean_speed = r.mean_speed,
                               .soft = true,
                               .most_speed = r.most_speed,
                               .strain = r.longest_strain};
    return true;
}
