// SPDX-License-Identifier: MIT
#include "scenes/model.h"

#include "scenes/shape.h"

#include <stdlib.h>

enum { POSES = 8 };
static const double pose_time = 0.8; // from one to the next; together about one period

// The deforming shape in its own frame, at a few times, as one array.
static shoal_status sample(shl_scene_id id, const shl_scene_params *params,
                           const shl_surface *sphere, double *xyz)
{
    shl_shape shape;
    const bool arms = id == SHL_SCENE_ARMS_27;
    const shoal_status st = shl_shape_create(sphere, NULL, arms, params->seed, &shape);
    if (st != SHOAL_OK)
        return st;
    for (int i = 0; i < POSES; i++) {
        const shl_pose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .time = pose_time * i};
        shl_shape_write(&shape, &pose, SHOAL_F64, xyz + 3 * (size_t)sphere->vertex_count * i);
    }
    shl_shape_finish(&shape);
    return SHOAL_OK;
}

shoal_status shl_scene_model(shl_scene_id id, const shl_scene_params *params,
                             const shl_surface *sphere, shoal_context *ctx, shoal_model **out)
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = sphere->triangles;
    def.triangle_count = sphere->triangle_count;
    def.rest = shoal_positions_f64(sphere->xyz, sphere->vertex_count);
    def.builder = params->builder;
    def.arity = params->arity;
    if (def.builder != SHOAL_BUILDER_POSES)
        return shoal_model_create(ctx, &def, out);
    *out = NULL;
    double *xyz = calloc((size_t)sphere->vertex_count * POSES, 3 * sizeof *xyz);
    shoal_status st = xyz ? sample(id, params, sphere, xyz) : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK) {
        shoal_positions poses[POSES];
        for (int i = 0; i < POSES; i++)
            poses[i] = shoal_positions_f64(xyz + 3 * (size_t)sphere->vertex_count * i,
                                           sphere->vertex_count);
        def.poses = poses;
        def.pose_count = POSES;
        st = shoal_model_create(ctx, &def, out);
    }
    free(xyz);
    return st;
}
