// SPDX-License-Identifier: MIT
// The graph on threads of the host, and the record of what ran.
#include "greatest.h"
#include "tests/unit/runtime/jobs/jobs_common.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { THREADS_MAX = 8, ROWS = 1000 };

// A chain of loops over one array, with a job at its end that checks all of it.
typedef struct chain {
    shl_graph graph;
    uint32_t rows;
    uint32_t value[ROWS];
    _Atomic uint32_t calls;
    _Atomic uint32_t faults;
    _Atomic uint32_t worker_top;
    uint32_t fail_row; // in the second loop; ROWS: none
} chain;

static shoal_status add_one(chain *c, shl_chunk rows, uint32_t from)
{
    atomic_fetch_add(&c->calls, 1);
    uint32_t top = atomic_load(&c->worker_top);
    while (rows.worker > top &&
           !atomic_compare_exchange_weak(&c->worker_top, &top, rows.worker))
        ;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        if (c->value[i]++ != from)
            atomic_fetch_add(&c->faults, 1);
        if (from == 1 && i == c->fail_row)
            return SHOAL_ERR_STALE;
    }
    return SHOAL_OK;
}

static shoal_status first(void *ctx, shl_chunk rows)
{
    return add_one(ctx, rows, 0);
}

static shoal_status second(void *ctx, shl_chunk rows)
{
    return add_one(ctx, rows, 1);
}

static shoal_status last(void *ctx, shl_chunk rows)
{
    (void)rows;
    chain *c = ctx;
    for (uint32_t i = 0; i < ROWS; i++) {
        if (c->value[i] != 2)
            atomic_fetch_add(&c->faults, 1);
    }
    return SHOAL_OK;
}

static bool chain_make(chain *c)
{
    memset(c, 0, sizeof *c);
    c->rows = ROWS;
    c->fail_row = ROWS;
    shl_graph_init(&c->graph, &allocator);
    c->graph.timing = true;
    c->graph.workers_max = THREADS_MAX;
    shl_job(&c->graph, .name = "first", .run = first, .ctx = c, .rows = &c->rows, .grain = 7,
            .writes = A);
    shl_job(&c->graph, .name = "second", .run = second, .ctx = c, .rows = &c->rows, .grain = 3,
            .writes = A);
    shl_job(&c->graph, .name = "last", .run = last, .ctx = c, .reads = A);
    return shl_graph_compile(&c->graph) == SHOAL_OK;
}

static void chain_reset(chain *c)
{
    memset(c->value, 0, sizeof c->value);
    atomic_store(&c->calls, 0);
    atomic_store(&c->faults, 0);
    atomic_store(&c->worker_top, 0);
}

typedef struct caller {
    pthread_t thread;
    pthread_barrier_t
        *start; // all begin together, or the first is done before the next is there
    shl_graph *graph;
    uint32_t worker;
    shoal_status status;
} caller;

static void *call(void *ctx)
{
    caller *c = ctx;
    pthread_barrier_wait(c->start);
    c->status = shl_graph_work(c->graph, c->worker);
    return NULL;
}

// `count` threads, with `gap` numbers left out after each.
static bool call_all(caller *callers, uint32_t count, shl_graph *g, uint32_t gap)
{
    pthread_barrier_t start;
    bool good = pthread_barrier_init(&start, NULL, count) == 0;
    for (uint32_t i = 0; i < count; i++) {
        callers[i] = (caller){.start = &start, .graph = g, .worker = i * (gap + 1)};
        good = good && pthread_create(&callers[i].thread, NULL, call, &callers[i]) == 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(callers[i].thread, NULL);
        good = good && callers[i].status == SHOAL_OK;
    }
    pthread_barrier_destroy(&start);
    return good;
}

TEST threads_of_the_host_run_it(void)
{
    static chain c;
    caller callers[THREADS_MAX];
    ASSERT(chain_make(&c));
    for (uint32_t round = 0; round < 200; round++) {
        const uint32_t came = 1 + round % 4, gap = round / 4 % 2;
        chain_reset(&c);
        ASSERT_EQ(SHOAL_OK, shl_graph_begin(&c.graph, came * (gap + 1)));
        ASSERT(call_all(callers, came, &c.graph, gap));
        ASSERT_EQ(SHOAL_OK, shl_graph_end(&c.graph));
        ASSERT_EQ(0u, atomic_load(&c.faults));
        ASSERT_EQ(143u + 334u, atomic_load(&c.calls));
        ASSERT_EQ(came, c.graph.team);
        ASSERT(atomic_load(&c.worker_top) < came * (gap + 1));
        uint64_t chunks = 0;
        for (uint32_t job = 0; job < 3; job++)
            chunks += shl_graph_times(&c.graph)[job].chunks;
        ASSERT_EQ((round + 1) * (143u + 334u + 1), chunks);
    }
    shl_graph_finish(&c.graph);
    PASS();
}

TEST inside_a_parallel_region(void)
{
    static chain c;
    ASSERT(chain_make(&c));
    for (uint32_t round = 0; round < 50; round++) {
        _Atomic uint32_t wrong = 0;
        shoal_status ended = SHOAL_ERR_FILE;
        chain_reset(&c);
#pragma omp parallel num_threads(3) default(none) shared(c, wrong, ended)
        {
#pragma omp single
            wrong += shl_graph_begin(&c.graph, (uint32_t)omp_get_num_threads()) != SHOAL_OK;
            wrong += shl_graph_work(&c.graph, (uint32_t)omp_get_thread_num()) != SHOAL_OK;
#pragma omp barrier
#pragma omp single
            ended = shl_graph_end(&c.graph);
        }
        ASSERT_EQ(0u, atomic_load(&wrong));
        ASSERT_EQ(SHOAL_OK, ended);
        ASSERT_EQ(0u, atomic_load(&c.faults));
        ASSERT_EQ(143u + 334u, atomic_load(&c.calls));
    }
    shl_graph_finish(&c.graph);
    PASS();
}

TEST order_of_calls_is_checked(void)
{
    static chain c;
    ASSERT(chain_make(&c));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_work(&c.graph, 0));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_end(&c.graph));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_begin(&c.graph, 0));
    ASSERT_EQ(SHOAL_OK, shl_graph_begin(&c.graph, 2));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_begin(&c.graph, 2));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_run(&c.graph, SHL_EXEC_SERIAL, 1));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_work(&c.graph, 2));
    ASSERT_EQ(SHOAL_OK, shl_graph_work(&c.graph, 1));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_work(&c.graph, 1)); // taken
    ASSERT_EQ(SHOAL_OK, shl_graph_work(&c.graph, 0));           // late, and nothing to do
    ASSERT_EQ(SHOAL_OK, shl_graph_end(&c.graph));
    ASSERT_EQ(0u, atomic_load(&c.faults));
    chain_reset(&c);
    ASSERT_EQ(SHOAL_OK, shl_graph_begin(&c.graph, 3)); // nobody comes
    ASSERT_EQ(SHOAL_OK, shl_graph_end(&c.graph));
    ASSERT_EQ(143u + 334u, atomic_load(&c.calls));
    shl_graph_finish(&c.graph);
    PASS();
}

TEST failures_are_told_at_the_end(void)
{
    static chain c;
    caller callers[THREADS_MAX];
    ASSERT(chain_make(&c));
    c.fail_row = 500;
    for (int round = 0; round < 20; round++) {
        chain_reset(&c);
        ASSERT_EQ(SHOAL_OK, shl_graph_begin(&c.graph, 3));
        ASSERT(call_all(callers, 3, &c.graph, 0));
        ASSERT_EQ(SHOAL_ERR_STALE, shl_graph_end(&c.graph));
        ASSERT_EQ(1u, c.graph.failure.job);
        ASSERT_EQ(500u / 3, c.graph.failure.chunk);
    }
    shl_graph_finish(&c.graph);
    PASS();
}

// --- Slices. ---

typedef struct owners {
    uint32_t rows;
    uint32_t worker[64];
    _Atomic uint32_t came;
} owners;

// Waits until both workers are here, so that none can do it all.
static shoal_status note_owner(void *ctx, shl_chunk rows)
{
    owners *o = ctx;
    o->worker[rows.begin] = rows.worker;
    if (rows.begin == 0 || rows.begin == 32) {
        atomic_fetch_add(&o->came, 1);
        while (atomic_load(&o->came) < 2)
            ;
    }
    return SHOAL_OK;
}

TEST workers_begin_with_their_own_slice(void)
{
    owners o = {.rows = 64};
    shl_graph g;
    shl_graph_init(&g, &allocator);
    shl_job(&g, .name = "note", .run = note_owner, .ctx = &o, .rows = &o.rows, .grain = 1);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    caller callers[2];
    for (int round = 0; round < 20; round++) {
        atomic_store(&o.came, 0);
        ASSERT_EQ(SHOAL_OK, shl_graph_begin(&g, 2));
        ASSERT(call_all(callers, 2, &g, 0));
        ASSERT_EQ(SHOAL_OK, shl_graph_end(&g));
        ASSERT_EQ(0u, o.worker[0]);
        ASSERT_EQ(1u, o.worker[32]);
    }
    shl_graph_finish(&g);
    PASS();
}

// --- Events. ---

TEST events_tell_every_chunk_once(void)
{
    static chain c;
    ASSERT(chain_make(&c));
    c.graph.tracing = true;
    for (int way = 0; way < WAYS; way++) {
        chain_reset(&c);
        ASSERT_EQ(SHOAL_OK, shl_graph_run(&c.graph, ways[way].executor, ways[way].workers));
        ASSERT_EQ(143u + 334u + 1, c.graph.event_count);
        static bool seen[3][400];
        memset(seen, 0, sizeof seen);
        const shoal_event *e = c.graph.events.data;
        for (size_t i = 0; i < c.graph.event_count; i++) {
            const int job = strcmp(e[i].job, "first") == 0    ? 0
                            : strcmp(e[i].job, "second") == 0 ? 1
                                                              : 2;
            ASSERT_FALSE(seen[job][e[i].chunk]);
            seen[job][e[i].chunk] = true;
            ASSERT(e[i].begin_ns && e[i].begin_ns <= e[i].end_ns);
            ASSERT(e[i].worker < ways[way].workers);
            if (i && e[i].worker == e[i - 1].worker)
                ASSERT(e[i - 1].end_ns <= e[i].begin_ns);
            else
                ASSERT(i == 0 || e[i - 1].worker < e[i].worker);
            const uint32_t grain = job == 0 ? 7 : 3;
            ASSERT(job == 2 || e[i].begin == grain * e[i].chunk);
            ASSERT(job == 2 || (e[i].end > e[i].begin && e[i].end <= ROWS));
        }
    }
    c.graph.tracing = false;
    chain_reset(&c);
    ASSERT_EQ(SHOAL_OK, shl_graph_run(&c.graph, SHL_EXEC_OMP, 2));
    ASSERT_EQ(0u, c.graph.event_count);
    shl_graph_finish(&c.graph);
    ASSERT_EQ(0, memory.held);
    PASS();
}

TEST events_without_memory_are_a_failure(void)
{
    static chain c;
    ASSERT(chain_make(&c));
    c.graph.tracing = true;
    for (long budget = 0; budget < 3; budget++) {
        chain_reset(&c);
        memory.budget = budget;
        ASSERT_EQ(SHOAL_ERR_MEMORY, shl_graph_run(&c.graph, SHL_EXEC_SERIAL, 1));
        memory.budget = BUDGET;
    }
    chain_reset(&c);
    ASSERT_EQ(SHOAL_OK, shl_graph_run(&c.graph, SHL_EXEC_SERIAL, 1));
    ASSERT_EQ(143u + 334u + 1, c.graph.event_count);
    shl_graph_finish(&c.graph);
    ASSERT_EQ(0, memory.held);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(threads_of_the_host_run_it);
    RUN_TEST(inside_a_parallel_region);
    RUN_TEST(order_of_calls_is_checked);
    RUN_TEST(failures_are_told_at_the_end);
    RUN_TEST(workers_begin_with_their_own_slice);
    RUN_TEST(events_tell_every_chunk_once);
    RUN_TEST(events_without_memory_are_a_failure);
    GREATEST_MAIN_END();
}
