// SPDX-License-Identifier: MIT
// Bodies of a world as the kinds they are.
#include "run.h"

#include <shoal/study.h>
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

shoal_skinned_def skinned_def_of(const world_skinned *p)
{
    shoal_skinned_def def = shoal_skinned_def_default();
    def.control_count = p->node_count;
    def.controls = p->nodes;
    def.weight_begin = p->weight_begin;
    def.weight_control = p->weight_control;
    def.weight = p->weight;
    def.weight_count = p->weight_count;
    return def;
}

shoal_model *make_skinned(shoal_context *ctx, const world_mesh *mesh,
                          const world_skinned *skinned, shoal_blend blend,
                          shoal_influence region, shoal_builder builder, uint32_t arity)
{
    shoal_positions poses[2];
    shoal_model_def def = model_def_of(mesh, builder, arity, poses);
    shoal_skinned_def carried = skinned_def_of(skinned);
    carried.blend = blend;
    carried.influence = region;
    def.skinned = &carried;
    shoal_model *model = NULL;
    if (shoal_model_create(ctx, &def, &model) != SHOAL_OK)
        abort();
    return model;
}

shoal_model *skinned_model_of(shoal_context *ctx, const world_mesh *mesh,
                              const world_skinned *skinned, shoal_blend blend,
                              shoal_influence region)
{
    return make_skinned(ctx, mesh, skinned, blend, region, SHOAL_BUILDER_SURFACE_AREA, 8);
}

shoal_status set_maps(shoal_scene *scene, shoal_body body, const world_skinned *skinned,
                      uint32_t step)
{
    const double *state = skinned->state[step];
    const size_t n = skinned->node_count;
    shoal_skinned_state all = {.bodies = &body, .count = 1, .row_count = n, .stride = n};
    if (skinned->affine) {
        all.A = state;
        all.t = state + 9 * n;
    } else {
        all.J = state;
        all.u = state + 9 * n;
    }
    return shoal_scene_set_skinned(scene, &all);
}

shoal_model *kind_model_of(shoal_context *ctx, const world *w, uint32_t b)
{
    if (w->reduced[b].used)
        return reduced_model_of(ctx, &w->mesh[b], &w->reduced[b], SHOAL_BOUNDS_AUTO);
    if (w->skinned[b].used)
        return skinned_model_of(ctx, &w->mesh[b], &w->skinned[b], SHOAL_BLEND_AUTO,
                                SHOAL_INFLUENCE_AUTO);
    return model_of(ctx, &w->mesh[b]);
}

shoal_status kind_add(shoal_scene *scene, shoal_model *model, const world *w, uint32_t b,
                      shoal_body *out)
{
    return w->reduced[b].used   ? shoal_scene_add_reduced(scene, model, out)
           : w->skinned[b].used ? shoal_scene_add_skinned(scene, model, out)
                                : shoal_scene_add_free(scene, model, out);
}

shoal_status kind_set(shoal_scene *scene, shoal_body id, const world *w, uint32_t b,
                      uint32_t step)
{
    if (w->reduced[b].used)
        return set_state(scene, id, &w->reduced[b], step);
    if (w->skinned[b].used)
        return set_maps(scene, id, &w->skinned[b], step);
    const shoal_positions p = shoal_positions_f64(w->xyz[step][b], w->mesh[b].vertex_count);
    return shoal_scene_set_positions(scene, id, &p);
}
