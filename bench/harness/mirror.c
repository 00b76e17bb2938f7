// SPDX-License-Identifier: MIT
#include "bench/harness/mirror.h"

#include <shoal/shoal.h>
#include <stdlib.h>

shoal_status bench_leader_start(shl_scene_id id, uint32_t threads, bench_leader *out)
{
    *out = (bench_leader){.queries = shl_scene_queries(id)};
    const shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = threads;
    sd.distance_engine = SHOAL_DISTANCE_TREES;
    const shl_scene_params params = shl_scene_defaults(id);
    shoal_status st = shoal_context_create(&cd, &out->context);
    if (st == SHOAL_OK)
        st = shoal_scene_create(out->context, &sd, &out->scene);
    if (st == SHOAL_OK)
        st = shl_motion_create(id, &params, out->context, out->scene, &out->motion);
    return st;
}

shoal_status bench_leader_step(bench_leader *leader)
{
    const shoal_status st = shl_motion_step(leader->motion, ++leader->step);
    return st == SHOAL_OK ? shoal_scene_step(leader->scene, leader->queries) : st;
}

void bench_leader_finish(bench_leader *leader)
{
    if (leader->motion)
        shl_motion_destroy(leader->motion);
    shoal_scene_destroy(leader->scene);
    shoal_context_destroy(leader->context);
    free(leader->xyz);
}

shoal_status bench_mirror_start(bench_leader *leader, const shoal_scene_def *def,
                                bench_mirror *out)
{
    *out = (bench_mirror){0};
    return shoal_scene_create(leader->context, def, &out->scene);
}

static shoal_status grow(bench_mirror *m, uint32_t count)
{
    if (count <= m->count)
        return SHOAL_OK;
    shoal_body *bodies = realloc(m->bodies, count * sizeof *bodies);
    m->bodies = bodies ? bodies : m->bodies;
    const uint32_t **triangles = realloc(m->triangles, count * sizeof *triangles);
    m->triangles = triangles ? triangles : m->triangles;
    uint32_t *counts = realloc(m->triangle_counts, count * sizeof *counts);
    m->triangle_counts = counts ? counts : m->triangle_counts;
    if (!bodies || !triangles || !counts)
        return SHOAL_ERR_MEMORY;
    for (; m->count < count; m->count++)
        m->bodies[m->count] = (shoal_body){0};
    return SHOAL_OK;
}

static bool same_shape(const bench_mirror *m, uint32_t i, const shl_surface *s)
{
    return s && m->triangles[i] == s->triangles && m->triangle_counts[i] == s->triangle_count;
}

static shoal_status enter(bench_mirror *m, bench_leader *leader, uint32_t i,
                          const shl_surface *s)
{
    shoal_model_def md = shoal_model_def_default();
    md.triangles = s->triangles;
    md.triangle_count = s->triangle_count;
    md.rest = shoal_positions_f64(leader->xyz, s->vertex_count);
    shoal_model *model;
    shoal_status st = shoal_model_create(leader->context, &md, &model);
    if (st != SHOAL_OK)
        return st;
    st = shoal_scene_add_free(m->scene, model, &m->bodies[i]);
    shoal_model_destroy(model);
    m->triangles[i] = s->triangles;
    m->triangle_counts[i] = s->triangle_count;
    return st;
}

shoal_status bench_mirror_follow(bench_mirror *m, bench_leader *leader)
{
    const uint32_t count = shl_motion_body_count(leader->motion);
    shoal_status st = grow(m, count);
    for (uint32_t i = 0; i < m->count && st == SHOAL_OK; i++) {
        const shl_surface *s = i < count ? shl_motion_surface(leader->motion, i) : NULL;
        if (!m->bodies[i].index1 || same_shape(m, i, s))
            continue;
        st = shoal_scene_remove(m->scene, m->bodies[i]);
        m->bodies[i] = (shoal_body){0};
    }
    for (uint32_t i = 0; i < count && st == SHOAL_OK; i++) {
        const shl_surface *s = shl_motion_surface(leader->motion, i);
        if (!s)
            continue;
        if (s->vertex_count > leader->room) {
            free(leader->xyz);
            leader->room = s->vertex_count;
            leader->xyz = malloc(3 * leader->room * sizeof *leader->xyz);
            if (!leader->xyz) {
                leader->room = 0;
                return SHOAL_ERR_MEMORY;
            }
        }
        shl_motion_vertices(leader->motion, i, leader->xyz);
        if (!m->bodies[i].index1)
            st = enter(m, leader, i, s);
        const shoal_positions p = shoal_positions_f64(leader->xyz, s->vertex_count);
        if (st == SHOAL_OK)
            st = shoal_scene_set_positions(m->scene, m->bodies[i], &p);
    }
    return st;
}

void bench_mirror_finish(bench_mirror *m)
{
    shoal_scene_destroy(m->scene);
    free(m->bodies);
    free((void *)m->triangles);
    free(m->triangle_counts);
}
