// SPDX-License-Identifier: MIT
// A kind and a query that live in tests/ and are one line each in a list: bodies of that kind,
// among themselves and with free and reduced ones, give what the oracle gives, from every
// executor; and the query counts what is there.
#include "plug.h"
#include "worlds.h"

#include "greatest.h"

#include <math.h>
#include <shoal/reduced.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 9, STEPS = 4, LEVEL = 2 };

static const uint32_t everything =
    SHOAL_QUERY_PAIRS | SHOAL_QUERY_SELF | PLUG_QUERY_LEAVES | SHOAL_QUERY_NEAREST;

typedef struct stage {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *model;
    world_mesh mesh;
    shoal_body body[BODIES];
    double pose[BODIES][12];
    double *xyz[BODIES]; // user order
} stage;

// A third each is of the new kind, free and reduced.
static shoal_status add(stage *s, int b)
{
    return b % 3 == 0   ? plug_add_rigid(s->scene, s->model, &s->body[b])
           : b % 3 == 1 ? shoal_scene_add_free(s->scene, s->model, &s->body[b])
                        : shoal_scene_add_reduced(s->scene, s->model, &s->body[b]);
}

static bool open_stage(stage *s, shoal_executor executor, uint32_t threads)
{
    const shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = executor;
    sd.threads = threads;
    memset(s, 0, sizeof *s);
    s->mesh = mesh_ball(LEVEL, 5);
    shoal_model_def md = shoal_model_def_default();
    md.triangles = s->mesh.tri;
    md.triangle_count = s->mesh.triangle_count;
    md.rest = shoal_positions_f64(s->mesh.rest, s->mesh.vertex_count);
    md.reducible = true;
    bool good = !shoal_context_create(&cd, &s->ctx) &&
                !shoal_scene_create(s->ctx, &sd, &s->scene) &&
                !shoal_model_create(s->ctx, &md, &s->model);
    for (int b = 0; b < BODIES && good; b++) {
        s->xyz[b] = malloc(3 * sizeof(double) * s->mesh.vertex_count);
        good = s->xyz[b] && !add(s, b);
    }
    return good;
}

static void close_stage(stage *s)
{
    shoal_scene_destroy(s->scene);
    shoal_model_destroy(s->model);
    shoal_context_destroy(s->ctx);
    for (int b = 0; b < BODIES; b++)
        free(s->xyz[b]);
    mesh_free(&s->mesh);
}

static void turn_and_place(stage *s, int b, uint32_t step)
{
    const double angle = 0.3 * b + 0.2 * step, c = cos(angle), n = sin(angle);
    const double pose[12] = {
        c, -n, 0, n, c, 0, 0, 0, 1, 1.3 * (b % 3), 1.2 * (b / 3), 0.25 * (b % 2) + 0.1 * step};
    memcpy(s->pose[b], pose, sizeof pose);
    for (uint32_t v = 0; v < s->mesh.vertex_count; v++) {
        const double *p = s->mesh.rest + 3 * (size_t)v;
        for (int k = 0; k < 3; k++)
            s->xyz[b][3 * (size_t)v + (size_t)k] =
                ((pose[3 * k] * p[0] + pose[3 * k + 1] * p[1]) + pose[3 * k + 2] * p[2]) +
                pose[9 + k];
    }
}

static bool move(stage *s, uint32_t step)
{
    bool good = true;
    for (int b = 0; b < BODIES && good; b++) {
        turn_and_place(s, b, step);
        const shoal_positions at = shoal_positions_f64(s->xyz[b], s->mesh.vertex_count);
        const shoal_reduced_state state = {.bodies = &s->body[b],
                                           .count = 1,
                                           .stride = 1,
                                           .rotation = s->pose[b],
                                           .translation = s->pose[b] + 9};
        good = b % 3 == 0   ? !plug_set_pose(s->scene, s->body[b], s->pose[b])
               : b % 3 == 1 ? !shoal_scene_set_positions(s->scene, s->body[b], &at)
                            : !shoal_scene_set_reduced(s->scene, &state);
    }
    return good;
}

static bool as_the_oracle_says(const stage *s)
{
    oracle_mesh mesh[BODIES];
    for (int b = 0; b < BODIES; b++)
        mesh[b] =
            (oracle_mesh){s->xyz[b], s->mesh.vertex_count, s->mesh.tri, s->mesh.triangle_count};
    oracle_pair *want;
    const size_t count = oracle_pairs(mesh, BODIES, &want);
    const shoal_pairs pairs = shoal_scene_pairs(s->scene);
    const shoal_pairs self = shoal_scene_self_pairs(s->scene);
    bool same = count == pairs.count && count > 20;
    for (size_t i = 0; i < count && same; i++)
        same = want[i].body_a == pairs.rows[i].body_a &&
               want[i].tri_a == pairs.rows[i].triangle_a &&
               want[i].body_b == pairs.rows[i].body_b &&
               want[i].tri_b == pairs.rows[i].triangle_b;
    free(want);
    for (uint32_t b = 0; b < BODIES && same; b++) {
        size_t own = oracle_self_pairs(&mesh[b], false, &want);
        free(want);
        for (size_t i = 0; i < self.count; i++)
            own -= self.rows[i].body_a == b;
        same = own == 0;
    }
    return same;
}

TEST plugged_in_bodies_are_like_others(shoal_executor executor, uint32_t threads)
{
    static uint64_t hash[STEPS], leaves[STEPS]; // of whoever came first
    stage s;
    ASSERT(open_stage(&s, executor, threads));
    for (uint32_t step = 0; step < STEPS; step++) {
        ASSERT(move(&s, step));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, everything));
        ASSERT(as_the_oracle_says(&s));
        const uint64_t now = shoal_scene_hash(s.scene);
        hash[step] = hash[step] ? hash[step] : now;
        leaves[step] = leaves[step] ? leaves[step] : plug_leaf_pairs(s.scene);
        ASSERT_EQ_FMT(hash[step], now, "%jx");
        ASSERT(leaves[step] > 50);
        ASSERT_EQ_FMT(leaves[step], plug_leaf_pairs(s.scene), "%ju");
        // without the query the others' results are the same, and the hash has one list less
        const size_t pairs = shoal_scene_pairs(s.scene).count;
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, everything & ~PLUG_QUERY_LEAVES));
        ASSERT_EQ(pairs, shoal_scene_pairs(s.scene).count);
        ASSERT(shoal_scene_hash(s.scene) != now);
    }
    close_stage(&s);
    PASS();
}

TEST what_is_not_in_the_list_is_refused(void)
{
    stage s;
    ASSERT(open_stage(&s, SHOAL_EXECUTOR_SERIAL, 1));
    ASSERT(move(&s, 0));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step(s.scene, SHOAL_QUERY_SPHERES));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, plug_set_pose(s.scene, s.body[1], s.pose[0])); // a free one
    ASSERT_EQ(SHOAL_OK, shoal_scene_replace_model(s.scene, s.body[0], s.model));
    ASSERT_EQ(SHOAL_OK, shoal_scene_remove(s.scene, s.body[3]));
    ASSERT_EQ(SHOAL_ERR_STALE, plug_set_pose(s.scene, s.body[3], s.pose[0]));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS)); // two bodies less
    const shoal_pairs r = shoal_scene_pairs(s.scene);
    for (size_t i = 0; i < r.count; i++)
        ASSERT(r.rows[i].body_a != 0 && r.rows[i].body_a != 3 && r.rows[i].body_b != 3);
    close_stage(&s);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TESTp(plugged_in_bodies_are_like_others, SHOAL_EXECUTOR_SERIAL, 1);
    RUN_TESTp(plugged_in_bodies_are_like_others, SHOAL_EXECUTOR_OMP, 1);
    RUN_TESTp(plugged_in_bodies_are_like_others, SHOAL_EXECUTOR_OMP, 3);
    RUN_TESTp(plugged_in_bodies_are_like_others, SHOAL_EXECUTOR_LOOPS, 2);
    RUN_TESTp(plugged_in_bodies_are_like_others, SHOAL_EXECUTOR_GUARD, 1);
    RUN_TEST(what_is_not_in_the_list_is_refused);
    GREATEST_MAIN_END();
}
