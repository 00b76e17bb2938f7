// SPDX-License-Identifier: MIT
// A scene's steps on threads of the host, its events, its graph in words, where its threads are
// bound, and bodies whose memory begins as garbage.
#include "worlds.h"

#include "greatest.h"
#include "inside.h"

#include <dirent.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <shoal/shoal.h>
#include <shoal/study.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 9, STEPS = 4, HOSTS = 3 };

static uint32_t warnings;
static char warning[256];

static void keep_warning(void *user, shoal_status status, const char *text)
{
    (void)user;
    if (status == SHOAL_OK) {
        warnings++;
        snprintf(warning, sizeof warning, "%s", text);
    }
}

// Full of ones: as stamps they say that the first step's boxes are made, and as boxes they are
// points at the origin.
static void *garbage_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    const size_t whole = (size + align - 1) / align * align;
    uint32_t *memory = aligned_alloc(align, whole);
    for (size_t i = 0; memory && i < whole / sizeof *memory; i++)
        memory[i] = 1;
    return memory;
}

static void garbage_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

typedef struct play {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *model;
    world_mesh mesh;
    shoal_body body[BODIES];
    double *xyz;
} play;

static bool play_begin(play *p, const shoal_scene_def *sd)
{
    *p = (play){0};
    shoal_context_def cd = shoal_context_def_default();
    cd.log = keep_warning;
    cd.allocator = (shoal_allocator){garbage_alloc, garbage_release, NULL};
    p->mesh = mesh_ball(4, 3);
    p->xyz = malloc(3 * sizeof(double) * p->mesh.vertex_count);
    shoal_model_def md = shoal_model_def_default();
    md.triangles = p->mesh.tri;
    md.triangle_count = p->mesh.triangle_count;
    md.rest = shoal_positions_f64(p->mesh.rest, p->mesh.vertex_count);
    return p->xyz && !shoal_context_create(&cd, &p->ctx) &&
           !shoal_scene_create(p->ctx, sd, &p->scene) &&
           !shoal_model_create(p->ctx, &md, &p->model);
}

static void play_end(play *p)
{
    shoal_scene_destroy(p->scene);
    shoal_model_destroy(p->model);
    shoal_context_destroy(p->ctx);
    mesh_free(&p->mesh);
    free(p->xyz);
}

// Bodies in a row, each through the next; a third of them comes late.
static bool play_move(play *p, uint32_t step)
{
    const uint32_t bodies = step < 2 ? BODIES * 2 / 3 : BODIES;
    for (uint32_t b = 0; b < bodies; b++) {
        if (!p->body[b].index1 && shoal_scene_add_free(p->scene, p->model, &p->body[b]))
            return false;
        for (uint32_t i = 0; i < 3 * p->mesh.vertex_count; i++)
            p->xyz[i] = p->mesh.rest[i] + (i % 3 == 0 ? b * (1.2 - 0.1 * step) : 0);
        const shoal_positions v = shoal_positions_f64(p->xyz, p->mesh.vertex_count);
        if (shoal_scene_set_positions(p->scene, p->body[b], &v))
            return false;
    }
    return true;
}

static bool reference(uint64_t hash[STEPS])
{
    play p;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = SHOAL_EXECUTOR_SERIAL;
    bool good = play_begin(&p, &sd);
    for (uint32_t step = 0; step < STEPS && good; step++) {
        good = play_move(&p, step) && !shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS);
        hash[step] = shoal_scene_hash(p.scene);
        good = good && shoal_scene_pairs(p.scene).count > 100;
    }
    play_end(&p);
    return good;
}

typedef struct host {
    pthread_t thread;
    shoal_scene *scene;
    uint32_t worker;
    shoal_status status;
} host;

static void *help(void *ctx)
{
    host *h = ctx;
    h->status = shoal_scene_step_work(h->scene, h->worker);
    return NULL;
}

static bool step_on_threads(shoal_scene *s, uint32_t came)
{
    host hosts[HOSTS];
    bool good = !shoal_scene_step_begin(s, SHOAL_QUERY_PAIRS, HOSTS);
    for (uint32_t i = 0; i < came && good; i++) {
        hosts[i] = (host){.scene = s, .worker = HOSTS - 1 - i};
        good = pthread_create(&hosts[i].thread, NULL, help, &hosts[i]) == 0;
    }
    for (uint32_t i = 0; i < came && good; i++)
        good = pthread_join(hosts[i].thread, NULL) == 0 && hosts[i].status == SHOAL_OK;
    return good && !shoal_scene_step_end(s);
}

static bool step_in_region(shoal_scene *s)
{
    _Atomic uint32_t wrong = 0;
#pragma omp parallel num_threads(HOSTS) default(none) shared(s, wrong)
    {
#pragma omp single
        wrong += shoal_scene_step_begin(s, SHOAL_QUERY_PAIRS, HOSTS) != SHOAL_OK;
        wrong += shoal_scene_step_work(s, (uint32_t)omp_get_thread_num()) != SHOAL_OK;
#pragma omp barrier
#pragma omp single
        wrong += shoal_scene_step_end(s) != SHOAL_OK;
    }
    return wrong == 0;
}

TEST hosts_get_the_same_hash(void)
{
    uint64_t hash[STEPS];
    ASSERT(reference(hash));
    for (uint32_t way = 0; way < 5; way++) { // 0 to 3 threads come, or a region's
        play p;
        shoal_scene_def sd = shoal_scene_def_default();
        sd.threads = 4;
        ASSERT(play_begin(&p, &sd));
        for (uint32_t step = 0; step < STEPS; step++) {
            ASSERT(play_move(&p, step));
            ASSERT(way < 4 ? step_on_threads(p.scene, way) : step_in_region(p.scene));
            ASSERT_EQ_FMT(hash[step], shoal_scene_hash(p.scene), "%jx");
            ASSERT(shoal_scene_stats(p.scene).workers == (way == 0  ? 1
                                                          : way < 4 ? way
                                                                    : HOSTS));
        }
        play_end(&p);
    }
    PASS();
}

TEST hosts_are_told_of_wrong_calls(void)
{
    play p;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = 2;
    ASSERT(play_begin(&p, &sd));
    ASSERT(play_move(&p, 0));
    shoal_scene *s = p.scene;
    const uint32_t q = SHOAL_QUERY_PAIRS;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_begin(NULL, q, 1));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_work(NULL, 0));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_end(NULL));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_begin(s, q, 0));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_begin(s, q, 3));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_begin(s, 0, 1));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_work(s, 0));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_end(s));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step_begin(s, q, 2));
    shoal_body body;
    const shoal_positions v = shoal_positions_f64(p.xyz, p.mesh.vertex_count);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step(s, q));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_begin(s, q, 2));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_add_free(s, p.model, &body));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_remove(s, p.body[0]));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_positions(s, p.body[0], &v));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_work(s, 2));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step_work(s, 1));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step_end(s));
    ASSERT(shoal_scene_pairs(s).count > 0);
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s, q));
    play_end(&p);
    sd.executor = SHOAL_EXECUTOR_GUARD; // has an order of its own
    ASSERT(play_begin(&p, &sd));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_begin(p.scene, q, 1));
    play_end(&p);
    PASS();
}

static void append(void *user, const char *text, size_t length)
{
    strncat(user, text, length);
}

TEST a_scene_tells_its_jobs(void)
{
    static char text[1 << 14];
    play p;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = 2;
    ASSERT(play_begin(&p, &sd));
    size_t count = 1;
    ASSERT(play_move(&p, 0));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS));
    ASSERT_EQ(NULL, shoal_scene_events(p.scene, &count));
    ASSERT_EQ(0u, count);
    shoal_scene_set_trace(p.scene, true);
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS));
    const shoal_event *e = shoal_scene_events(p.scene, &count);
    bool walk = false, hash = false;
    for (size_t i = 0; i < count; i++) {
        walk |= strcmp(e[i].job, "overlap_search") == 0 && e[i].end > e[i].begin;
        hash |= strcmp(e[i].job, "hash") == 0;
        ASSERT(e[i].worker < 2);
    }
    ASSERT(walk && hash);
    shoal_scene_set_trace(p.scene, false);
    ASSERT_EQ(NULL, shoal_scene_events(p.scene, &count));
    ASSERT_EQ(SHOAL_OK, shoal_scene_write_graph(p.scene, SHOAL_GRAPH_TEXT, append, text));
    ASSERT(strstr(text, "overlap_search: rows by") && strstr(text, "opens nodes"));
    text[0] = '\0';
    ASSERT_EQ(SHOAL_OK, shoal_scene_write_graph(p.scene, SHOAL_GRAPH_DOT, append, text));
    ASSERT(strncmp(text, "digraph jobs {\n", 15) == 0 &&
           strstr(text, "overlap_search: rows by"));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT,
              shoal_scene_write_graph(p.scene, (shoal_graph_format)2, append, text));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT,
              shoal_scene_write_graph(p.scene, SHOAL_GRAPH_DOT, NULL, text));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_write_graph(NULL, SHOAL_GRAPH_DOT, append, text));
    play_end(&p);
    PASS();
}

// --- Binding. ---

// A helper that comes late is not waited for, so it may take some steps until each has come.
static bool step_until_bound(play *p)
{
    bool good = true, bound = false;
    for (int i = 0; i < 10000 && good && !bound; i++) {
        good = !shoal_scene_step(p->scene, SHOAL_QUERY_PAIRS);
        bound = shoal_scene_stats(p->scene).workers == 2;
    }
    return good && bound;
}

// Whether some thread of this process may use that CPU, but not all `cpus` of them.
static bool a_thread_is_bound_to(size_t cpu, int cpus)
{
    bool found = false;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *e = NULL; tasks && (e = readdir(tasks));) {
        cpu_set_t set;
        const pid_t id = (pid_t)atoi(e->d_name);
        found = found || (id > 0 && sched_getaffinity(id, sizeof set, &set) == 0 &&
                          CPU_ISSET(cpu, &set) && CPU_COUNT(&set) < cpus);
    }
    if (tasks)
        closedir(tasks);
    return found;
}

TEST threads_are_bound_and_the_caller_is_not(void)
{
    cpu_set_t before, after;
    ASSERT_EQ(0, sched_getaffinity(0, sizeof before, &before));
    if (CPU_COUNT(&before) < 2)
        SKIPm("one CPU");
    play p;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = 2;
    sd.bind = SHOAL_BIND_CORES;
    sd.fixed_team = true;
    ASSERT(play_begin(&p, &sd));
    ASSERT(play_move(&p, 0));
    ASSERT_EQ(-1, shoal_scene_binding(p.scene, 0).cpu); // not yet
    ASSERT(step_until_bound(&p));
    const shoal_binding a = shoal_scene_binding(p.scene, 0);
    const shoal_binding b = shoal_scene_binding(p.scene, 1);
    ASSERT(a.cpu >= 0 && b.cpu >= 0 && a.cpu != b.cpu);
    ASSERT(CPU_ISSET((size_t)a.cpu, &before) && CPU_ISSET((size_t)b.cpu, &before));
    ASSERT_EQ(-1, shoal_scene_binding(p.scene, 2).cpu);
    ASSERT_EQ(0, sched_getaffinity(0, sizeof after, &after));
    ASSERT(CPU_EQUAL(&before, &after));
    ASSERT(a_thread_is_bound_to((size_t)b.cpu, CPU_COUNT(&before)));
    play_end(&p);
    sd.bind = SHOAL_BIND_NONE;
    ASSERT(play_begin(&p, &sd));
    ASSERT(play_move(&p, 0));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS));
    ASSERT_EQ(-1, shoal_scene_binding(p.scene, 1).cpu);
    play_end(&p);
    PASS();
}

TEST too_many_threads_are_told(void)
{
    cpu_set_t cpus;
    ASSERT_EQ(0, sched_getaffinity(0, sizeof cpus, &cpus));
    play p;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = (uint32_t)CPU_COUNT(&cpus);
    warnings = 0;
    ASSERT(play_begin(&p, &sd));
    play_end(&p);
    ASSERT_EQ(0u, warnings);
    sd.threads++;
    sd.bind = SHOAL_BIND_CORES; // which is then not done
    ASSERT(play_begin(&p, &sd));
    ASSERT_EQ(1u, warnings);
    char text[64];
    snprintf(text, sizeof text, "scene: %u threads on %d CPUs", sd.threads, CPU_COUNT(&cpus));
    ASSERT_STR_EQ(text, warning);
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS));
    ASSERT_EQ(-1, shoal_scene_binding(p.scene, 0).cpu);
    play_end(&p);
    sd.bind = (shoal_bind)3;
    ASSERT_FALSE(play_begin(&p, &sd));
    play_end(&p);
    PASS();
}

// Called with the environment set so that OpenMP puts two threads on one CPU.
static int look(void)
{
    play p;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = 2;
    sd.bind = SHOAL_BIND_CORES; // the environment wins
    sd.fixed_team = true;
    const bool good = play_begin(&p, &sd) && play_move(&p, 0) && step_until_bound(&p);
    const shoal_binding a = shoal_scene_binding(p.scene, 0);
    const shoal_binding b = shoal_scene_binding(p.scene, 1);
    play_end(&p);
    return good && a.cpu >= 0 && a.cpu == b.cpu && warnings == 1 &&
                   strcmp(warning, "scene: workers 0 and 1 are on one core, another is idle") ==
                       0
               ? 0
               : 1;
}

TEST what_the_environment_binds_is_reported(const char *self)
{
    cpu_set_t cpus;
    ASSERT_EQ(0, sched_getaffinity(0, sizeof cpus, &cpus));
    if (CPU_COUNT(&cpus) < 2)
        SKIPm("one CPU");
    size_t cpu = 0;
    while (!CPU_ISSET(cpu, &cpus))
        cpu++;
    char line[4096];
    snprintf(line, sizeof line,
             "OMP_PLACES='{%zu},{%zu}' OMP_PROC_BIND=close '%s' --look >/dev/null", cpu, cpu,
             self);
    ASSERT_EQ(0, system(line));
    PASS();
}

// Times of the workers are those of the step, taken apart, whatever their numbers.
static bool times_add_up(const shoal_scene *s, uint32_t most)
{
    const double wall_s = shoal_scene_stats(s).wall_s;
    const shoal_phase_times all = shoal_scene_phases(s);
    double busy_s[HOSTS] = {0};
    bool good = most <= HOSTS && all.count > SHOAL_PHASE_SORT &&
                shoal_scene_seconds(s, SHOAL_PHASE_TRAVERSE) > 0;
    for (size_t k = 0; k < all.count && good; k++) {
        const shoal_phase_time *p = &all.rows[k];
        double sum = 0;
        for (uint32_t i = 0; i < most; i++) {
            const double now = shoal_scene_worker_seconds(s, i, p->phase);
            busy_s[i] += now;
            sum += now;
        }
        good = fabs(p->seconds - sum) < 1e-9 && p->phase == (shoal_phase)k && p->name[0] &&
               p->seconds == shoal_scene_seconds(s, p->phase);
    }
    for (uint32_t i = 0; i < most; i++)
        good = good && busy_s[i] <= wall_s;
    return good && shoal_scene_seconds(s, (shoal_phase)all.count) == 0;
}

TEST workers_tell_their_times(void)
{
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = HOSTS;
    play p;
    ASSERT(play_begin(&p, &sd));
    for (uint32_t step = 0; step < STEPS; step++) {
        ASSERT(play_move(&p, step));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS));
        const shoal_stats stats = shoal_scene_stats(p.scene);
        ASSERT(times_add_up(p.scene, stats.threads));
        const uint32_t none = stats.threads;
        ASSERT_EQ(0.0, shoal_scene_worker_seconds(p.scene, none, SHOAL_PHASE_TRAVERSE));
        for (uint32_t came = 0; came <= HOSTS; came++) { // the last numbers first
            ASSERT(step_on_threads(p.scene, came));
            ASSERT(times_add_up(p.scene, HOSTS));
        }
    }
    play_end(&p);
    PASS();
}

// Memory is full of ones, which is what the first step calls its boxes.
TEST new_trees_have_no_boxes_yet(void)
{
    shoal_scene_def sd = shoal_scene_def_default();
    sd.rebuild_ratio = 0.5; // a new tree for every body in every step
    play p;
    ASSERT(play_begin(&p, &sd));
    ASSERT(play_move(&p, 0));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS));
    ASSERT(shoal_scene_stats(p.scene).rebuilds > 0);
    for (uint32_t i = 0; i < p.scene->bodies.table.count; i++) {
        if (shl_kinds[p.scene->bodies.kind[i]] != &shl_free_kind)
            continue;
        const shl_free_body *b = inside_free(p.scene, i);
        for (uint32_t node = 0; !b->touched && node < b->tree->node_count; node++)
            ASSERT(atomic_load(&b->stamps[node]) != b->epoch);
    }
    play_end(&p);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--look") == 0)
        return look();
    GREATEST_MAIN_BEGIN();
    RUN_TEST(hosts_get_the_same_hash);
    RUN_TEST(hosts_are_told_of_wrong_calls);
    RUN_TEST(a_scene_tells_its_jobs);
    RUN_TEST(workers_tell_their_times);
    RUN_TEST(new_trees_have_no_boxes_yet);
    RUN_TEST(threads_are_bound_and_the_caller_is_not);
    RUN_TEST(too_many_threads_are_told);
    RUN_TEST1(what_the_environment_binds_is_reported, argv[0]);
    GREATEST_MAIN_END();
}
