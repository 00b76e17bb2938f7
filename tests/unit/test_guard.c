// SPDX-License-Identifier: MIT
// The guard executor: scenes pass it with the same hash as serial, and whoever touches a table
// it did not declare is caught by name. Faults happen in a child process, whose handler sends
// the name of the job through a pipe.
#include "worlds.h"

#include "greatest.h"
#include "runtime/steps/tables.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

enum { NAME_MAX_ = 64 };

static const shl_graph *watched;
static int pipe_end;

static void send_name(int signal)
{
    (void)signal;
    const char *name = shl_graph_current_job(watched);
    const char *text = name ? name : "outside of any job";
    if (write(pipe_end, text, strlen(text)) < 0)
        _exit(3);
    _exit(2);
}

// Runs `act` in a child. The name of the job that faulted, "" if none did.
typedef bool act_fn(void *ctx);
static bool fault_of(const shl_graph *g, act_fn *act, void *ctx, char name[NAME_MAX_])
{
    int ends[2];
    memset(name, 0, NAME_MAX_);
    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        watched = g;
        pipe_end = ends[1];
        struct sigaction action = {.sa_handler = send_name};
        sigaction(SIGSEGV, &action, NULL);
        sigaction(SIGBUS, &action, NULL);
        _exit(act(ctx) ? 0 : 1);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t n; (n = read(ends[0], name + got, NAME_MAX_ - 1 - got)) > 0;)
        got += (size_t)n;
    close(ends[0]);
    int status = 0;
    const bool ended = waitpid(child, &status, 0) == child && WIFEXITED(status);
    return ended && WEXITSTATUS(status) == (*name ? 2 : 0);
}

// --- A made-up graph of two tables. ---

enum { TABLE_A = 0, TABLE_B = 1, BYTES = 1000 };

typedef struct two {
    shoal_allocator libc, pages;
    unsigned char *memory[2];
    size_t shift; // of what is listed as B's begin
    shl_graph graph;
} two;

static void list_two(void *ctx, shl_extents *out)
{
    const two *t = ctx;
    shl_extents_add(out, (shl_extent){t->memory[0], BYTES, TABLE_A, SHL_EXTENT_OWN});
    shl_extents_add(out, (shl_extent){t->memory[1] + t->shift, BYTES, TABLE_B, SHL_EXTENT_OWN});
    shl_extents_add(out, (shl_extent){NULL, BYTES, TABLE_B, SHL_EXTENT_OWN});
}

static shoal_status copy_a_to_b(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows, (void)chunk, (void)worker;
    two *t = ctx;
    for (int i = 0; i < BYTES; i++)
        ((volatile unsigned char *)t->memory[1])[i] = t->memory[0][i];
    return SHOAL_OK;
}

static shoal_status count_up(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows, (void)chunk, (void)worker;
    ((volatile unsigned char *)((two *)ctx)->memory[0])[BYTES - 1]++;
    return SHOAL_OK;
}

static shoal_status refuse(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)ctx, (void)rows, (void)chunk, (void)worker;
    return SHOAL_ERR_STALE;
}

static bool two_make(two *t, uint64_t reads, uint64_t writes)
{
    *t = (two){.libc = shl_allocator_libc()};
    t->pages = shl_allocator_pages(&t->libc);
    shl_graph_init(&t->graph, &t->libc);
    t->graph.list_tables = list_two;
    t->graph.list_ctx = t;
    for (int i = 0; i < 2; i++)
        t->memory[i] = shl_zalloc(&t->pages, BYTES);
    shl_job(&t->graph, .name = "up", .run = count_up, .ctx = t, .writes = 1 << TABLE_A);
    shl_job(&t->graph, .name = "copy", .run = copy_a_to_b, .ctx = t, .reads = reads,
            .writes = writes);
    return t->memory[0] && t->memory[1] && shl_graph_compile(&t->graph) == SHOAL_OK;
}

static void two_free(two *t)
{
    for (int i = 0; i < 2; i++)
        shl_free(&t->pages, t->memory[i], BYTES);
    shl_graph_finish(&t->graph);
}

static bool run_two(void *ctx)
{
    return shl_graph_run(&((two *)ctx)->graph, SHL_EXEC_GUARD, 1) == SHOAL_OK;
}

TEST what_is_declared_may_be_touched(void)
{
    two t;
    ASSERT(two_make(&t, 1 << TABLE_A, 1 << TABLE_B));
    for (int i = 1; i <= 3; i++) {
        ASSERT(run_two(&t));
        ASSERT_EQ(i, t.memory[1][BYTES - 1]);
        ASSERT_EQ(NULL, shl_graph_current_job(&t.graph));
        t.memory[0][0] = t.memory[1][0] = 7; // all is open again
    }
    two_free(&t);
    PASS();
}

TEST the_rest_is_a_fault(uint64_t reads, uint64_t writes)
{
    two t;
    char name[NAME_MAX_];
    ASSERT(two_make(&t, reads, writes));
    ASSERT(fault_of(&t.graph, run_two, &t, name));
    ASSERT_STR_EQ("copy", name);
    two_free(&t);
    PASS();
}

TEST a_failing_job_leaves_all_open(void)
{
    two t;
    ASSERT(two_make(&t, 1 << TABLE_A, 1 << TABLE_B));
    shl_job(&t.graph, .name = "no", .run = refuse);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&t.graph));
    ASSERT_EQ(SHOAL_ERR_STALE, shl_graph_run(&t.graph, SHL_EXEC_GUARD, 1));
    ASSERT_EQ(2u, t.graph.failure.job);
    t.memory[0][0] = t.memory[1][0] = 7;
    two_free(&t);
    PASS();
}

TEST shared_pages_are_refused(void)
{
    two t;
    ASSERT(two_make(&t, 1 << TABLE_A, 1 << TABLE_B));
    t.shift = 64;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_run(&t.graph, SHL_EXEC_GUARD, 1));
    t.memory[0][0] = t.memory[1][0] = 7;
    two_free(&t);
    PASS();
}

// --- Scenes. ---

enum { BODIES = 12, STEPS = 5, KINDS = 5 };
#define SKIN 0.11   // two steps of a body, and a little more
#define REBUILD 0.5 // a new tree for every body in every step

typedef struct play {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *model;
    world_mesh mesh;
    shoal_body body[BODIES], reduced[2], carried[2];
    float *xyz[BODIES]; // on pages of their own
    uint64_t hash;
    size_t pairs, self_pairs, last_pairs, contacts, reused;
    bool skin;     // then only free bodies: with others no list is kept
    bool distance; // smaller bodies, and nothing but distances
    bool forget;   // contacts, before each step
} play;

static bool play_begin(play *p, shoal_executor executor, shoal_broad broad, double skin,
                       double rebuild_ratio, shoal_distance_engine distance)
{
    *p = (play){.distance = distance != SHOAL_DISTANCE_AUTO};
    shoal_context_def cd = shoal_context_def_default();
    cd.gpu = SHOAL_GPU_OFF; // which would do the grid's jobs
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = executor;
    sd.broad = broad;
    sd.skin = skin;
    sd.within = 0.1;
    sd.distance_engine = distance;
    p->skin = skin > 0;
    sd.strategy = SHOAL_STRATEGY_AUTO;
    sd.coherence = SHOAL_COHERENCE_EAGER;
    sd.rebuild_ratio = rebuild_ratio;
    p->mesh = mesh_ball(distance ? 1 : 3, 7);
    // a vertex of no triangle: it is looked at apart from all others
    p->mesh.rest =
        realloc(p->mesh.rest, 3 * sizeof(double) * (p->mesh.vertex_count + (size_t)1));
    memset(p->mesh.rest + 3 * (size_t)p->mesh.vertex_count++, 0, 3 * sizeof(double));
    shoal_model_def md = shoal_model_def_default();
    md.triangles = p->mesh.tri;
    md.triangle_count = p->mesh.triangle_count;
    md.rest = shoal_positions_f64(p->mesh.rest, p->mesh.vertex_count);
    md.reducible = true;
    md.proxy_level = 4;
    // one node carries all
    enum { MOST = 700 };
    static uint32_t begin[MOST + 1], node[MOST];
    static float weight[MOST];
    static const double at[3];
    for (uint32_t v = 0; v < MOST; v++) {
        begin[v + 1] = v + 1;
        weight[v] = 1;
    }
    const shoal_points_def points = {.node_count = 1,
                                     .nodes = at,
                                     .weight_begin = begin,
                                     .weight_node = node,
                                     .weight = weight,
                                     .weight_count = p->mesh.vertex_count};
    md.points = &points;
    if (p->mesh.vertex_count > MOST)
        return false;
    if (shoal_context_create(&cd, &p->ctx) || shoal_scene_create(p->ctx, &sd, &p->scene) ||
        shoal_model_create(p->ctx, &md, &p->model))
        return false;
    for (int b = 0; b < BODIES; b++) {
        if (posix_memalign((void **)&p->xyz[b], 4096, 3 * sizeof(float) * p->mesh.vertex_count))
            return false;
    }
    return true;
}

static void play_end(play *p)
{
    shoal_scene_destroy(p->scene);
    shoal_model_destroy(p->model);
    shoal_context_destroy(p->ctx);
    mesh_free(&p->mesh);
    for (int b = 0; b < BODIES; b++)
        free(p->xyz[b]);
}

// Two bodies that a node carries join them, too.
static bool play_points(play *p, uint32_t step, bool end)
{
    for (int i = 0; i < 2 && (step == 0 || end); i++) {
        if (end ? shoal_scene_remove(p->scene, p->carried[i])
                : shoal_scene_add_points(p->scene, p->model, &p->carried[i]))
            return false;
    }
    const double at[6] = {0.4, -0.4, 0.1 * step, 0.9, -0.5, 0.1};
    const shoal_points_state state = {.bodies = p->carried,
                                      .count = end ? 0 : 2,
                                      .row_count = end ? 0 : 2,
                                      .stride = 2,
                                      .u = at};
    return shoal_scene_set_points(p->scene, &state) == SHOAL_OK;
}

// Two rigid bodies with contact spheres join the others, but not at the end.
static bool play_reduced(play *p, uint32_t step, bool end)
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

// So that the second look for contacts does not find all of them kept by the first.
static void forget_contacts(shoal_scene *s)
{
    s->contact_count = 0;
    shl_array_finish(&s->contacts, &s->allocator);
    for (uint32_t i = 0; i < s->workers_count; i++)
        shl_array_finish(&s->workers[i].contacts, &s->allocator);
}

// Bodies come in two waves and go through one another; a third each is copied, gathered and
// read in place. At last only two are left that hardly meet, so that seeds lie deep.
static bool play_step(play *p, uint32_t step)
{
    if (p->forget)
        forget_contacts(p->scene);
    const bool end = step == STEPS - 1;
    const uint32_t bodies = end ? 2 : step < 2 ? BODIES / 2 : BODIES;
    for (uint32_t b = bodies; b < BODIES && end; b++) {
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
        if (shoal_scene_set_positions(p->scene, p->body[b], &v))
            return false;
    }
    const uint32_t all = SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF |
                         SHOAL_QUERY_SELF_ADJACENT | (p->skin ? 0 : SHOAL_QUERY_PROXIES);
    if (!p->skin && !(play_reduced(p, step, end) && play_points(p, step, end)))
        return false;
    const uint32_t asked = p->distance ? SHL_DISTANCE_QUERIES : end ? SHOAL_QUERY_PAIRS : all;
    if (shoal_scene_step(p->scene, asked))
        return false;
    p->reused += shoal_scene_stats(p->scene).skin_reused;
    p->pairs += shoal_scene_results(p->scene).pair_count;
    p->contacts += shoal_scene_results(p->scene).contact_count;
    p->self_pairs += shoal_scene_results(p->scene).self_pair_count;
    p->last_pairs = shoal_scene_results(p->scene).pair_count;
    p->hash = p->hash * 31 + shoal_scene_results(p->scene).hash;
    return true;
}

static bool play_all(void *ctx)
{
    play *p = ctx;
    bool good = true;
    for (uint32_t step = 0; step < STEPS && good; step++)
        good = play_step(p, step);
    return good;
}

// A list outlives no step in which trees are built.
TEST scenes_pass(shoal_broad broad, double skin)
{
    const double ratio = skin > 0 ? 0 : REBUILD;
    uint64_t hash[2] = {0};
    for (int i = 0; i < 2; i++) {
        play p;
        ASSERT(play_begin(&p, i ? SHOAL_EXECUTOR_GUARD : SHOAL_EXECUTOR_SERIAL, broad, skin,
                          ratio, SHOAL_DISTANCE_AUTO));
        ASSERT(play_all(&p));
        ASSERT_EQ(NULL, shoal_scene_running_job(p.scene));
        ASSERT(p.pairs > 100 && p.self_pairs > 100 && (skin > 0 || p.contacts > 100));
        ASSERT_EQ(skin > 0, p.reused > 0);
        ASSERT(p.last_pairs > 0 && p.last_pairs < 200);
        hash[i] = p.hash;
        play_end(&p);
    }
    ASSERT_EQ_FMT(hash[0], hash[1], "%jx");
    PASS();
}

TEST distances_pass(void)
{
    uint64_t hash[2] = {0};
    for (int i = 0; i < 2; i++) {
        play p;
        ASSERT(play_begin(&p, i ? SHOAL_EXECUTOR_GUARD : SHOAL_EXECUTOR_SERIAL,
                          SHOAL_BROAD_AUTO, 0, REBUILD, SHOAL_DISTANCE_GRID));
        ASSERT(play_all(&p));
        ASSERT_EQ(2u, shoal_scene_results(p.scene).nearest_count);
        hash[i] = p.hash;
        play_end(&p);
    }
    ASSERT_EQ_FMT(hash[0], hash[1], "%jx");
    PASS();
}

// What a job declares beyond what this scene makes it touch: rows of bodies are open to all,
// the upper levels of the broad phase's tree need more than 64 bodies, a single worker has the
// leaves of reduced bodies that points need in its cache, and the states of reduced bodies are
// too short to close a page.
static bool excused(const char *job, uint64_t table)
{
    return table == BOXES || strcmp(job, "broad levels") == 0 ||
           (table == BLOCKS && strcmp(job, "distance_points") == 0) ||
           strcmp(job, "distance_recall") == 0 || // waits for a GPU
           (table == POSITIONS && strcmp(job, "bd_update") == 0);
}

// Whether the guard catches a job that lacks `bit`, by its name.
static bool caught(play *p, uint32_t job, uint64_t bit)
{
    shl_job_desc *desc = (shl_job_desc *)p->scene->graph.jobs.data + job;
    const shl_job_desc right = *desc;
    desc->reads &= ~bit;
    desc->writes &= ~bit;
    char name[NAME_MAX_];
    const bool faulted = fault_of(&p->scene->graph, play_all, p, name);
    *desc = right;
    return faulted && strcmp(name, right.name) == 0;
}

// Every job of the step with one of its tables taken away: it is caught in one of these scenes.
// So the guard sees every table, and no job declares what it does not need.
TEST every_declaration_counts(void)
{
    if (SANITIZED)
        SKIPm("a child for each of hundreds of faults takes minutes under a sanitizer");
    // the first two are for the searches of distances alone
    static const double about[KINDS][2] = {
        {0, REBUILD}, {0, REBUILD}, {0, REBUILD}, {SKIN, 0}, {SKIN, REBUILD}};
    static const shoal_distance_engine engines[KINDS] = {SHOAL_DISTANCE_GRID,
                                                         SHOAL_DISTANCE_TREES};
    play plays[KINDS];
    for (int i = 0; i < KINDS; i++) {
        ASSERT(play_begin(&plays[i], SHOAL_EXECUTOR_GUARD, SHOAL_BROAD_TREE, about[i][0],
                          about[i][1], engines[i]));
        plays[i].forget = true;
    }
    const shl_graph *g = &plays[0].scene->graph;
    uint32_t tried = 0, missed = 0;
    for (uint32_t job = 0; job < g->job_count; job++) {
        const shl_job_desc *desc = shl_graph_jobs(g) + job;
        for (uint64_t left = desc->reads | desc->writes; left; left &= left - 1) {
            const uint64_t bit = left & -left;
            if (excused(desc->name, bit))
                continue;
            tried++;
            bool seen = false;
            const bool distance = bit == NEAREST || strncmp(desc->name, "grid", 4) == 0 ||
                                  strncmp(desc->name, "distance", 8) == 0;
            for (int i = distance ? 0 : 2; i < (distance ? 2 : KINDS) && !seen; i++)
                seen = caught(&plays[i], job, bit);
            if (seen)
                continue;
            printf("\n%s without %s: not caught\n", desc->name,
                   shl_table_names[__builtin_ctzll(bit)]);
            missed++;
        }
    }
    ASSERT(tried > 20);
    ASSERT_EQ(0u, missed);
    for (int i = 0; i < KINDS; i++) {
        ASSERT(play_all(&plays[i]));
        play_end(&plays[i]);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(what_is_declared_may_be_touched);
    RUN_TESTp(the_rest_is_a_fault, 0, 1 << TABLE_B);                // reads A undeclared
    RUN_TESTp(the_rest_is_a_fault, 1 << TABLE_A, 0);                // writes B undeclared
    RUN_TESTp(the_rest_is_a_fault, 1 << TABLE_A | 1 << TABLE_B, 0); // writes B, only read
    RUN_TEST(a_failing_job_leaves_all_open);
    RUN_TEST(shared_pages_are_refused);
    RUN_TESTp(scenes_pass, SHOAL_BROAD_BRUTE, 0);
    RUN_TESTp(scenes_pass, SHOAL_BROAD_SWEEP, 0);
    RUN_TESTp(scenes_pass, SHOAL_BROAD_TREE, 0);
    RUN_TESTp(scenes_pass, SHOAL_BROAD_INCREMENTAL, 0);
    RUN_TESTp(scenes_pass, SHOAL_BROAD_BRUTE, SKIN);
    RUN_TESTp(scenes_pass, SHOAL_BROAD_SWEEP, SKIN);
    RUN_TESTp(scenes_pass, SHOAL_BROAD_TREE, SKIN);
    RUN_TESTp(scenes_pass, SHOAL_BROAD_INCREMENTAL, SKIN);
    RUN_TEST(distances_pass);
    RUN_TEST(every_declaration_counts);
    GREATEST_MAIN_END();
}
