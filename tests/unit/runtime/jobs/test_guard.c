// SPDX-License-Identifier: MIT
// The guard executor: scenes pass it with the same hash as serial, and whoever touches a table
// it did not declare is caught by name. Faults happen in a child process, whose handler sends
// the name of the job through a pipe.
#include "play.h"

#include "greatest.h"
#include "inside.h"
#include "sanitized.h"

#include <shoal/study.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static shoal_status copy_a_to_b(void *ctx, shl_chunk rows)
{
    (void)rows;
    two *t = ctx;
    for (int i = 0; i < BYTES; i++)
        ((volatile unsigned char *)t->memory[1])[i] = t->memory[0][i];
    return SHOAL_OK;
}

static shoal_status count_up(void *ctx, shl_chunk rows)
{
    (void)rows;
    ((volatile unsigned char *)((two *)ctx)->memory[0])[BYTES - 1]++;
    return SHOAL_OK;
}

static shoal_status refuse(void *ctx, shl_chunk rows)
{
    (void)ctx, (void)rows;
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

enum { KINDS = 5, LEVEL = 3 };

// What a play has found in all its steps.
typedef struct sums {
    uint64_t hash;
    size_t pairs, self_pairs, last_pairs, contacts, reused;
} sums;

// So that the second look for contacts does not find all of them kept by the first.
static void forget_contacts(shoal_scene *s)
{
    shl_spheres *spheres = inside_spheres(s);
    spheres->contact_count = 0;
    shl_array_finish(&spheres->contacts, &s->allocator);
    for (uint32_t i = 0; i < s->ports.workers; i++)
        shl_array_finish(&spheres->scratch[i].contacts, &s->allocator);
}

// Counts rows of a list that is too long.
static bool count_long_list(const play *p)
{
    const uint32_t query = SHOAL_QUERY_WITHIN;
    if (!p->distance)
        return true;
    if (shoal_scene_set_max_rows(p->scene, query, 1))
        return false;
    const shoal_status st = shoal_scene_step(p->scene, query);
    return (st == SHOAL_OK || st == SHOAL_ERR_LIMIT) &&
           shoal_scene_set_max_rows(p->scene, query, 0) == SHOAL_OK;
}

static bool play_all(play *p, bool forget, sums *out)
{
    *out = (sums){0};
    for (uint32_t step = 0; step < PLAY_STEPS; step++) {
        if (forget)
            forget_contacts(p->scene);
        if (!play_move(p, step) || !count_long_list(p) ||
            shoal_scene_step(p->scene, play_queries(p, step)))
            return false;
        const shoal_pairs pairs = shoal_scene_pairs(p->scene);
        out->reused += shoal_scene_stats(p->scene).list_reused;
        out->pairs += pairs.count;
        out->contacts += shoal_scene_sphere_contacts(p->scene).count;
        out->self_pairs += shoal_scene_self_pairs(p->scene).count;
        out->last_pairs = pairs.count;
        out->hash = out->hash * 31 + shoal_scene_hash(p->scene);
    }
    return true;
}

static bool play_forgetful(void *ctx)
{
    sums all;
    return play_all(ctx, true, &all);
}

// A list outlives no step in which trees are built.
TEST scenes_pass(shoal_broad broad, double list_margin)
{
    uint64_t hash[2] = {0};
    for (int i = 0; i < 2; i++) {
        const play_def def = {.executor = i ? SHOAL_EXECUTOR_GUARD : SHOAL_EXECUTOR_SERIAL,
                              .broad = broad,
                              .level = LEVEL,
                              .list_margin = list_margin,
                              .rebuild_ratio = list_margin > 0 ? 0 : PLAY_REBUILD};
        play p;
        sums all;
        ASSERT(play_begin(&p, &def));
        ASSERT(play_all(&p, false, &all));
        ASSERT_EQ(NULL, shoal_scene_running_job(p.scene));
        ASSERT(all.pairs > 100 && all.self_pairs > 100 &&
               (list_margin > 0 || all.contacts > 100));
        ASSERT_EQ(list_margin > 0, all.reused > 0);
        ASSERT(all.last_pairs > 0 && all.last_pairs < 200);
        hash[i] = all.hash;
        play_end(&p);
    }
    ASSERT_EQ_FMT(hash[0], hash[1], "%jx");
    PASS();
}

TEST distances_pass(void)
{
    uint64_t hash[2] = {0};
    for (int i = 0; i < 2; i++) {
        const play_def def = {.executor = i ? SHOAL_EXECUTOR_GUARD : SHOAL_EXECUTOR_SERIAL,
                              .rebuild_ratio = PLAY_REBUILD,
                              .distance = SHOAL_DISTANCE_GRID};
        play p;
        sums all;
        ASSERT(play_begin(&p, &def));
        ASSERT(play_all(&p, false, &all));
        ASSERT_EQ(2u, shoal_scene_nearest(p.scene).count);
        hash[i] = all.hash;
        play_end(&p);
    }
    ASSERT_EQ_FMT(hash[0], hash[1], "%jx");
    PASS();
}

// What a job declares beyond what these scenes make it touch: the upper levels of a tree over
// boxes need more than 64 bodies, and "distance_warm_start" waits for a GPU.
static bool excused(const char *job)
{
    return strstr(job, "_levels") || strcmp(job, "distance_warm_start") == 0;
}

// Whether the guard catches a job that lacks `bit`, by its name.
static bool caught(play *p, uint32_t job, uint64_t bit)
{
    shl_job_desc *desc = (shl_job_desc *)p->scene->runner.graph.jobs.data + job;
    const shl_job_desc right = *desc;
    desc->reads &= ~bit;
    desc->opens &= ~bit;
    desc->writes &= ~bit;
    char name[NAME_MAX_];
    const bool faulted = fault_of(&p->scene->runner.graph, play_forgetful, p, name);
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
    static const double about[KINDS][2] = {{0, PLAY_REBUILD},
                                           {0, PLAY_REBUILD},
                                           {0, PLAY_REBUILD},
                                           {PLAY_LIST_MARGIN, 0},
                                           {PLAY_LIST_MARGIN, PLAY_REBUILD}};
    static const shoal_distance_engine engines[KINDS] = {SHOAL_DISTANCE_GRID,
                                                         SHOAL_DISTANCE_TREES};
    play plays[KINDS];
    for (int i = 0; i < KINDS; i++) {
        const play_def def = {.executor = SHOAL_EXECUTOR_GUARD,
                              .broad = SHOAL_BROAD_TREE,
                              .level = LEVEL,
                              .list_margin = about[i][0],
                              .rebuild_ratio = about[i][1],
                              .distance = engines[i],
                              .plate = i == 2};
        ASSERT(play_begin(&plays[i], &def));
    }
    const shl_graph *g = &plays[0].scene->runner.graph;
    uint32_t tried = 0, missed = 0;
    for (uint32_t job = 0; job < g->job_count; job++) {
        const shl_job_desc *desc = shl_graph_jobs(g) + job;
        for (uint64_t left = desc->reads | desc->opens | desc->writes; left; left &= left - 1) {
            const uint64_t bit = left & -left;
            if (excused(desc->name))
                continue;
            tried++;
            bool seen = false;
            const char *table = plays[0].scene->runner.table_names[__builtin_ctzll(bit)];
            const bool distance =
                strncmp(table, "distance", 8) == 0 || strncmp(desc->name, "distance", 8) == 0;
            for (int i = distance ? 0 : 2; i < (distance ? 2 : KINDS) && !seen; i++)
                seen = caught(&plays[i], job, bit);
            if (seen)
                continue;
            printf("\n%s without %s: not caught\n", desc->name, table);
            missed++;
        }
    }
    ASSERT(tried > 20);
    ASSERT_EQ(0u, missed);
    for (int i = 0; i < KINDS; i++) {
        ASSERT(play_forgetful(&plays[i]));
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
    RUN_TESTp(scenes_pass, SHOAL_BROAD_BRUTE, PLAY_LIST_MARGIN);
    RUN_TESTp(scenes_pass, SHOAL_BROAD_SWEEP, PLAY_LIST_MARGIN);
    RUN_TESTp(scenes_pass, SHOAL_BROAD_TREE, PLAY_LIST_MARGIN);
    RUN_TESTp(scenes_pass, SHOAL_BROAD_INCREMENTAL, PLAY_LIST_MARGIN);
    RUN_TEST(distances_pass);
    RUN_TEST(every_declaration_counts);
    GREATEST_MAIN_END();
}
