// SPDX-License-Identifier: MIT
// A host compiled for speed may flush denormals or round upwards, and one that looks for faults
// may trap on them. Jobs and models must not see that, and the host must get its own settings
// back.
#include "host_env.h"
#include "runtime/jobs/graph.h"

#include <omp.h>
#include <pthread.h>
#include <shoal/shoal.h>
#include <stdatomic.h>

#include "greatest.h"

enum { CHUNKS = 64 };

static _Atomic uint32_t calls, odd_calls;

// Volatile keeps the arithmetic where it is: in the job.
static shoal_status look(void *ctx, shl_chunk rows)
{
    (void)ctx;
    (void)rows;
    volatile double least = 0x1p-1022, one = 1.0, third = 3.0;
    const volatile double half = least / 2, up = one / third, down = -one / third;
    const bool odd = fegetround() != FE_TONEAREST || half == 0 || up != -down;
    atomic_fetch_add(&calls, 1);
    if (odd)
        atomic_fetch_add(&odd_calls, 1);
    return SHOAL_OK;
}

static void disturb(int mode)
{
    fesetround(mode);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040); // flush to zero, denormals are zero
#endif
}

static bool disturbed(int mode)
{
    bool same = fegetround() == mode;
#if defined(__x86_64__)
    same = same && (_mm_getcsr() & 0x8040) == 0x8040;
#endif
    return same;
}

TEST jobs_see_defaults(shl_executor executor)
{
    const shoal_allocator memory = shl_allocator_libc();
    static const uint32_t rows = CHUNKS;
    shl_graph g;
    shl_graph_init(&g, &memory);
    shl_job(&g, .name = "look", .run = look, .rows = &rows, .grain = 1);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    fenv_t before;
    fegetenv(&before);
    const int modes[3] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++) {
        atomic_store(&calls, 0);
        atomic_store(&odd_calls, 0);
        disturb(modes[i]);
        const shoal_status st = shl_graph_run(&g, executor, 2);
        const bool kept = disturbed(modes[i]);
        fesetenv(&before);
        ASSERT_EQ(SHOAL_OK, st);
        ASSERT_EQ(CHUNKS, atomic_load(&calls));
        ASSERT_EQ(0u, atomic_load(&odd_calls));
        ASSERT(kept);
    }
    shl_graph_finish(&g);
    PASS();
}

// Triangles without area, and beyond float32, are geometry; a host may trap on what their trees
// divide and round.
TEST models_are_made_under_traps(void)
{
    static const double size[4] = {0, 1, 1e39, 1e308};
    const uint32_t corners[3] = {0, 1, 2};
    shoal_context_def cd = shoal_context_def_default();
    cd.gpu = SHOAL_GPU_OFF;
    const shoal_scene_def sd = shoal_scene_def_default();
    shoal_context *ctx;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
    for (int i = 0; i < 8; i++) {
        const double x = size[i / 2], xyz[9] = {0, 0, 0, x, 0, 0, x, i % 2 ? x : 0, 0};
        shoal_model_def md = shoal_model_def_default();
        md.triangles = corners;
        md.triangle_count = 1;
        md.rest = shoal_positions_f64(xyz, 3);
        md.self = true;
        shoal_model *model;
        shoal_scene *scene;
        shoal_body body[2];
        const int traps = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW, before = fegetexcept();
        feenableexcept(traps);
        bool good =
            !shoal_model_create(ctx, &md, &model) && !shoal_scene_create(ctx, &sd, &scene);
        for (int b = 0; b < 2 && good; b++)
            good = !shoal_scene_add_free(scene, model, &body[b]) &&
                   !shoal_scene_set_positions(scene, body[b], &md.rest);
        good = good && !shoal_scene_step(scene, SHOAL_QUERY_PAIRS);
        const bool kept = (fegetexcept() & traps) == traps;
        fedisableexcept(traps & ~before);
        ASSERT(good && kept);
        ASSERT_EQ(1u, shoal_scene_pairs(scene).count);
        shoal_scene_destroy(scene);
        shoal_model_destroy(model);
    }
    shoal_context_destroy(ctx);
    PASS();
}

// OpenMP's threads are the host's, too: those that a call makes have the host's environment, as
// if a loop of the host had made them. Each thread of the host gets threads of its own.
typedef struct loop_host {
    shoal_scene *scene;
    bool draws; // a diagram instead of a step
    shoal_status status;
    host_state before, own, other;
} loop_host;

static void *run_host(void *user)
{
    loop_host *h = user;
    static const shoal_grid grid = {{0, 0, 0}, 1, {40, 40, 40}};
    static shoal_diagram_cell cells[40 * 40 * 40];
    host_env_enter(5); // upward, denormals flushed
    h->before = host_state_now();
    h->status = h->draws ? shoal_scene_diagram(h->scene, &grid, cells)
                         : shoal_scene_step(h->scene, SHOAL_QUERY_PAIRS);
#pragma omp parallel num_threads(2) default(none) shared(h)
    {
        if (omp_get_thread_num() == 0)
            h->own = host_state_now();
        else
            h->other = host_state_now();
    }
    fesetenv(FE_DFL_ENV);
    return NULL;
}

TEST threads_of_the_host_inherit_its_environment(bool draws)
{
    const uint32_t corners[3] = {0, 1, 2};
    const double xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = 2;
    shoal_model_def md = shoal_model_def_default();
    md.triangles = corners;
    md.triangle_count = 1;
    md.rest = shoal_positions_f64(xyz, 3);
    shoal_context *ctx;
    shoal_model *model;
    shoal_body body;
    loop_host h = {.draws = draws};
    ASSERT(!shoal_context_create(&cd, &ctx) && !shoal_model_create(ctx, &md, &model) &&
           !shoal_scene_create(ctx, &sd, &h.scene) &&
           !shoal_scene_add_free(h.scene, model, &body) &&
           !shoal_scene_set_positions(h.scene, body, &md.rest) &&
           !shoal_scene_step(h.scene, SHOAL_QUERY_PAIRS));
    pthread_t thread;
    if (host_env_enter(5)) {
        fesetenv(FE_DFL_ENV);
        ASSERT_EQ(0, pthread_create(&thread, NULL, run_host, &h));
        ASSERT_EQ(0, pthread_join(thread, NULL));
        ASSERT_EQ(SHOAL_OK, h.status);
        ASSERT(host_state_same(&h.before, &h.own));
        h.before = host_state_control(h.before);
        h.other = host_state_control(h.other);
        ASSERT(host_state_same(&h.before, &h.other));
    }
    shoal_scene_destroy(h.scene);
    shoal_model_destroy(model);
    shoal_context_destroy(ctx);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST1(jobs_see_defaults, SHL_EXEC_SERIAL);
    RUN_TEST1(jobs_see_defaults, SHL_EXEC_OMP);
    RUN_TEST1(jobs_see_defaults, SHL_EXEC_LOOPS);
    RUN_TEST(models_are_made_under_traps);
    RUN_TEST1(threads_of_the_host_inherit_its_environment, false);
    RUN_TEST1(threads_of_the_host_inherit_its_environment, true);
    GREATEST_MAIN_END();
}
