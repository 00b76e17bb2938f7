// SPDX-License-Identifier: MIT
// Bodies of a world as the kinds they are.
#include "run.h"

#include <stdlib.h>

shoal_model *make_reduced(shoal_context *ctx, const world_mesh *mesh,
                          const world_reduced *reduced, shoal_bounds bounds,
                          shoal_builder builder, uint32_t arity)
{
    shoal_positions poses[2];
    shoal_model_def def = model_def_of(mesh, builder, arity, poses);
    def.reducible = true;
    def.fields = reduced->fields;
    def.field_count = reduced->field_count;
    def.bounds = bounds;
    shoal_model *model = NULL;
    if (shoal_model_create(ctx, &def, &model) != SHOAL_OK)
        abort();
    return model;
}

shoal_model *reduced_model_of(shoal_context *ctx, const world_mesh *mesh,
                              const world_reduced *reduced, shoal_bounds bounds)
{
    return make_reduced(ctx, mesh, reduced, bounds, SHOAL_BUILDER_SURFACE_AREA, 8);
}

shoal_status set_state(shoal_scene *scene, shoal_body body, const world_reduced *reduced,
                       uint32_t step)
{
    const double *state = reduced->state[step];
    const shoal_reduced_state all = {.bodies = &body,
                                     .count = 1,
                                     .stride = 1,
                                     .rotation = state,
                                     .translation = state + 9,
                                     .q = state + 12,
                                     .field_count = reduced->field_count};
    return shoal_scene_set_reduced(scene, &all);
}

shoal_points_def points_def_of(const world_points *p)
{
    shoal_points_def def = shoal_points_def_default();
    def.node_count = p->node_count;
    def.nodes = p->nodes;
    def.weight_begin = p->weight_begin;
    def.weight_node = p->weight_node;
    def.weight = p->weight;
    def.weight_count = p->weight_count;
    return def;
}

shoal_model *make_points(shoal_context *ctx, const world_mesh *mesh, const world_points *points,
                         shoal_blend blend, shoal_region region, shoal_builder builder,
                         uint32_t arity)
{
    shoal_positions poses[2];
    shoal_model_def def = model_def_of(mesh, builder, arity, poses);
    shoal_points_def carried = points_def_of(points);
    carried.blend = blend;
    carried.region = region;
    def.points = &carried;
    shoal_model *model = NULL;
    if (shoal_model_create(ctx, &def, &model) != SHOAL_OK)
        abort();
    return model;
}

shoal_model *points_model_of(shoal_context *ctx, const world_mesh *mesh,
                             const world_points *points, shoal_blend blend, shoal_region region)
{
    return make_points(ctx, mesh, points, blend, region, SHOAL_BUILDER_SURFACE_AREA, 8);
}

shoal_status set_maps(shoal_scene *scene, shoal_body body, const world_points *points,
                      uint32_t step)
{
    const double *state = points->state[step];
    const size_t n = points->node_count;
    shoal_points_state all = {.bodies = &body, .count = 1, .row_count = n, .stride = n};
    if (points->affine) {
        all.A = state;
        all.t = state + 9 * n;
    } else {
        all.J = state;
        all.u = state + 9 * n;
    }
    return shoal_scene_set_points(scene, &all);
}

shoal_model *kind_model_of(shoal_context *ctx, const world *w, uint32_t b)
{
    if (w->reduced[b].used)
        return reduced_model_of(ctx, &w->mesh[b], &w->reduced[b], SHOAL_BOUNDS_AUTO);
    if (w->points[b].used)
        return points_model_of(ctx, &w->mesh[b], &w->points[b], SHOAL_BLEND_AUTO,
                               SHOAL_REGION_AUTO);
    return model_of(ctx, &w->mesh[b]);
}

shoal_status kind_add(shoal_scene *scene, shoal_model *model, const world *w, uint32_t b,
                      shoal_body *out)
{
    return w->reduced[b].used  ? shoal_scene_add_reduced(scene, model, out)
           : w->points[b].used ? shoal_scene_add_points(scene, model, out)
                               : shoal_scene_add_free(scene, model, out);
}

shoal_status kind_set(shoal_scene *scene, shoal_body id, const world *w, uint32_t b,
                      uint32_t step)
{
    if (w->reduced[b].used)
        return set_state(scene, id, &w->reduced[b], step);
    if (w->points[b].used)
        return set_maps(scene, id, &w->points[b], step);
    const shoal_positions p = shoal_positions_f64(w->xyz[step][b], w->mesh[b].vertex_count);
    return shoal_scene_set_positions(scene, id, &p);
}
