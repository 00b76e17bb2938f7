// SPDX-License-Identifier: MIT
// Hosts that fork, end threads, refuse threads or set OpenMP's variables.
#include "worlds.h"

#include "greatest.h"

#include <dirent.h>
#include <pthread.h>
#include <shoal/shoal.h>
#include <shoal/study.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BODIES = 5, THREADS = 4, SECONDS = 60, NOBODY = 64123 };

#ifdef __clang__
enum { LIBOMP = 1 };
#else
enum { LIBOMP = 0 };
#endif
// ThreadSanitizer lets no child of several threads start threads.
#if defined(__SANITIZE_THREAD__)
enum { CHILDREN_HAVE_THREADS = 0 };
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
enum { CHILDREN_HAVE_THREADS = 0 };
#else
enum { CHILDREN_HAVE_THREADS = 1 };
#endif
#else
enum { CHILDREN_HAVE_THREADS = 1 };
#endif

static char warning[256];

static void keep_warning(void *user, shoal_status status, const char *text)
{
    (void)user;
    if (status == SHOAL_OK)
        snprintf(warning, sizeof warning, "%s", text);
}

typedef struct host {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *model;
    world_mesh mesh;
    shoal_body body[BODIES];
    double *xyz;
} host;

static bool host_begin(host *h, shoal_executor executor, uint32_t threads)
{
    *h = (host){0};
    shoal_context_def cd = shoal_context_def_default();
    cd.log = keep_warning;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = executor;
    sd.threads = threads;
    sd.fixed_team = true;
    h->mesh = mesh_ball(3, 12);
    h->xyz = malloc(3 * sizeof(double) * h->mesh.vertex_count);
    shoal_model_def md = shoal_model_def_default();
    md.triangles = h->mesh.tri;
    md.triangle_count = h->mesh.triangle_count;
    md.rest = shoal_positions_f64(h->mesh.rest, h->mesh.vertex_count);
    bool good = h->xyz && !shoal_context_create(&cd, &h->ctx) &&
                !shoal_scene_create(h->ctx, &sd, &h->scene) &&
                !shoal_model_create(h->ctx, &md, &h->model);
    for (uint32_t b = 0; b < BODIES && good; b++)
        good = !shoal_scene_add_free(h->scene, h->model, &h->body[b]);
    return good;
}

static void host_end(host *h)
{
    shoal_scene_destroy(h->scene);
    shoal_model_destroy(h->model);
    shoal_context_destroy(h->ctx);
    mesh_free(&h->mesh);
    free(h->xyz);
}

// The hash of some steps; 0: one failed.
static uint64_t host_steps(host *h, uint32_t begin, uint32_t end)
{
    uint64_t hash = 1;
    for (uint32_t step = begin; step < end; step++) {
        for (uint32_t b = 0; b < BODIES; b++) {
            for (uint32_t i = 0; i < 3 * h->mesh.vertex_count; i++)
                h->xyz[i] = h->mesh.rest[i] + (i % 3 == 0 ? b * (1.5 - 0.02 * step) : 0);
            const shoal_positions v = shoal_positions_f64(h->xyz, h->mesh.vertex_count);
            if (shoal_scene_set_positions(h->scene, h->body[b], &v))
                return 0;
        }
        if (shoal_scene_step(h->scene, SHOAL_QUERY_PAIRS) || !shoal_scene_pairs(h->scene).count)
            return 0;
        hash = hash * 31 + shoal_scene_hash(h->scene);
    }
    return hash;
}

static uint64_t reference(uint32_t begin, uint32_t end)
{
    host h;
    const uint64_t hash =
        host_begin(&h, SHOAL_EXECUTOR_SERIAL, 1) ? host_steps(&h, begin, end) : 0;
    host_end(&h);
    return hash;
}

// The exit code of a child that calls `run`; -1 if it did not end by itself.
static int in_child(int (*run)(void *), void *ctx)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        _exit(run(ctx));
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : -1;
}

static int go_on(void *ctx)
{
    host *h = ctx;
    const uint64_t want = reference(10, 20);
    const bool good = host_steps(h, 10, 20) == want && host_steps(h, 10, 20) == want;
    host_end(h); // must not wait for the parent's threads
    return good && want ? 0 : 1;
}

TEST children_go_on_with_scenes_of_their_parent(void)
{
    static const shoal_executor executors[] = {SHOAL_EXECUTOR_OMP, SHOAL_EXECUTOR_LOOPS,
                                               SHOAL_EXECUTOR_SERIAL};
    if (!CHILDREN_HAVE_THREADS)
        SKIPm("ThreadSanitizer");
    const uint64_t want = reference(0, 10);
    for (size_t i = 0; i < sizeof executors / sizeof *executors; i++) {
        host h;
        ASSERT(host_begin(&h, executors[i], THREADS));
        ASSERT_EQ(want, host_steps(&h, 0, 10));
        ASSERT_EQ(0, in_child(go_on, &h));
        ASSERT_EQ(want, host_steps(&h, 0, 10)); // the parent too
        host_end(&h);
    }
    PASS();
}

// As another user without processes, who may have `limit` threads in all.
static int with_few_threads(void *ctx)
{
    const rlim_t limit = *(const rlim_t *)ctx;
    const struct rlimit few = {limit, limit};
    if (setrlimit(RLIMIT_NPROC, &few) != 0 || setuid(NOBODY) != 0)
        return 2;
    const uint64_t want = reference(0, 10);
    static const shoal_executor executors[] = {SHOAL_EXECUTOR_OMP, SHOAL_EXECUTOR_LOOPS};
    for (size_t i = 0; i < sizeof executors / sizeof *executors; i++) {
        host h;
        warning[0] = 0;
        const bool good = host_begin(&h, executors[i], THREADS) && want &&
                          host_steps(&h, 0, 10) == want &&
                          shoal_scene_stats(h.scene).workers <= limit;
        host_end(&h);
        if (!good)
            return 3;
        if (executors[i] == SHOAL_EXECUTOR_OMP &&
            strcmp(warning, "step: not all of 4 threads could be started") != 0)
            return 4;
    }
    return 0;
}

TEST refused_threads_are_told_and_done_without(void)
{
    if (!CHILDREN_HAVE_THREADS)
        SKIPm("ThreadSanitizer");
    if (geteuid() != 0)
        SKIPm("needs root, to be a user without processes");
    for (rlim_t limit = 1; limit <= 3; limit++)
        ASSERT_EQ_FMT(0, in_child(with_few_threads, &limit), "%d");
    PASS();
}

static int thread_count(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *e = NULL; tasks && (e = readdir(tasks));)
        count += e->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

static void *step_in_a_thread(void *ctx)
{
    host h;
    uint64_t *hash = ctx;
    *hash = host_begin(&h, SHOAL_EXECUTOR_OMP, THREADS) ? host_steps(&h, 0, 10) : 0;
    host_end(&h);
    return NULL;
}

// libgomp's threads end with the helpers that they are; libomp keeps them for the next ones.
TEST helpers_end_with_the_thread_that_called_them(void)
{
    enum { CALLERS = 3 };
    const uint64_t want = reference(0, 10);
    const int most = thread_count() + (LIBOMP ? 2 * CALLERS * THREADS : 0);
    for (int round = 0; round < 20; round++) {
        pthread_t thread[CALLERS];
        uint64_t hash[CALLERS] = {0};
        for (int i = 0; i < CALLERS; i++)
            ASSERT_EQ(0, pthread_create(&thread[i], NULL, step_in_a_thread, &hash[i]));
        for (int i = 0; i < CALLERS; i++) {
            ASSERT_EQ(0, pthread_join(thread[i], NULL));
            ASSERT_EQ(want, hash[i]);
        }
    }
    for (int i = 0; i < SECONDS * 100 && thread_count() > most; i++)
        usleep(10000); // OpenMP's pool ends by itself
    ASSERT(thread_count() <= most);
    PASS();
}

// --- OpenMP's variables, which it reads when the program begins. ---

static int with_environment(void)
{
    host h;
    alarm(SECONDS);
    const uint64_t want = reference(0, 10);
    bool good = want != 0;
    for (uint32_t threads = 0; threads <= 3 && good; threads++) { // 0: as the variables say
        good = host_begin(&h, SHOAL_EXECUTOR_OMP, threads) && host_steps(&h, 0, 10) == want;
        host_end(&h);
        good = good && host_begin(&h, SHOAL_EXECUTOR_LOOPS, threads) &&
               host_steps(&h, 0, 10) == want;
        host_end(&h);
    }
    return good ? 0 : 1;
}

static int with_too_many_threads(void)
{
    shoal_context *ctx = NULL;
    shoal_scene *scene = NULL;
    const shoal_context_def cd = shoal_context_def_default();
    const shoal_scene_def sd = shoal_scene_def_default();
    const bool good = shoal_context_create(&cd, &ctx) == SHOAL_OK &&
                      shoal_scene_create(ctx, &sd, &scene) == SHOAL_ERR_ARGUMENT && !scene;
    shoal_context_destroy(ctx);
    return good ? 0 : 1;
}

TEST variables_of_openmp_change_no_result(const char *self)
{
    static const char *const settings[] = {
        "OMP_DYNAMIC=true",
        "OMP_THREAD_LIMIT=1",
        "OMP_THREAD_LIMIT=2",
        "OMP_NUM_THREADS=3 OMP_PROC_BIND=true",
        "OMP_PROC_BIND=close OMP_PLACES=cores",
        "OMP_PROC_BIND=spread OMP_PLACES='{0}'",
        "OMP_PROC_BIND=false",
        "OMP_WAIT_POLICY=active",
        "OMP_WAIT_POLICY=passive",
        "OMP_MAX_ACTIVE_LEVELS=4 OMP_NUM_THREADS=2,2",
        "OMP_STACKSIZE=64k",
    };
    char line[4096];
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        snprintf(line, sizeof line, "%s '%s' --environment", settings[i], self);
        ASSERT_EQm(settings[i], 0, system(line));
    }
    snprintf(line, sizeof line, "OMP_NUM_THREADS=100000 '%s' --too-many", self);
    ASSERT_EQ(0, system(line));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--environment") == 0)
        return with_environment();
    if (argc == 2 && strcmp(argv[1], "--too-many") == 0)
        return with_too_many_threads();
    GREATEST_MAIN_BEGIN();
    RUN_TEST(children_go_on_with_scenes_of_their_parent);
    RUN_TEST(refused_threads_are_told_and_done_without);
    RUN_TEST(helpers_end_with_the_thread_that_called_them);
    RUN_TEST1(variables_of_openmp_change_no_result, argv[0]);
    GREATEST_MAIN_END();
}
