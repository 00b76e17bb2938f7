// SPDX-License-Identifier: MIT
// Distances through the public interface: odd input, errors, and steps that allocate nothing.
#include "worlds.h"

#include "greatest.h"
#include "inside.h"

#include <math.h>
#include <shoal/study.h>
#include <string.h>

static const uint32_t all_queries = SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN |
                                    SHOAL_QUERY_NEAREST_TRIANGLES | SHOAL_QUERY_NEAREST_SELF;

typedef struct stage {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *model;
    world_mesh mesh;
    double *xyz;
} stage;

static shoal_distance_engine engine; // of the scenes that are made
static uint32_t resolution;
static int warnings;
static char said[512];

static void keep_line(void *user, shoal_status status, const char *text)
{
    (void)user;
    warnings += status == SHOAL_OK;
    snprintf(said, sizeof said, "%s", text);
}

static bool stage_make(stage *s, world_mesh mesh, double within)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.log = keep_line;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = 2;
    sd.distance_engine = engine;
    sd.grid_resolution = resolution;
    warnings = 0;
    sd.within = within;
    *s = (stage){.mesh = mesh};
    s->xyz = malloc(3 * sizeof(double) * mesh.vertex_count);
    shoal_model_def md = shoal_model_def_default();
    md.triangles = mesh.tri;
    md.triangle_count = mesh.triangle_count;
    md.rest = shoal_positions_f64(mesh.rest, mesh.vertex_count);
    return s->xyz && shoal_context_create(&cd, &s->ctx) == SHOAL_OK &&
           shoal_scene_create(s->ctx, &sd, &s->scene) == SHOAL_OK &&
           shoal_model_create(s->ctx, &md, &s->model) == SHOAL_OK;
}

static void stage_free(stage *s)
{
    shoal_scene_destroy(s->scene);
    shoal_model_destroy(s->model);
    shoal_context_destroy(s->ctx);
    mesh_free(&s->mesh);
    free(s->xyz);
}

static bool put(stage *s, shoal_body *body, double x)
{
    for (uint32_t i = 0; i < 3 * s->mesh.vertex_count; i++)
        s->xyz[i] = s->mesh.rest[i] + (i % 3 == 0 ? x : 0);
    const shoal_positions p = shoal_positions_f64(s->xyz, s->mesh.vertex_count);
    return (body->index1 || shoal_scene_add_free(s->scene, s->model, body) == SHOAL_OK) &&
           shoal_scene_set_positions(s->scene, *body, &p) == SHOAL_OK;
}

// A triangle in the plane x = 0.
static world_mesh one_triangle(void)
{
    static const double corners[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1};
    world_mesh m = {3, 1, malloc(3 * sizeof(uint32_t)), malloc(sizeof corners)};
    for (uint32_t i = 0; i < 3; i++)
        m.tri[i] = i;
    memcpy(m.rest, corners, sizeof corners);
    return m;
}

TEST one_body_has_no_neighbour(void)
{
    stage s;
    shoal_body body = {0}, empty;
    ASSERT(stage_make(&s, one_triangle(), INFINITY));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, all_queries)); // no body at all
    ASSERT_EQ(0u, shoal_scene_nearest(s.scene).count);
    ASSERT(put(&s, &body, 0));
    ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(s.scene, s.model, &empty)); // nothing set yet
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, all_queries));
    const shoal_nearest_rows nearest = shoal_scene_nearest(s.scene);
    const shoal_nearest_rows tris = shoal_scene_nearest_triangles(s.scene);
    const shoal_nearest_rows own = shoal_scene_nearest_self(s.scene);
    ASSERT_EQ(1u, nearest.count);
    ASSERT_EQ(0u, nearest.rows[0].body_a);
    ASSERT_EQ(SHOAL_NONE, nearest.rows[0].body_b);
    ASSERT_EQ(SHOAL_NONE, nearest.rows[0].triangle_a);
    ASSERT(isinf(nearest.rows[0].distance));
    ASSERT_EQ(0u, shoal_scene_within(s.scene).count);
    ASSERT_EQ(1u, tris.count);
    ASSERT_EQ(SHOAL_NONE, tris.rows[0].body_b);
    ASSERT_EQ(0u, tris.rows[0].triangle_a);
    ASSERT_EQ(1u, own.count);
    ASSERT_EQ(SHOAL_NONE, own.rows[0].body_b);
    stage_free(&s);
    PASS();
}

// Four bodies: 0 at 0, 1 at 3, 2 where 1 is, 3 at 4.5.
TEST nearest_ones_and_ties(void)
{
    stage s;
    shoal_body body[4] = {{0}};
    static const double at[4] = {0, 3, 3, 4.5};
    ASSERT(stage_make(&s, one_triangle(), 1.5));
    for (int i = 0; i < 4; i++)
        ASSERT(put(&s, &body[i], at[i]));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, all_queries));
    shoal_nearest_rows nearest = shoal_scene_nearest(s.scene);
    shoal_nearest_rows within = shoal_scene_within(s.scene);
    const shoal_nearest_rows tris = shoal_scene_nearest_triangles(s.scene);
    static const uint32_t other[4] = {1, 2, 1, 1};
    static const double distance[4] = {3, 0, 0, 1.5};
    ASSERT_EQ(4u, nearest.count);
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(other[i], nearest.rows[i].body_b);
        ASSERT_EQ(distance[i], nearest.rows[i].distance);
        ASSERT_EQ(at[i], nearest.rows[i].point_a[0]);
        ASSERT_EQ(at[other[i]], nearest.rows[i].point_b[0]);
        ASSERT_EQ(0, memcmp(&nearest.rows[i], &tris.rows[i], sizeof nearest.rows[i]));
    }
    ASSERT_EQ(3u, within.count); // 1-2, 1-3, 2-3: the border belongs to it
    ASSERT_EQ(1u, within.rows[0].body_a);
    ASSERT_EQ(2u, within.rows[0].body_b);
    ASSERT_EQ(3u, within.rows[2].body_b);
    // a removed body and a bad one are nobody's neighbours
    ASSERT_EQ(SHOAL_OK, shoal_scene_remove(s.scene, body[1]));
    ASSERT(put(&s, &body[2], NAN));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, all_queries));
    nearest = shoal_scene_nearest(s.scene);
    within = shoal_scene_within(s.scene);
    ASSERT_EQ(2u, nearest.count);
    ASSERT_EQ(0u, nearest.rows[0].body_a);
    ASSERT_EQ(3u, nearest.rows[0].body_b);
    ASSERT_EQ(4.5, nearest.rows[1].distance);
    ASSERT_EQ(1u, shoal_scene_bad_bodies(s.scene).count);
    ASSERT_EQ(0u, within.count);
    // other queries leave no distances behind
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS));
    ASSERT_EQ(0u, shoal_scene_nearest(s.scene).count + shoal_scene_within(s.scene).count +
                      shoal_scene_nearest_triangles(s.scene).count +
                      shoal_scene_nearest_self(s.scene).count);
    stage_free(&s);
    PASS();
}

// All triangles of a tetrahedron are neighbours.
TEST a_tetrahedron_has_nothing_to_be_near_to(void)
{
    static const uint32_t tri[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    world_mesh m = {4, 4, malloc(sizeof tri), malloc(sizeof corners)};
    memcpy(m.tri, tri, sizeof tri);
    memcpy(m.rest, corners, sizeof corners);
    stage s;
    shoal_body body = {0};
    ASSERT(stage_make(&s, m, 0));
    ASSERT(put(&s, &body, 0));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_NEAREST_SELF));
    const shoal_nearest_rows r = shoal_scene_nearest_self(s.scene);
    ASSERT_EQ(4u, r.count);
    for (uint32_t i = 0; i < 4; i++) {
        ASSERT_EQ(i, r.rows[i].triangle_a);
        ASSERT_EQ(SHOAL_NONE, r.rows[i].triangle_b);
    }
    stage_free(&s);
    PASS();
}

TEST bad_definitions_are_refused(void)
{
    const shoal_context_def cd = shoal_context_def_default();
    shoal_context *ctx;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
    const double bad[] = {-1, NAN, -INFINITY};
    for (int i = 0; i < 3; i++) {
        shoal_scene_def sd = shoal_scene_def_default();
        shoal_scene *scene;
        sd.within = bad[i];
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_create(ctx, &sd, &scene));
        ASSERT_EQ(NULL, scene);
        sd = shoal_scene_def_default();
        if (i == 0)
            sd.distance_engine = (shoal_distance_engine)4;
        else
            sd.grid_resolution = 65537;
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_create(ctx, &sd, &scene));
        ASSERT_EQ(NULL, scene);
    }
    shoal_context_destroy(ctx);
    PASS();
}

// What was nearest is remembered: less is computed, and nothing allocated.
TEST steady_steps_are_cheap(void)
{
    enum { BODIES = 9 };
    stage s;
    shoal_body body[BODIES] = {{0}};
    uint64_t first = 0;
    ASSERT(stage_make(&s, mesh_ball(2, 5), 1));
    for (int step = 0; step < 6; step++) {
        for (int i = 0; i < BODIES; i++)
            ASSERT(put(&s, &body[i], 3.1 * i + 0.01 * step * (i % 3)));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, all_queries));
        const shoal_stats t = shoal_scene_stats(s.scene);
        if (step == 0)
            first = t.distances;
        if (step > 3) {
            ASSERT_EQ(0u, t.allocations);
            ASSERT(engine == SHOAL_DISTANCE_PLAIN || t.distances < first);
        }
    }
    stage_free(&s);
    PASS();
}

// All engines are tried, the fastest stays, and one step that took much longer does not turn
// that.
TEST one_slow_step_does_not_turn_the_choice(void)
{
    stage s;
    shoal_body body[2] = {{0}};
    engine = SHOAL_DISTANCE_AUTO;
    ASSERT(stage_make(&s, mesh_ball(2, 5), 1));
    ASSERT(put(&s, &body[0], 0) && put(&s, &body[1], 3));
    for (int step = 0; step < 12; step++)
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, all_queries));
    shl_grid *g = &inside_distance(s.scene)->grid;
    ASSERT(g->cost[SHL_WITH_TREES] > 0 && g->cost[SHL_WITH_GRID] > 0);
    for (uint32_t with = SHL_WITH_TREES; with <= SHL_WITH_GRID; with++) {
        const double before = 1e-12; // any step takes longer
        g->cost[SHL_WITH_TREES + SHL_WITH_GRID - with] = 2 * before;
        g->cost[with] = before;
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, all_queries));
        ASSERT_EQ(with, g->with);
        ASSERT(g->cost[with] > before && g->cost[with] < 2 * before);
    }
    stage_free(&s);
    PASS();
}

// Small triangles far apart: a grid as fine as they are would never fit.
TEST a_grid_too_large_is_made_coarser(void)
{
    stage s;
    shoal_body body[2] = {{0}};
    engine = SHOAL_DISTANCE_GRID;
    ASSERT(stage_make(&s, mesh_ball(1, 3), 0));
    ASSERT(put(&s, &body[0], 0) && put(&s, &body[1], 1e6));
    for (int step = 0; step < 3; step++) {
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_NEAREST));
        const shoal_nearest *r = shoal_scene_nearest(s.scene).rows;
        ASSERT_EQ(1u, r[0].body_b);
        ASSERT_EQ(0u, r[1].body_b);
        ASSERT(r[0].distance > 1e6 - 5 && r[0].distance < 1e6);
        ASSERT(shoal_scene_stats(s.scene).grid_cells > 0);
    }
    stage_free(&s);
    // the same in a cube of bodies, where even the coarser grid has many cells
    ASSERT(stage_make(&s, mesh_ball(1, 3), 30));
    shoal_body corner[8] = {{0}};
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t k = 0; k < 3 * s.mesh.vertex_count; k++)
            s.xyz[k] = s.mesh.rest[k] + (i >> k % 3 & 1 ? 2e4 : 0) + (i ? 0 : 1e-3 * k);
        const shoal_positions p = shoal_positions_f64(s.xyz, s.mesh.vertex_count);
        ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(s.scene, s.model, &corner[i]));
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(s.scene, corner[i], &p));
    }
    for (int step = 0; step < 3; step++)
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_WITHIN));
    ASSERT_EQ(1, warnings); // once is enough
    ASSERT(strstr(said, "coarser"));
    stage_free(&s);
    // who fixes the resolution is told
    resolution = 65536;
    ASSERT(stage_make(&s, mesh_ball(1, 3), 0));
    body[0] = body[1] = (shoal_body){0};
    ASSERT(put(&s, &body[0], 0) && put(&s, &body[1], 4));
    ASSERT_EQ(SHOAL_ERR_LIMIT, shoal_scene_step(s.scene, SHOAL_QUERY_NEAREST));
    ASSERT_EQ(0u, shoal_scene_nearest(s.scene).count);
    ASSERT_EQ(SHOAL_ERR_LIMIT, shoal_scene_step(s.scene, SHOAL_QUERY_NEAREST));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS));
    stage_free(&s);
    resolution = 0;
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    for (engine = SHOAL_DISTANCE_AUTO; engine <= SHOAL_DISTANCE_PLAIN; engine++) {
        RUN_TEST(one_body_has_no_neighbour);
        RUN_TEST(nearest_ones_and_ties);
        RUN_TEST(a_tetrahedron_has_nothing_to_be_near_to);
        RUN_TEST(steady_steps_are_cheap);
    }
    RUN_TEST(one_slow_step_does_not_turn_the_choice);
    RUN_TEST(bad_definitions_are_refused);
    RUN_TEST(a_grid_too_large_is_made_coarser);
    GREATEST_MAIN_END();
}
