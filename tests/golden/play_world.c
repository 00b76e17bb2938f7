// SPDX-License-Identifier: MIT
// A row over a world of test zero.
#include "golden.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct actor {
    bool reduced, skinned;
    shoal_model *model[2]; // the second one has the same triangles in the opposite order
    shoal_body body;
} actor;

static shoal_model *make(const golden_row *row, shoal_context *ctx, const world *w, uint32_t b,
                         const actor *a, bool turned)
{
    world_mesh mesh = w->mesh[b];
    const size_t corners = 3 * (size_t)mesh.triangle_count;
    mesh.tri = malloc(corners * sizeof *mesh.tri);
    if (!mesh.tri)
        abort();
    for (size_t i = 0; i < corners; i++)
        mesh.tri[i] = w->mesh[b].tri[turned ? corners - 1 - i : i];
    shoal_model_def def = model_def_of(&mesh, SHOAL_BUILDER_SURFACE_AREA, 8, NULL);
    shoal_skinned_def skinned = shoal_skinned_def_default();
    if (a->reduced) {
        def.reducible = true;
        def.fields = w->reduced[b].fields;
        def.field_count = w->reduced[b].field_count;
        def.bounds = row->bounds;
        def.sphere_level = b % 2 ? -1 : (int32_t)row->spheres - 1;
    }
    if (a->skinned) {
        skinned = skinned_def_of(&w->skinned[b]);
        skinned.blend = row->blend;
        skinned.influence = row->region;
        def.skinned = &skinned;
    }
    shoal_model *model = NULL;
    if (shoal_model_create(ctx, &def, &model) != SHOAL_OK)
        abort();
    free(mesh.tri);
    return model;
}

static shoal_status enter(shoal_scene *scene, actor *a)
{
    return a->reduced   ? shoal_scene_add_reduced(scene, a->model[0], &a->body)
           : a->skinned ? shoal_scene_add_skinned(scene, a->model[0], &a->body)
                        : shoal_scene_add_free(scene, a->model[0], &a->body);
}

static shoal_status place(shoal_scene *scene, const actor *a, const world *w, uint32_t b,
                          uint32_t step, bool broken)
{
    if (a->reduced)
        return set_state(scene, a->body, &w->reduced[b], step);
    if (a->skinned)
        return set_maps(scene, a->body, &w->skinned[b], step);
    const size_t scalars = 3 * (size_t)w->mesh[b].vertex_count;
    double *xyz = malloc(scalars * sizeof *xyz);
    if (!xyz)
        abort();
    memcpy(xyz, w->xyz[step][b], scalars * sizeof *xyz);
    if (broken)
        xyz[scalars / 2] = NAN;
    float *narrow = malloc(scalars * sizeof *narrow);
    if (!narrow)
        abort();
    for (size_t i = 0; i < scalars; i++)
        narrow[i] = (float)xyz[i];
    const uint32_t vertices = w->mesh[b].vertex_count;
    const shoal_positions p = w->floats && b % 2 ? shoal_positions_f32(narrow, vertices)
                                                 : shoal_positions_f64(xyz, vertices);
    const shoal_status st = shoal_scene_set_positions(scene, a->body, &p);
    free(narrow);
    free(xyz);
    return st;
}

// A box larger than the body's first place by a tenth; it leaves it in later steps of most
// worlds.
static shoal_status fatten(shoal_scene *scene, const actor *a, const world *w, uint32_t b)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)w->mesh[b].vertex_count; i++) {
        lo[i % 3] = fminf(lo[i % 3], (float)w->xyz[0][b][i]);
        hi[i % 3] = fmaxf(hi[i % 3], (float)w->xyz[0][b][i]);
    }
    for (int k = 0; k < 3; k++) {
        const float by = 0.05f * (hi[k] - lo[k]);
        lo[k] -= by;
        hi[k] += by;
    }
    return shoal_scene_set_fat_box(scene, a->body, lo, hi);
}

// What happens to bodies before a step.
static shoal_status disturb(const golden_row *row, shoal_scene *scene, uint32_t bodies,
                            actor *actors, uint32_t step)
{
    shoal_status st = SHOAL_OK;
    for (uint32_t b = 0; b < bodies && row->replaced && step == 2 && st == SHOAL_OK; b += 2)
        st = shoal_scene_replace_model(scene, actors[b].body, actors[b].model[1]);
    if (row->leaving && step == 1)
        st = shoal_scene_remove(scene, actors[1].body);
    if (row->leaving && step == 3)
        st = enter(scene, &actors[1]);
    return st;
}

static shoal_status play(const golden_row *row, const world *w, actor *actors,
                         shoal_scene *scene, golden_sum *out)
{
    for (uint32_t s = 0; s < w->step_count; s++) {
        shoal_status st = disturb(row, scene, w->body_count, actors, s);
        for (uint32_t b = 0; b < w->body_count && st == SHOAL_OK; b++) {
            if (row->leaving && b == 1 && (s == 1 || s == 2))
                continue;
            st = place(scene, &actors[b], w, b, s, row->broken && b == 2 && s == 1);
            if (st == SHOAL_OK && row->fat && s == 0)
                st = fatten(scene, &actors[b], w, b);
        }
        if (st == SHOAL_OK)
            st = shoal_scene_step(scene, row->queries);
        if (st != SHOAL_OK)
            return st;
        golden_add(row, scene, out);
    }
    return SHOAL_OK;
}

bool golden_play_world(const golden_row *row, shoal_context *ctx, shoal_scene *scene,
                       golden_sum *out)
{
    uint32_t kind = 0;
    while (kind < world_kinds() && strcmp(world_name(kind), row->world) != 0)
        kind++;
    if (kind == world_kinds())
        return false;
    world *w = world_make(kind);
    actor actors[WORLD_BODIES] = {0};
    shoal_status st = SHOAL_OK;
    for (uint32_t b = 0; b < w->body_count && st == SHOAL_OK; b++) {
        actor *a = &actors[b];
        a->reduced = w->reduced[b].used && !row->free;
        a->skinned = w->skinned[b].used && !row->free;
        for (int i = 0; i < 2; i++)
            a->model[i] = make(row, ctx, w, b, a, i);
        st = enter(scene, a);
    }
    if (st == SHOAL_OK)
        st = play(row, w, actors, scene, out);
    for (uint32_t b = 0; b < w->body_count; b++) {
        shoal_model_destroy(actors[b].model[0]);
        shoal_model_destroy(actors[b].model[1]);
    }
    world_free(w);
    return st == SHOAL_OK;
}
