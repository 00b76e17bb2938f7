// SPDX-License-Identifier: MIT
#include "scenes/play.h"

#include "scenes/vec.h"

#include <stdlib.h>

shl_play_def shl_play_default(void)
{
    return (shl_play_def){
        .step = 1.0 / 250,
        .substeps = 1,
        .rounds = 5,
        .gravity = {0, 0, -9.81},
        .fastest = 6,
        .keep = 0.9995,
        .stiffness = 0.4,
        .repel = {.gap = 0.03, .reach = 0.09, .friction = 0.3, .creep = 0.002}};
}

shoal_status shl_play_create(const shl_play_kind *kind, const shl_scene_params *params,
                             shoal_context *ctx, shoal_scene *scene, shl_play **out)
{
    *out = NULL;
    shl_play *p = calloc(1, sizeof *p);
    if (!p)
        return SHOAL_ERR_MEMORY;
    p->kind = kind;
    p->def = shl_play_default();
    p->stage = (shl_stage){.ctx = ctx, .scene = scene, .params = *params};
    const shoal_status st = kind->build(p, params);
    if (st != SHOAL_OK) {
        shl_play_destroy(p);
        return st;
    }
    *out = p;
    return SHOAL_OK;
}

void shl_play_destroy(shl_play *p)
{
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

shoal_status shl_play_add_fixed(shl_play *p, const shl_surface *s, uint32_t *first)
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

static void advance(shl_play *p)
{
    const shl_play_def *d = &p->def;
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

shoal_status shl_play_step(shl_play *p, uint32_t step)
{
    if (step == 1)
        return shl_stage_hand_over(&p->stage, &p->particles);
    const shoal_results found = shoal_scene_results(p->stage.scene);
    p->repels.count = 0;
    shoal_status st = shl_repels_read(&p->repels, &p->def.repel, &p->stage, &p->particles,
                                      found.nearest_triangles, found.nearest_triangle_count);
    if (st == SHOAL_OK)
        st = shl_repels_read(&p->repels, &p->def.repel, &p->stage, &p->particles,
                             found.nearest_self, found.nearest_self_count);
    if (st != SHOAL_OK)
        return st;
    advance(p);
    if (p->kind->after)
        st = p->kind->after(p);
    return st == SHOAL_OK ? shl_stage_hand_over(&p->stage, &p->particles) : st;
}

void shl_play_look(const shl_play *p, shl_motion_report *out)
{
    const shl_particles *t = &p->particles;
    double mass = 0, momentum = 0;
    *out = (shl_motion_report){.time = p->steps * p->def.step,
                               .bodies = p->stage.count,
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
    const shoal_results found = shoal_scene_results(p->stage.scene);
    for (size_t i = 0; i < found.nearest_count; i++)
        out->closest =
            found.nearest[i].distance < out->closest ? found.nearest[i].distance : out->closest;
}
