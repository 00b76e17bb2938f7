// SPDX-License-Identifier: MIT
#include "scenes/models/model.h"

#include "scenes/plays/tangle.h"
#include "scenes/shapes/plate.h"
#include "scenes/shapes/shape.h"

#include <stdlib.h>

enum { POSES = 8 };
static const double pose_time = 0.8; // from one to the next; together about one period

static shl_pose pose_of(int i)
{
    return (shl_pose){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .time = pose_time * i};
}

static shoal_status sample_plate(const shl_surface *rest, double *xyz)
{
    shl_plate plate;
    const shoal_status st = shl_plate_create(rest, NULL, &plate);
    for (int i = 0; i < POSES && st == SHOAL_OK; i++) {
        const shl_pose pose = pose_of(i);
        shl_plate_write(&plate, &pose, SHOAL_F64, xyz + 3 * (size_t)rest->vertex_count * i);
    }
    if (st == SHOAL_OK)
        shl_plate_finish(&plate);
    return st;
}

static shoal_status sample_tangle(const shl_surface *rest, double *xyz)
{
    static const double centre[3] = {0};
    shl_tangle tangle;
    const shoal_status st = shl_tangle_create(rest, NULL, 1, &tangle);
    for (uint32_t i = 0; i < POSES && st == SHOAL_OK; i++) {
        shl_tangle_stir(&tangle, 0, i);
        shl_tangle_write(&tangle, 0, centre, SHOAL_F64,
                         xyz + 3 * (size_t)rest->vertex_count * i);
    }
    if (st == SHOAL_OK)
        shl_tangle_finish(&tangle);
    return st;
}

static shoal_status sample_shape(const shl_surface *rest, bool arms, uint64_t seed, double *xyz)
{
    shl_shape shape;
    const shoal_status st = shl_shape_create(rest, NULL, arms, seed, &shape);
    for (int i = 0; i < POSES && st == SHOAL_OK; i++) {
        const shl_pose pose = pose_of(i);
        shl_shape_write(&shape, &pose, SHOAL_F64, xyz + 3 * (size_t)rest->vertex_count * i);
    }
    if (st == SHOAL_OK)
        shl_shape_finish(&shape);
    return st;
}

// The deforming body in its own frame, at a few times, as one array.
static shoal_status sample(shl_scene_id id, const shl_scene_params *params,
                           const shl_surface *rest, double *xyz)
{
    return id == SHL_SCENE_PLATES ? sample_plate(rest, xyz)
           : id == SHL_SCENE_TANGLE
               ? sample_tangle(rest, xyz)
               : sample_shape(rest, id == SHL_SCENE_ARMS_27, params->seed, xyz);
}

shoal_status shl_scene_model(shl_scene_id id, const shl_scene_params *params,
                             const shl_surface *rest, shoal_context *ctx, shoal_model **out)
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = rest->triangles;
    def.triangle_count = rest->triangle_count;
    def.rest = shoal_positions_f64(rest->xyz, rest->vertex_count);
    def.builder = params->builder;
    def.arity = params->arity;
    if (def.builder != SHOAL_BUILDER_POSES)
        return shoal_model_create(ctx, &def, out);
    *out = NULL;
    double *xyz = calloc((size_t)rest->vertex_count * POSES, 3 * sizeof *xyz);
    shoal_status st = xyz ? sample(id, params, rest, xyz) : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK) {
        shoal_positions poses[POSES];
        for (int i = 0; i < POSES; i++)
            poses[i] = shoal_positions_f64(xyz + 3 * (size_t)rest->vertex_count * i,
                                           rest->vertex_count);
        def.poses = poses;
        def.pose_count = POSES;
        st = shoal_model_create(ctx, &def, out);
    }
    free(xyz);
    return st;
}
