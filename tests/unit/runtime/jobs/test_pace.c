// SPDX-License-Identifier: MIT
// How many threads steps use: the arithmetic on times that the test makes up, and scenes that
// get the same hash whatever comes of it.
#include "worlds.h"

#include "greatest.h"
#include "runtime/jobs/pace.h"

#include <shoal/shoal.h>
#include <stdlib.h>

enum { US = 1000, MS = 1000000 };

// A machine on which steps need `work_ns` and which gives `rate` of a CPU to each worker; with
// helpers, a step also waits for `stall_ns`.
typedef struct machine {
    double rate;
    uint64_t work_ns, stall_ns;
} machine;

// Lets `steps` go by; returns how many of them called helpers.
static uint32_t run(shl_pace *p, const machine *m, uint32_t steps, uint32_t *told)
{
    uint32_t called = 0;
    for (uint32_t i = 0; i < steps; i++) {
        const shl_pace_step next = shl_pace_next(p);
        const bool calls = next.workers > 1 && m->work_ns > next.patience_ns;
        const double alone = (double)m->work_ns / m->rate;
        const double wall = calls ? alone / next.workers + (double)m->stall_ns : alone;
        *told += shl_pace_note(p, (uint64_t)wall, m->work_ns, calls);
        called += calls;
    }
    return called;
}

TEST long_steps_on_a_quiet_machine_use_all_threads(void)
{
    shl_pace p;
    uint32_t told = 0;
    shl_pace_init(&p, 8, false);
    const machine quiet = {1, 5 * MS, 0};
    ASSERT_EQ(1000u, run(&p, &quiet, 1000, &told));
    ASSERT_EQ(8u, p.team);
    ASSERT_EQ(0u, told);
    ASSERT_FALSE(shl_pace_busy(&p));
    ASSERT_EQ(0u, shl_pace_next(&p).patience_ns); // called at once
    PASS();
}

TEST short_steps_are_left_to_the_caller(void)
{
    shl_pace p;
    uint32_t told = 0;
    shl_pace_init(&p, 8, false);
    const machine quiet = {1, 30 * US, 0};
    ASSERT_EQ(0u, run(&p, &quiet, 1000, &told));
    ASSERT_EQ(8u, p.team); // which long ones could use
    ASSERT_EQ(0u, told);
    PASS();
}

TEST steps_wait_for_longer_before_they_call_on_a_busy_machine(void)
{
    shl_pace p;
    uint32_t told = 0;
    shl_pace_init(&p, 2, false);
    const machine quiet = {1, 120 * US, 0}, busy = {0.5, 120 * US, 4 * MS};
    ASSERT_EQ(100u, run(&p, &quiet, 100, &told));
    ASSERT(run(&p, &busy, 300, &told) <= 3);
    ASSERT(shl_pace_busy(&p));
    ASSERT(run(&p, &quiet, 300, &told) > 200); // and back
    PASS();
}

TEST a_team_that_is_slower_than_one_thread_shrinks_and_grows_again(void)
{
    shl_pace p;
    uint32_t told = 0;
    shl_pace_init(&p, 8, false);
    const machine stalled = {0.8, 5 * MS, 40 * MS}, quiet = {1, 5 * MS, 0};
    (void)run(&p, &stalled, 400, &told);
    ASSERT_EQ(1u, p.team);
    ASSERT_EQ(1u, told);
    ASSERT(run(&p, &stalled, 1000, &told) < 30); // trials of larger teams become rare
    (void)run(&p, &quiet, 400, &told);
    ASSERT_EQ(8u, p.team);
    (void)run(&p, &stalled, 400, &told);
    ASSERT_EQ(1u, p.team);
    ASSERT_EQ(1u, told); // once is enough
    PASS();
}

TEST a_team_that_is_faster_than_one_thread_stays(void)
{
    shl_pace p;
    uint32_t told = 0;
    shl_pace_init(&p, 2, false);
    const machine shared = {0.33, 50 * MS, 0}; // wall time exceeds CPU time, yet two are better
    ASSERT(run(&p, &shared, 2000, &told) > 1950);
    ASSERT_EQ(2u, p.team);
    ASSERT_EQ(0u, told);
    PASS();
}

TEST a_fixed_team_is_fixed(void)
{
    shl_pace p;
    uint32_t told = 0;
    shl_pace_init(&p, 4, true);
    const machine stalled = {0.5, 10 * US, 40 * MS};
    ASSERT_EQ(500u, run(&p, &stalled, 500, &told));
    ASSERT_EQ(4u, shl_pace_next(&p).workers);
    ASSERT_EQ(0u, told);
    PASS();
}

// Balls that fall through each other; the mesh decides whether steps are short or long.
static bool play(uint32_t detail, uint32_t threads, bool fixed, uint64_t *hash, uint32_t *alone,
                 uint32_t *helped)
{
    enum { BODIES = 6, STEPS = 12 };
    shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = threads;
    sd.fixed_team = fixed;
    shoal_context *ctx = NULL;
    shoal_scene *scene = NULL;
    shoal_model *model = NULL;
    world_mesh mesh = mesh_ball((int)detail, detail);
    shoal_model_def md = shoal_model_def_default();
    md.triangles = mesh.tri;
    md.triangle_count = mesh.triangle_count;
    md.rest = shoal_positions_f64(mesh.rest, mesh.vertex_count);
    double *xyz = malloc(3 * sizeof *xyz * mesh.vertex_count);
    shoal_body body[BODIES] = {{0}};
    bool good = xyz && !shoal_context_create(&cd, &ctx) &&
                !shoal_scene_create(ctx, &sd, &scene) && !shoal_model_create(ctx, &md, &model);
    for (uint32_t b = 0; b < BODIES && good; b++)
        good = !shoal_scene_add_free(scene, model, &body[b]);
    for (uint32_t step = 0; step < STEPS && good; step++) {
        for (uint32_t b = 0; b < BODIES && good; b++) {
            for (uint32_t i = 0; i < 3 * mesh.vertex_count; i++)
                xyz[i] = mesh.rest[i] + (i % 3 == 0 ? b * (1.5 - 0.05 * step) : 0);
            const shoal_positions v = shoal_positions_f64(xyz, mesh.vertex_count);
            good = !shoal_scene_set_positions(scene, body[b], &v);
        }
        good = good && !shoal_scene_step(scene, SHOAL_QUERY_PAIRS);
        if (!good)
            break;
        const shoal_stats stats = shoal_scene_stats(scene);
        *hash = *hash * 31 + shoal_scene_hash(scene);
        good = stats.threads == threads && stats.workers >= 1 && stats.workers <= threads;
        *alone += stats.workers == 1;
        *helped += stats.workers > 1;
    }
    shoal_scene_destroy(scene);
    shoal_model_destroy(model);
    shoal_context_destroy(ctx);
    mesh_free(&mesh);
    free(xyz);
    return good;
}

TEST results_do_not_depend_on_it(void)
{
    unsetenv("SHOAL_TEAM");
    for (uint32_t detail = 1; detail <= 5; detail += 4) {
        uint64_t serial = 0, paced = 0, fixed = 0;
        uint32_t alone = 0, helped = 0, ignored = 0;
        ASSERT(play(detail, 1, false, &serial, &ignored, &ignored));
        ASSERT(play(detail, 3, false, &paced, &alone, &helped));
        ASSERT(play(detail, 3, true, &fixed, &ignored, &ignored));
        ASSERT_EQ_FMT(serial, paced, "%jx");
        ASSERT_EQ_FMT(serial, fixed, "%jx");
        ASSERT_EQ(12u, alone + helped);
    }
    PASS();
}

TEST the_environment_may_fix_it(void)
{
    shoal_context *ctx = NULL;
    const shoal_context_def cd = shoal_context_def_default();
    setenv("SHOAL_TEAM", "all", 1);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_context_create(&cd, &ctx));
    setenv("SHOAL_TEAM", "fixed", 1);
    uint64_t hash = 0;
    uint32_t alone = 0, helped = 0;
    for (int i = 0; i < 1000 && helped == 0; i++) // small steps, to which helpers come
        ASSERT(play(2, 2, false, &hash, &alone, &helped));
    ASSERT(helped > 0);
    unsetenv("SHOAL_TEAM");
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(long_steps_on_a_quiet_machine_use_all_threads);
    RUN_TEST(short_steps_are_left_to_the_caller);
    RUN_TEST(steps_wait_for_longer_before_they_call_on_a_busy_machine);
    RUN_TEST(a_team_that_is_slower_than_one_thread_shrinks_and_grows_again);
    RUN_TEST(a_team_that_is_faster_than_one_thread_stays);
    RUN_TEST(a_fixed_team_is_fixed);
    RUN_TEST(results_do_not_depend_on_it);
    RUN_TEST(the_environment_may_fix_it);
    GREATEST_MAIN_END();
}
