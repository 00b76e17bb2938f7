// SPDX-License-Identifier: MIT
// Any job of a step may fail, before or after its work: the same step asked again finds what a
// scene without failures finds, and so do those after it.
#include "play.h"

#include "greatest.h"

#include "runtime/jobs/plan.h"
#include "runtime/scene/scene.h"

#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

// The job that fails; others are as ever.
static struct {
    shl_job_fn *run;
    void *ctx;
    bool works; // before it fails
} broken;

static shoal_status fail(void *ctx, shl_chunk rows)
{
    (void)ctx;
    if (broken.works) {
        const shoal_status st = broken.run(broken.ctx, rows);
        if (st != SHOAL_OK)
            return st;
    }
    return SHOAL_ERR_STALE;
}

static shoal_status step_with_fault(play *p, uint32_t step, uint32_t job, bool works)
{
    shl_node *node = &p->scene->runner.graph.plan->nodes[job];
    broken.run = node->run;
    broken.ctx = node->ctx;
    broken.works = works;
    node->run = fail;
    const shoal_status st = shoal_scene_step(p->scene, play_queries(p, step));
    node->run = broken.run;
    return st;
}

typedef struct hashes {
    uint64_t step[PLAY_STEPS];
} hashes;

static bool play_right(const play_def *def, hashes *out)
{
    play p;
    bool good = play_begin(&p, def);
    for (uint32_t step = 0; step < PLAY_STEPS && good; step++) {
        good = play_move(&p, step) && !shoal_scene_step(p.scene, play_queries(&p, step));
        out->step[step] = shoal_scene_hash(p.scene);
    }
    play_end(&p);
    return good;
}

// Whether all steps are right although `job` fails once before each; counts how often it did.
static bool survives(const play_def *def, uint32_t job, const hashes *right, uint32_t *failed)
{
    play p;
    if (!play_begin(&p, def))
        return false;
    bool good = true;
    for (uint32_t step = 0; step < PLAY_STEPS && good; step++) {
        good = play_move(&p, step);
        const shoal_status st = step_with_fault(&p, step, job, (job + step) % 2);
        *failed += st == SHOAL_ERR_STALE;
        good = good && (st == SHOAL_ERR_STALE || st == SHOAL_OK) &&
               !shoal_scene_step(p.scene, play_queries(&p, step)) &&
               shoal_scene_hash(p.scene) == right->step[step];
        if (!good)
            printf("\n%s, step %u\n", shl_graph_jobs(&p.scene->runner.graph)[job].name, step);
    }
    play_end(&p);
    return good;
}

static const play_def defs[] = {
    {.broad = SHOAL_BROAD_SWEEP, .rebuild_ratio = PLAY_REBUILD},
    {.broad = SHOAL_BROAD_TREE, .rebuild_ratio = PLAY_REBUILD},
    {.broad = SHOAL_BROAD_INCREMENTAL, .rebuild_ratio = PLAY_REBUILD},
    {.broad = SHOAL_BROAD_TREE, .list_margin = PLAY_LIST_MARGIN},
    {.broad = SHOAL_BROAD_SWEEP,
     .list_margin = PLAY_LIST_MARGIN,
     .rebuild_ratio = PLAY_REBUILD},
    {.rebuild_ratio = PLAY_REBUILD, .distance = SHOAL_DISTANCE_TREES},
    {.rebuild_ratio = PLAY_REBUILD, .distance = SHOAL_DISTANCE_GRID},
};
enum { DEFS = sizeof defs / sizeof *defs };

TEST any_job_may_fail(int which, shoal_executor executor, uint32_t threads)
{
    play_def def = defs[which];
    def.executor = executor;
    def.threads = threads;
    def.level = 2;
    hashes right;
    ASSERT(play_right(&def, &right));
    play p;
    ASSERT(play_begin(&p, &def));
    const uint32_t jobs = p.scene->runner.graph.job_count;
    play_end(&p);
    uint32_t failed = 0, wrong = 0;
    for (uint32_t job = 0; job < jobs; job++)
        wrong += !survives(&def, job, &right, &failed);
    ASSERT_EQ(0u, wrong);
    ASSERT(failed > jobs); // most jobs have something to do in more than one step
    PASS();
}

static bool no_memory;

static void *scarce_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    return no_memory ? NULL : aligned_alloc(align, (size + align - 1) / align * align);
}

static void scarce_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

TEST a_step_that_fails_has_no_events_of_another(void)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.allocator = (shoal_allocator){scarce_alloc, scarce_release, NULL};
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = SHOAL_EXECUTOR_SERIAL;
    const float xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t corners[3] = {0, 1, 2};
    shoal_model_def md = shoal_model_def_default();
    md.triangles = corners;
    md.triangle_count = 1;
    md.rest = shoal_positions_f32(xyz, 3);
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *model;
    shoal_body body;
    size_t count = 0;
    ASSERT(!shoal_context_create(&cd, &ctx) && !shoal_scene_create(ctx, &sd, &scene) &&
           !shoal_model_create(ctx, &md, &model));
    shoal_scene_set_trace(scene, true);
    for (int i = 0; i < 5; i++) {
        ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(scene, model, &body));
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(scene, body, &md.rest));
        if (i == 0)
            ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_PAIRS));
    }
    ASSERT(shoal_scene_events(scene, &count) && count > 0);
    no_memory = true;
    const shoal_status st = shoal_scene_step(scene, SHOAL_QUERY_PAIRS);
    no_memory = false;
    ASSERT_EQ(SHOAL_ERR_MEMORY, st);
    ASSERT_FALSE(shoal_scene_events(scene, &count));
    ASSERT_EQ(0u, count);
    shoal_scene_destroy(scene);
    shoal_model_destroy(model);
    shoal_context_destroy(ctx);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    for (int i = 0; i < DEFS; i++) {
        RUN_TESTp(any_job_may_fail, i, SHOAL_EXECUTOR_SERIAL, 1);
        if (i % 3 == 0)
            RUN_TESTp(any_job_may_fail, i, SHOAL_EXECUTOR_OMP, 2);
    }
    RUN_TEST(a_step_that_fails_has_no_events_of_another);
    GREATEST_MAIN_END();
}
