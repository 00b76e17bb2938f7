// SPDX-License-Identifier: MIT
#include "play.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

// A plate of more vertices than a part has, away from all else.
static bool add_plate(play *p)
{
    enum { SIDE = 66, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
    static float xyz[3 * VERTICES];
    static uint32_t tri[3 * TRIANGLES];
    uint32_t *to = tri;
    for (uint32_t v = 0; v < VERTICES; v++) {
        const uint32_t x = v % SIDE, y = v / SIDE;
        xyz[3 * v] = 0.1f * (float)x;
        xyz[3 * v + 1] = 0.1f * (float)y;
        xyz[3 * v + 2] = 50;
        if (x + 1 == SIDE || y + 1 == SIDE)
            continue;
        const uint32_t corners[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
        memcpy(to, corners, sizeof corners);
        to += 6;
    }
    const shoal_positions at = shoal_positions_f32(xyz, VERTICES);
    shoal_model_def md = shoal_model_def_default();
    md.triangles = tri;
    md.triangle_count = TRIANGLES;
    md.rest = at;
    return !shoal_model_create(p->ctx, &md, &p->plate) &&
           !shoal_scene_add_free(p->scene, p->plate, &p->plate_body) &&
           !shoal_scene_set_positions(p->scene, p->plate_body, &at);
}

bool play_begin(play *p, const play_def *def)
{
    *p = (play){.list_margin = def->list_margin > 0,
                .distance = def->distance != SHOAL_DISTANCE_AUTO};
    shoal_context_def cd = shoal_context_def_default();
    cd.gpu = SHOAL_GPU_OFF; // which would do the grid's jobs
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = def->executor;
    sd.threads = def->threads;
    sd.broad = def->broad;
    sd.list_margin = def->list_margin;
    sd.within = 0.1;
    sd.distance_engine = def->distance;
    sd.strategy = SHOAL_STRATEGY_AUTO;
    sd.coherence = SHOAL_COHERENCE_EAGER;
    sd.rebuild_ratio = def->rebuild_ratio;
    p->mesh = mesh_ball(p->distance ? 1 : def->level, 7);
    // a vertex of no triangle: it is looked at apart from all others
    p->mesh.rest =
        realloc(p->mesh.rest, 3 * sizeof(double) * (p->mesh.vertex_count + (size_t)1));
    memset(p->mesh.rest + 3 * (size_t)p->mesh.vertex_count++, 0, 3 * sizeof(double));
    shoal_model_def md = shoal_model_def_default();
    md.triangles = p->mesh.tri;
    md.triangle_count = p->mesh.triangle_count;
    md.rest = shoal_positions_f64(p->mesh.rest, p->mesh.vertex_count);
    md.reducible = true;
    md.sphere_level = 4;
    // one node carries all
    enum { MOST = 700 };
    static uint32_t begin[MOST + 1], node[MOST];
    static float weight[MOST];
    static const double at[3];
    for (uint32_t v = 0; v < MOST; v++) {
        begin[v + 1] = v + 1;
        weight[v] = 1;
    }
    const shoal_skinned_def skinned = {.size = sizeof skinned,
                                       .control_count = 1,
                                       .controls = at,
                                       .weight_begin = begin,
                                       .weight_control = node,
                                       .weight = weight,
                                       .weight_count = p->mesh.vertex_count};
    md.skinned = &skinned;
    if (p->mesh.vertex_count > MOST)
        return false;
    if (shoal_context_create(&cd, &p->ctx) || shoal_scene_create(p->ctx, &sd, &p->scene) ||
        shoal_model_create(p->ctx, &md, &p->model))
        return false;
    for (int b = 0; b < PLAY_BODIES; b++) {
        if (posix_memalign((void **)&p->xyz[b], 4096, 3 * sizeof(float) * p->mesh.vertex_count))
            return false;
    }
    return !def->plate || add_plate(p);
}

void play_end(play *p)
{
    shoal_scene_destroy(p->scene);
    shoal_model_destroy(p->model);
    shoal_model_destroy(p->plate);
    shoal_context_destroy(p->ctx);
    mesh_free(&p->mesh);
    for (int b = 0; b < PLAY_BODIES; b++)
        free(p->xyz[b]);
}

// Two bodies that a node carries join them, too.
static bool move_points(play *p, uint32_t step, bool end)
{
    for (int i = 0; i < 2 && (step == 0 || end); i++) {
        if (end ? shoal_scene_remove(p->scene, p->carried[i])
                : shoal_scene_add_skinned(p->scene, p->model, &p->carried[i]))
            return false;
    }
    const double at[6] = {0.4, -0.4, 0.1 * step, 0.9, -0.5, 0.1};
    const shoal_skinned_state state = {.bodies = p->carried,
                                       .count = end ? 0 : 2,
                                       .row_count = end ? 0 : 2,
                                       .stride = 2,
                                       .u = at};
    return shoal_scene_set_skinned(p->scene, &state) == SHOAL_OK;
}

// Two rigid bodies with contact spheres join the others, but not at the end.
static bool move_reduced(play *p, uint32_t step, bool end)
{
    for (int i = 0; i < 2 && (step == 0 || end); i++) {
        if (end ? shoal_scene_remove(p->scene, p->reduced[i])
                : shoal_scene_add_reduced(p->scene, p->model, &p->reduced[i]))
            return false;
    }
    const double at[6] = {0.3, 1.1, 0.1 * step, 0.2, -0.8, 0};
    const shoal_reduced_state state = {
        .bodies = p->reduced, .count = end ? 0 : 2, .stride = 2, .translation = at};
    return shoal_scene_set_reduced(p->scene, &state) == SHOAL_OK;
}

// One body has a fat box, one a mask, and one is bad for a while.
static bool trouble(play *p, uint32_t step, uint32_t b)
{
    float lo[3], hi[3];
    if (b == 5 && (step == 2 || step == 3))
        p->xyz[b][7] = NAN;
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
        for (uint32_t i = 0; i < p->mesh.vertex_count; i++) {
            lo[k] = fminf(lo[k], p->xyz[b][3 * i + (uint32_t)k] - 0.05f);
            hi[k] = fmaxf(hi[k], p->xyz[b][3 * i + (uint32_t)k] + 0.05f);
        }
    }
    if (b == 2 && !p->distance && shoal_scene_set_filter(p->scene, p->body[b], 1, 1))
        return false; // forbids nothing, but is asked
    return b != 1 || !shoal_scene_set_fat_box(p->scene, p->body[b], lo, hi);
}

// Bodies come in two waves and go through one another; a third each is copied, gathered and
// read in place. At last only two are left that hardly meet, so that seeds lie deep.
bool play_move(play *p, uint32_t step)
{
    const bool end = step == PLAY_STEPS - 1;
    const uint32_t bodies = end ? 2 : step < 2 ? PLAY_BODIES / 2 : PLAY_BODIES;
    for (uint32_t b = bodies; b < PLAY_BODIES && end; b++) {
        if (shoal_scene_remove(p->scene, p->body[b]))
            return false;
    }
    for (uint32_t b = 0; b < bodies; b++) {
        if (!p->body[b].index1 && shoal_scene_add_free(p->scene, p->model, &p->body[b]))
            return false;
        const double at[3] = {(end ? 1.55 : 0.9) * (b % 3) + 0.05 * step, 0.8 * (b / 3 % 2),
                              0.8 * (b / 6)};
        const uint32_t *order = b % 3 == 1 ? shoal_model_vertex_order(p->model) : NULL;
        for (uint32_t i = 0; i < p->mesh.vertex_count; i++) {
            const double *from = p->mesh.rest + 3 * (size_t)(order ? order[i] : i);
            for (int k = 0; k < 3; k++) // a cap is pushed through to the other side
                p->xyz[b][3 * i + (uint32_t)k] =
                    (float)(at[k] + (k == 0 && from[0] > 0.6 ? 3.6 - 5 * from[0] : from[k]));
        }
        shoal_positions v = shoal_positions_f32(p->xyz[b], p->mesh.vertex_count);
        v.hold = b % 3 ? SHOAL_BORROW : SHOAL_COPY;
        v.order = order ? SHOAL_ORDER_TREE : SHOAL_ORDER_USER;
        if (!trouble(p, step, b) || shoal_scene_set_positions(p->scene, p->body[b], &v))
            return false;
    }
    return p->list_margin || (move_reduced(p, step, end) && move_points(p, step, end));
}

uint32_t play_queries(const play *p, uint32_t step)
{
    if (p->distance)
        return SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN | SHOAL_QUERY_NEAREST_TRIANGLES |
               SHOAL_QUERY_NEAREST_SELF;
    if (step == PLAY_STEPS - 1)
        return SHOAL_QUERY_PAIRS;
    return SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF |
           SHOAL_QUERY_SELF_ADJACENT | (p->list_margin ? 0u : SHOAL_QUERY_SPHERES);
}
