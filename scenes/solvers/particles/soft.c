// SPDX-License-Identifier: MIT
#include "scenes/solvers/particles/soft.h"

#include "scenes/math/vec.h"

#include <stdlib.h>

static shl_soft_def default_def(void)
{
    return (shl_soft_def){
        .step = 1.0 / 120,
        .substeps = 2,
        .rounds = 4,
        .gravity = {0, 0, -9.81},
        .fastest = 5,
        .keep = 0.9995,
        .stiffness = 0.4,
        .repel = {.gap = 0.04, .reach = 0.15, .friction = 0.3, .creep = 0.004}};
}

static void destroy(void *state)
{
    shl_soft *p = state;
    if (!p)
        return;
    shl_stage_finish(&p->stage);
    if (p->kind->finish)
        p->kind->finish(p);
    shl_repels_finish(&p->repels);
    shl_links_finish(&p->links);
    shl_clusters_finish(&p->clusters);
    shl_particles_finish(&p->particles);
    free(p);
}

static shoal_status create(const shl_play *play, const shl_scene_params *params,
                           shoal_context *ctx, shoal_scene *scene, void **out)
{
    *out = NULL;
    shl_soft *p = calloc(1, sizeof *p);
    if (!p)
        return SHOAL_ERR_MEMORY;
    p->kind = play->kind;
    p->def = default_def();
    p->stage = (shl_stage){.ctx = ctx, .scene = scene, .params = *params};
    const shoal_status st = p->kind->build(p, params);
    if (st != SHOAL_OK) {
        destroy(p);
        return st;
    }
    *out = p;
    return SHOAL_OK;
}

shoal_status shl_soft_add_fixed(shl_soft *p, const shl_surface *s, uint32_t *first)
{
    shoal_status st = shl_particles_add(&p->particles, s->vertex_count, s->xyz, NULL, 0, first);
    if (st != SHOAL_OK)
        return st;
    const shl_actor_def def = {.first = *first,
                               .vertex_count = s->vertex_count,
                               .triangles = s->triangles,
                               .triangle_count = s->triangle_count};
    return shl_stage_add(&p->stage, &p->particles, &def);
}

static void advance(shl_soft *p)
{
    const shl_soft_def *d = &p->def;
    const double part = d->step / d->substeps;
    for (uint32_t i = 0; i < d->substeps; i++) {
        shl_particles_predict(&p->particles, d->gravity, part, d->fastest);
        shl_links_begin(&p->links);
        if (i == 0)
            shl_clusters_begin(&p->clusters);
        if (p->kind->move)
            p->kind->move(p, p->steps * d->step + (i + 1) * part);
        for (uint32_t round = 0; round < d->rounds; round++) {
            shl_links_solve(&p->links, &p->particles, part);
            if (p->clusters.count)
                shl_clusters_match(&p->clusters, &p->particles, d->stiffness);
            shl_repels_solve(&p->repels, &p->particles, d->repel.friction);
        }
        shl_particles_settle(&p->particles, part, d->keep);
    }
    p->steps++;
}

static shoal_status step(void *state, uint32_t number)
{
    shl_soft *p = state;
    if (number == 1)
        return shl_stage_hand_over(&p->stage, &p->particles);
    const shoal_nearest_rows tris = shoal_scene_nearest_triangles(p->stage.scene);
    const shoal_nearest_rows own = shoal_scene_nearest_self(p->stage.scene);
    p->repels.count = 0;
    shoal_status st = shl_repels_read(&p->repels, &p->def.repel, &p->stage, &p->particles,
                                      tris.rows, tris.count);
    if (st == SHOAL_OK)
        st = shl_repels_read(&p->repels, &p->def.repel, &p->stage, &p->particles, own.rows,
                             own.count);
    if (st != SHOAL_OK)
        return st;
    advance(p);
    if (p->kind->after)
        st = p->kind->after(p);
    return st == SHOAL_OK ? shl_stage_hand_over(&p->stage, &p->particles) : st;
}

static uint32_t body_count(const void *state)
{
    return ((const shl_soft *)state)->stage.count;
}

static const shl_surface *surface(const void *state, uint32_t body)
{
    return &((const shl_soft *)state)->stage.actors[body].surface;
}

static void vertices(const void *state, uint32_t body, double *xyz)
{
    const shl_soft *p = state;
    const shl_actor *a = &p->stage.actors[body];
    for (size_t i = 0; i < a->surface.vertex_count; i++)
        memcpy(xyz + 3 * i, p->particles.p + 3 * (size_t)a->particle[i], 3 * sizeof *xyz);
}

static bool measure(const void *state, shl_motion_report *out)
{
    const shl_soft *p = state;
    const shl_particles *t = &p->particles;
    double mass = 0, momentum = 0;
    *out = (shl_motion_report){.time = p->steps * p->def.step,
                               .bodies = p->stage.count,
                               .soft = true,
                               .contacts = p->repels.count,
                               .closest = INFINITY};
    for (size_t i = 0; i < t->count; i++) {
        if (t->inverse[i] == 0)
            continue;
        const double square = shl_dot(t->v + 3 * i, t->v + 3 * i), m = t->mass[i];
        out->kinetic += 0.5 * m * square;
        out->energy += 0.5 * m * square - m * shl_dot(p->def.gravity, t->p + 3 * i);
        momentum += m * sqrt(square);
        mass += m;
    }
    out->mean_speed = mass > 0 ? momentum / mass : 0;
    const shoal_nearest_rows found = shoal_scene_nearest(p->stage.scene);
    for (size_t i = 0; i < found.count; i++)
        out->closest =
            found.rows[i].distance < out->closest ? found.rows[i].distance : out->closest;
    return true;
}

// What is saved begins with this; then come places, velocities, turns and the scene's own.
typedef struct saved {
    uint32_t steps, particles, clusters, own;
} saved;

static size_t put(void *to, size_t at, const void *from, size_t bytes)
{
    if (to)
        memcpy((char *)to + at, from, bytes);
    return at + bytes;
}

static size_t save(const void *state, void *to)
{
    const shl_soft *p = state;
    const size_t column = 3 * (size_t)p->particles.count * sizeof(double);
    const size_t own = p->kind->save ? p->kind->save(p, NULL) : 0;
    const saved head = {p->steps, p->particles.count, p->clusters.count, (uint32_t)own};
    size_t at = put(to, 0, &head, sizeof head);
    at = put(to, at, p->particles.p, column);
    at = put(to, at, p->particles.v, column);
    for (uint32_t i = 0; i < p->clusters.count; i++)
        at = put(to, at, p->clusters.list[i].turn, sizeof p->clusters.list[i].turn);
    if (own && to)
        p->kind->save(p, (char *)to + at);
    return at + own;
}

static shoal_status restore(void *state, uint32_t step, const void *from, size_t size)
{
    shl_soft *p = state;
    saved head;
    if (size < sizeof head)
        return SHOAL_ERR_ARGUMENT;
    memcpy(&head, from, sizeof head);
    const size_t column = 3 * (size_t)head.particles * sizeof(double);
    const size_t turns = head.clusters * sizeof p->clusters.list[0].turn;
    if (size != sizeof head + 2 * column + turns + head.own || head.steps + 1 != step ||
        (head.own && !p->kind->restore))
        return SHOAL_ERR_ARGUMENT;
    const char *at = (const char *)from + sizeof head;
    const shoal_status st =
        head.own ? p->kind->restore(p, at + 2 * column + turns, head.own) : SHOAL_OK;
    if (st != SHOAL_OK)
        return st;
    if (head.particles != p->particles.count || head.clusters != p->clusters.count)
        return SHOAL_ERR_ARGUMENT;
    memcpy(p->particles.p, at, column);
    memcpy(p->particles.v, at + column, column);
    for (uint32_t i = 0; i < head.clusters; i++)
        memcpy(p->clusters.list[i].turn, at + 2 * column + i * sizeof p->clusters.list[i].turn,
               sizeof p->clusters.list[i].turn);
    p->steps = head.steps;
    return shl_stage_hand_over(&p->stage, &p->particles);
}

const shl_simulator shl_soft_simulator = {.create = create,
                                          .destroy = destroy,
                                          .step = step,
                                          .body_count = body_count,
                                          .surface = surface,
                                          .vertices = vertices,
                                          .measure = measure,
                                          .save = save,
                                          .restore = restore};
