// SPDX-License-Identifier: MIT
#include "scenes/solvers/particles/stage.h"

#include <stdlib.h>
#include <string.h>

static void finish_actor(shl_actor *a)
{
    if (a->owns)
        shoal_model_destroy(a->model);
    shl_surface_finish(&a->surface);
    free(a->particle);
    free(a->rows);
    *a = (shl_actor){0};
}

static shoal_status make_model(const shl_stage *s, shl_actor *a)
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = a->surface.triangles;
    def.triangle_count = a->surface.triangle_count;
    def.rest = shoal_positions_f64(a->surface.xyz, a->surface.vertex_count);
    def.builder = s->params.builder;
    def.arity = s->params.arity;
    if (def.builder == SHOAL_BUILDER_POSES) { // these bodies know no pose but the first
        def.poses = &def.rest;
        def.pose_count = 1;
    }
    const shoal_status st = shoal_model_create(s->ctx, &def, &a->model);
    a->owns = st == SHOAL_OK;
    return st;
}

// All but the body in shoal.
static shoal_status make_actor(const shl_stage *s, const shl_particles *particles,
                               const shl_actor_def *def, shl_actor *a)
{
    const size_t bytes = s->params.precision == SHOAL_F64 ? sizeof(double) : sizeof(float);
    const size_t vertices = def->vertex_count, corners = 3 * (size_t)def->triangle_count;
    *a = (shl_actor){.open = def->open, .model = def->model};
    a->particle = malloc(vertices * sizeof *a->particle);
    a->rows = malloc(3 * vertices * bytes);
    a->surface = (shl_surface){.xyz = malloc(3 * vertices * sizeof(double)),
                               .triangles = malloc(corners * sizeof(uint32_t)),
                               .vertex_count = def->vertex_count,
                               .triangle_count = def->triangle_count};
    if (!a->particle || !a->rows || !a->surface.xyz || !a->surface.triangles) {
        finish_actor(a);
        return SHOAL_ERR_MEMORY;
    }
    memcpy(a->surface.triangles, def->triangles, corners * sizeof(uint32_t));
    for (uint32_t i = 0; i < def->vertex_count; i++) {
        a->particle[i] = def->particle ? def->particle[i] : def->first + i;
        memcpy(a->surface.xyz + 3 * (size_t)i, particles->p + 3 * (size_t)a->particle[i],
               3 * sizeof(double));
    }
    const shoal_status st = a->model ? SHOAL_OK : make_model(s, a);
    if (st != SHOAL_OK) {
        finish_actor(a);
        return st;
    }
    a->order = s->params.order == SHOAL_ORDER_TREE ? shoal_model_vertex_order(a->model) : NULL;
    return SHOAL_OK;
}

static void write_actor(const shl_stage *s, const shl_particles *particles, shl_actor *a)
{
    for (size_t row = 0; row < a->surface.vertex_count; row++) {
        const size_t vertex = a->order ? a->order[row] : row;
        const double *p = particles->p + 3 * (size_t)a->particle[vertex];
        for (size_t k = 0; k < 3; k++) {
            if (s->params.precision == SHOAL_F64)
                ((double *)a->rows)[3 * row + k] = p[k];
            else
                ((float *)a->rows)[3 * row + k] = (float)p[k];
        }
    }
}

static shoal_status tell(const shl_stage *s, const shl_actor *a)
{
    shoal_positions p =
        s->params.precision == SHOAL_F64
            ? shoal_positions_f64((const double *)a->rows, a->surface.vertex_count)
            : shoal_positions_f32((const float *)a->rows, a->surface.vertex_count);
    p.order = s->params.order;
    p.hold = s->params.hold;
    return shoal_scene_set_positions(s->scene, a->id, &p);
}

shoal_status shl_stage_add(shl_stage *s, const shl_particles *particles,
                           const shl_actor_def *def)
{
    if (s->count == s->capacity) {
        const uint32_t want = s->capacity ? 2 * s->capacity : 16;
        shl_actor *more = realloc(s->actors, want * sizeof *more);
        if (!more)
            return SHOAL_ERR_MEMORY;
        s->actors = more;
        s->capacity = want;
    }
    shl_actor *a = &s->actors[s->count];
    shoal_status st = make_actor(s, particles, def, a);
    if (st != SHOAL_OK)
        return st;
    st = shoal_scene_add_free(s->scene, a->model, &a->id);
    if (st == SHOAL_OK) {
        write_actor(s, particles, a);
        st = tell(s, a);
        if (st != SHOAL_OK && shoal_scene_remove(s->scene, a->id) != SHOAL_OK)
            st = SHOAL_ERR_STALE; // cannot be: it was added just now
    }
    if (st != SHOAL_OK)
        finish_actor(a);
    else
        s->count++;
    return st;
}

shoal_status shl_stage_replace(shl_stage *s, const shl_particles *particles, uint32_t actor,
                               const shl_actor_def *def)
{
    shl_actor made, *a = &s->actors[actor];
    shoal_status st = make_actor(s, particles, def, &made);
    if (st != SHOAL_OK)
        return st;
    made.id = a->id;
    st = shoal_scene_replace_model(s->scene, a->id, made.model);
    if (st != SHOAL_OK) {
        finish_actor(&made);
        return st;
    }
    finish_actor(a); // shoal no longer reads its array
    *a = made;
    write_actor(s, particles, a);
    return tell(s, a);
}

void shl_stage_finish(shl_stage *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        // bodies that borrow an array must not outlive it
        if (shoal_scene_remove(s->scene, s->actors[i].id) == SHOAL_OK)
            finish_actor(&s->actors[i]);
    }
    free(s->actors);
    *s = (shl_stage){0};
}

shoal_status shl_stage_hand_over(shl_stage *s, const shl_particles *particles)
{
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < s->count && st == SHOAL_OK; i++) {
        write_actor(s, particles, &s->actors[i]);
        if (s->params.hold == SHOAL_COPY) // a borrowed array is read in every step
            st = tell(s, &s->actors[i]);
    }
    return st;
}
