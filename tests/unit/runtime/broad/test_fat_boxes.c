// SPDX-License-Identifier: MIT
// Scenes and their broad phase: fat boxes change no result, whatever they hold; lists kept
// over a long run give what a fresh scene gives.
#include "worlds.h"

#include "greatest.h"

#include <math.h>
#include <shoal/shoal.h>
#include <shoal/study.h>
#include <string.h>

enum { BODIES = 90 };

static uint32_t warnings;

static void count_warnings(void *user, shoal_status status, const char *text)
{
    (void)user;
    warnings += status == SHOAL_OK && strstr(text, "fat box") != NULL;
}

typedef struct play {
    shoal_context *ctx;
    shoal_model *model;
    world_mesh mesh;
    double at[BODIES][3];
    bool gone[BODIES]; // NaN instead of positions
    uint64_t seed;
} play;

typedef struct stage {
    shoal_scene *scene;
    shoal_body body[BODIES];
} stage;

static void play_begin(play *p)
{
    *p = (play){.mesh = mesh_ball(1, 7), .seed = 3};
    shoal_context_def cd = shoal_context_def_default();
    cd.log = count_warnings;
    shoal_model_def md = shoal_model_def_default();
    md.triangles = p->mesh.tri;
    md.triangle_count = p->mesh.triangle_count;
    md.rest = shoal_positions_f64(p->mesh.rest, p->mesh.vertex_count);
    if (shoal_context_create(&cd, &p->ctx) || shoal_model_create(p->ctx, &md, &p->model))
        abort();
    for (int b = 0; b < BODIES; b++) {
        for (int k = 0; k < 3; k++)
            p->at[b][k] = 7 * world_unit(&p->seed);
    }
}

static void play_end(play *p)
{
    shoal_model_destroy(p->model);
    shoal_context_destroy(p->ctx);
    mesh_free(&p->mesh);
}

static stage stage_make(const play *p, shoal_broad broad, uint32_t bodies)
{
    stage s = {0};
    shoal_scene_def sd = shoal_scene_def_default();
    sd.broad = broad;
    sd.threads = 2;
    if (shoal_scene_create(p->ctx, &sd, &s.scene))
        abort();
    for (uint32_t b = 0; b < bodies; b++) {
        if (shoal_scene_add_free(s.scene, p->model, &s.body[b]))
            abort();
    }
    return s;
}

static void body_set(const play *p, shoal_scene *scene, shoal_body body, uint32_t b)
{
    double xyz[3 * 1000];
    for (uint32_t i = 0; i < 3 * p->mesh.vertex_count; i++)
        xyz[i] = p->gone[b] ? NAN : p->mesh.rest[i] + p->at[b][i % 3];
    const shoal_positions v = shoal_positions_f64(xyz, p->mesh.vertex_count);
    if (shoal_scene_set_positions(scene, body, &v))
        abort();
}

static bool stage_step(const play *p, stage *s, uint32_t queries)
{
    for (uint32_t b = 0; b < BODIES; b++) {
        if (s->body[b].index1)
            body_set(p, s->scene, s->body[b], b);
    }
    return shoal_scene_step(s->scene, queries) == SHOAL_OK;
}

static uint64_t hash_of(const stage *s)
{
    return shoal_scene_hash(s->scene) * 31 + shoal_scene_stats(s->scene).body_pairs;
}

static bool set_fat(const play *p, stage *s, uint32_t b, double slack)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)p->mesh.vertex_count; i++) {
        const float x = (float)(p->mesh.rest[i] + p->at[b][i % 3]);
        lo[i % 3] = fminf(lo[i % 3], x - (float)slack);
        hi[i % 3] = fmaxf(hi[i % 3], x + (float)slack);
    }
    return shoal_scene_set_fat_box(s->scene, s->body[b], lo, hi) == SHOAL_OK;
}

static void drift(play *p, double step)
{
    for (int b = 0; b < BODIES; b++) {
        for (int k = 0; k < 3; k++)
            p->at[b][k] += step * (world_unit(&p->seed) - 0.5);
    }
}

// Bodies drift in their fat boxes, then out of them; the pairs are those without.
TEST fat_boxes_change_nothing(shoal_broad broad)
{
    play p;
    play_begin(&p);
    stage with = stage_make(&p, broad, BODIES), without = stage_make(&p, broad, BODIES);
    for (uint32_t b = 0; b < BODIES; b++)
        ASSERT(set_fat(&p, &with, b, 0.2));
    uint64_t pairs = 0, used = 0, left = 0;
    warnings = 0;
    for (uint32_t step = 0; step < 60; step++) {
        const uint32_t queries = step % 5 == 4   ? SHOAL_QUERY_SELF
                                 : step % 5 == 3 ? SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF
                                                 : SHOAL_QUERY_PAIRS;
        ASSERT(stage_step(&p, &with, queries) && stage_step(&p, &without, queries));
        ASSERT_EQ_FMT(hash_of(&without), hash_of(&with), "%jx");
        const shoal_stats stats = shoal_scene_stats(with.scene);
        ASSERT(step > 0 || (stats.fat_used == BODIES && stats.fat_left == 0));
        pairs += stats.body_pairs;
        used += stats.fat_used;
        left += stats.fat_left;
        drift(&p, step < 20 ? 0.02 : 0.3);
    }
    ASSERT(pairs > 1000 && used > 1000 && left > 200);
    ASSERT_EQ(BODIES, warnings); // each once
    ASSERT(set_fat(&p, &with, 0, 0.1));
    ASSERT(stage_step(&p, &with, SHOAL_QUERY_PAIRS));
    ASSERT_EQ(1, shoal_scene_stats(with.scene).fat_used);
    shoal_scene_destroy(with.scene);
    shoal_scene_destroy(without.scene);
    play_end(&p);
    PASS();
}

// While no fat box changes, nothing is searched; a new body's box is a change.
TEST fat_boxes_spare_the_search(void)
{
    play p;
    play_begin(&p);
    stage s = stage_make(&p, SHOAL_BROAD_TREE, BODIES);
    shoal_scene_set_trace(s.scene, true);
    for (uint32_t b = 0; b < BODIES; b++)
        ASSERT(set_fat(&p, &s, b, 0.2));
    for (uint32_t step = 0; step < 6; step++) {
        ASSERT(stage_step(&p, &s, SHOAL_QUERY_PAIRS));
        size_t count = 0;
        const shoal_event *e = shoal_scene_events(s.scene, &count);
        bool searched = false;
        for (size_t i = 0; i < count; i++)
            searched |= strcmp(e[i].job, "broad_find") == 0;
        ASSERT_EQ(step == 0 || step == 4, searched);
        drift(&p, 0.01);
        if (step == 3) {
            ASSERT_EQ(SHOAL_OK, shoal_scene_remove(s.scene, s.body[7]));
            s.body[7].index1 = 0;
        }
    }
    shoal_scene_destroy(s.scene);
    play_end(&p);
    PASS();
}

TEST fat_boxes_may_be_wrong(void)
{
    play p;
    play_begin(&p);
    stage s = stage_make(&p, SHOAL_BROAD_AUTO, 2);
    const float lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, nan[3] = {0, NAN, 0};
    const float far[3] = {-1e30f, -1e30f, -1e30f}, end[3] = {1e30f, INFINITY, 1e30f};
    shoal_scene *scene = s.scene;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_fat_box(NULL, s.body[0], lo, hi));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_fat_box(scene, (shoal_body){0}, lo, hi));
    ASSERT_EQ(SHOAL_ERR_STALE, shoal_scene_set_fat_box(scene, (shoal_body){9, 9}, lo, hi));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_fat_box(scene, s.body[0], hi, lo));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_fat_box(scene, s.body[0], nan, hi));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_fat_box(scene, s.body[0], lo, nan));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_fat_box(scene, s.body[0], lo, NULL));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_fat_box(scene, s.body[0], NULL, hi));
    // too large to be of use
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_fat_box(scene, s.body[0], far, end));
    ASSERT(set_fat(&p, &s, 1, 0.1));
    ASSERT(stage_step(&p, &s, SHOAL_QUERY_PAIRS));
    ASSERT_EQ(1, shoal_scene_stats(scene).fat_used);
    ASSERT_EQ(0, shoal_scene_stats(scene).fat_left);
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_fat_box(scene, s.body[1], NULL, NULL));
    ASSERT(stage_step(&p, &s, SHOAL_QUERY_PAIRS));
    ASSERT_EQ(0, shoal_scene_stats(scene).fat_used);
    shoal_scene_destroy(scene);
    play_end(&p);
    PASS();
}

// A long run with bodies that drift, jump, come, go and break, against a fresh scene each step.
TEST warm_scenes_are_cold_scenes(shoal_broad broad)
{
    play p;
    play_begin(&p);
    stage warm = stage_make(&p, broad, BODIES / 2);
    uint64_t pairs = 0;
    for (uint32_t step = 0; step < 60; step++) {
        drift(&p, 0.1);
        const uint32_t b = (uint32_t)(world_random(&p.seed) % BODIES);
        for (int k = 0; k < 3; k++)
            p.at[b][k] = 7 * world_unit(&p.seed); // a jump
        p.gone[b] = step % 4 == 1;
        const uint32_t turn = (b + 1) % BODIES;
        if (warm.body[turn].index1) {
            ASSERT_EQ(SHOAL_OK, shoal_scene_remove(warm.scene, warm.body[turn]));
            warm.body[turn].index1 = 0;
        } else {
            ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(warm.scene, p.model, &warm.body[turn]));
        }
        ASSERT(stage_step(&p, &warm, SHOAL_QUERY_PAIRS));
        // the same numbers for the same bodies
        stage cold = stage_make(&p, SHOAL_BROAD_BRUTE, BODIES);
        for (uint32_t i = 0; i < BODIES; i++) {
            const uint32_t number = warm.body[i].index1;
            if (number)
                body_set(&p, cold.scene, cold.body[number - 1], i);
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(cold.scene, SHOAL_QUERY_PAIRS));
        ASSERT_EQ_FMT(hash_of(&cold), hash_of(&warm), "%jx");
        pairs += shoal_scene_stats(warm.scene).body_pairs;
        shoal_scene_destroy(cold.scene);
    }
    ASSERT(pairs > 300);
    shoal_scene_destroy(warm.scene);
    play_end(&p);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    static const shoal_broad broads[] = {SHOAL_BROAD_AUTO, SHOAL_BROAD_BRUTE, SHOAL_BROAD_SWEEP,
                                         SHOAL_BROAD_TREE, SHOAL_BROAD_INCREMENTAL};
    for (int i = 0; i < 5; i++) {
        RUN_TEST1(fat_boxes_change_nothing, broads[i]);
        RUN_TEST1(warm_scenes_are_cold_scenes, broads[i]);
    }
    RUN_TEST(fat_boxes_spare_the_search);
    RUN_TEST(fat_boxes_may_be_wrong);
    GREATEST_MAIN_END();
}
