// SPDX-License-Identifier: MIT
// Running job graphs: the same meaning for every executor and worker count.
#include "greatest.h"
#include "runtime/jobs/plan.h"
#include "tests/unit/runtime/jobs/jobs_common.h"

#include <string.h>

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 747796405u + 2891336453u;
    const uint32_t word = (*state >> ((*state >> 28) + 4)) ^ *state;
    return word ^ word >> 16;
}

// ---- running, watched: every call leaves stamps of one global clock

enum { JOBS_MAX = 40, CHUNKS_MAX = 24 };

typedef struct watched {
    struct watch *all;
    uint32_t rows, grain;
    uint64_t reads, writes;
    _Atomic uint32_t calls[CHUNKS_MAX];
    shl_chunk spans[CHUNKS_MAX];
    _Atomic uint32_t first, last; // stamps
    uint32_t fail_chunk;          // SHL_NO_JOB: none
    shoal_status fail_status;
} watched;

typedef struct watch {
    _Atomic uint32_t clock;
    _Atomic uint32_t worker_top; // largest worker index seen
    _Atomic uint32_t rounding;   // calls with a chunk out of range
    uint32_t job_count;
    watched jobs[JOBS_MAX];
} watch;

static void lower(_Atomic uint32_t *to, uint32_t value)
{
    uint32_t seen = atomic_load(to);
    while (value < seen && !atomic_compare_exchange_weak(to, &seen, value))
        ;
}

static void raise_to(_Atomic uint32_t *to, uint32_t value)
{
    uint32_t seen = atomic_load(to);
    while (value > seen && !atomic_compare_exchange_weak(to, &seen, value))
        ;
}

static shoal_status stamp(void *ctx, shl_chunk rows)
{
    watched *job = ctx;
    watch *all = job->all;
    lower(&job->first, atomic_fetch_add(&all->clock, 1));
    raise_to(&all->worker_top, rows.worker);
    if (rows.chunk >= CHUNKS_MAX) {
        atomic_fetch_add(&all->rounding, 1);
        return SHOAL_OK;
    }
    atomic_fetch_add(&job->calls[rows.chunk], 1);
    job->spans[rows.chunk] = rows;
    raise_to(&job->last, atomic_fetch_add(&all->clock, 1));
    return rows.chunk == job->fail_chunk ? job->fail_status : SHOAL_OK;
}

static void forget(watch *all)
{
    atomic_store(&all->clock, 1);
    atomic_store(&all->worker_top, 0);
    atomic_store(&all->rounding, 0);
    for (uint32_t i = 0; i < all->job_count; i++) {
        watched *job = &all->jobs[i];
        atomic_store(&job->first, UINT32_MAX);
        atomic_store(&job->last, 0);
        memset(job->spans, 0, sizeof job->spans);
        for (int c = 0; c < CHUNKS_MAX; c++)
            atomic_store(&job->calls[c], 0);
    }
}

static uint32_t chunks_of(const watched *job)
{
    return job->rows == UINT32_MAX ? 1 : shl_chunk_count(job->rows, job->grain);
}

// Few jobs and tables make chains, many make width; rows of UINT32_MAX stand for a job without.
static void make_random(watch *all, shl_graph *g, uint32_t seed)
{
    const uint32_t tables = 1 + next_random(&seed) % 12;
    all->job_count = 1 + next_random(&seed) % JOBS_MAX;
    for (uint32_t i = 0; i < all->job_count; i++) {
        watched *job = &all->jobs[i];
        job->all = all;
        job->fail_chunk = SHL_NO_JOB;
        job->grain = next_random(&seed) % 5;
        const uint32_t chunks = next_random(&seed) % CHUNKS_MAX;
        job->rows =
            next_random(&seed) % 3 ? chunks * (job->grain ? job->grain : 1) : UINT32_MAX;
        job->reads = UINT64_C(1) << next_random(&seed) % tables;
        job->writes = next_random(&seed) % 3 ? UINT64_C(1) << next_random(&seed) % tables : 0;
        shl_job(g, .name = "stamp", .run = stamp, .ctx = job,
                .rows = job->rows == UINT32_MAX ? NULL : &job->rows, .grain = job->grain,
                .reads = job->reads, .writes = job->writes);
    }
}

static bool conflict(const watched *a, const watched *b)
{
    return (a->writes & (b->reads | b->writes)) || (a->reads & b->writes);
}

// Every chunk ran once with its rows, and no two jobs that share a written table overlapped.
static enum greatest_test_res check_complete(watch *all, uint32_t workers)
{
    ASSERT_EQ_FMT(0u, atomic_load(&all->rounding), "%u");
    ASSERT(atomic_load(&all->worker_top) < workers);
    for (uint32_t i = 0; i < all->job_count; i++) {
        watched *job = &all->jobs[i];
        const uint32_t chunks = chunks_of(job);
        for (uint32_t c = 0; c < CHUNKS_MAX; c++)
            ASSERT_EQ_FMT((uint32_t)(c < chunks), atomic_load(&job->calls[c]), "%u");
        for (uint32_t c = 0; c < chunks; c++) {
            const shl_chunk want = job->rows == UINT32_MAX
                                       ? (shl_chunk){.end = 1}
                                       : shl_chunk_rows(job->rows, job->grain, c);
            ASSERT_EQ_FMT(want.begin, job->spans[c].begin, "%u");
            ASSERT_EQ_FMT(want.end, job->spans[c].end, "%u");
        }
        for (uint32_t before = 0; before < i; before++) {
            if (conflict(&all->jobs[before], job))
                ASSERT(atomic_load(&all->jobs[before].last) <= atomic_load(&job->first));
        }
    }
    PASS();
}

static watch the_watch;

enum { RANDOM_GRAPHS = 2000 };

// One way after the other, because OpenMP makes new threads when the team grows.
TEST random_graphs_run_completely_and_in_order(void)
{
    for (uint32_t i = 0; i < WAYS * RANDOM_GRAPHS; i++) {
        const uint32_t workers = ways[i / RANDOM_GRAPHS].workers;
        shl_graph g;
        shl_graph_init(&g, &allocator);
        make_random(&the_watch, &g, i % RANDOM_GRAPHS);
        ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
        const long calls = memory.calls;
        forget(&the_watch);
        ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, ways[i / RANDOM_GRAPHS].executor, workers));
        ASSERT(g.team >= 1 && g.team <= workers);
        ASSERT_EQ_FMT(SHL_NO_JOB, g.failure.job, "%u");
        CHECK_CALL(check_complete(&the_watch, workers));
        ASSERT_EQ_FMT(calls, memory.calls, "%ld"); // running allocates nothing
        shl_graph_finish(&g);
    }
    ASSERT_EQ_FMT(0L, memory.held, "%ld");
    PASS();
}

TEST repeated_runs_find_no_race(void)
{
    shl_graph g;
    shl_graph_init(&g, &allocator);
    make_random(&the_watch, &g, 77);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    for (uint32_t run = 0; run < 200; run++) {
        forget(&the_watch);
        ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, SHL_EXEC_OMP, 2 + run % 3));
        CHECK_CALL(check_complete(&the_watch, 2 + run % 3));
    }
    shl_graph_finish(&g);
    PASS();
}

// Plain memory, so that ThreadSanitizer sees any missing order between jobs.
typedef struct sums {
    uint32_t wanted, rows;
    uint32_t first[64], second[64], total;
} sums;

static shoal_status sums_count(void *ctx, shl_chunk rows)
{
    (void)rows;
    ((sums *)ctx)->rows = ((sums *)ctx)->wanted;
    return SHOAL_OK;
}

static shoal_status sums_first(void *ctx, shl_chunk rows)
{
    for (uint32_t i = rows.begin; i < rows.end; i++)
        ((sums *)ctx)->first[i] = i;
    return SHOAL_OK;
}

static shoal_status sums_second(void *ctx, shl_chunk rows)
{
    sums *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++)
        s->second[i] = s->first[s->rows - 1 - i] + 1;
    return SHOAL_OK;
}

static shoal_status sums_total(void *ctx, shl_chunk rows)
{
    (void)rows;
    sums *s = ctx;
    for (uint32_t i = 0; i < s->rows; i++)
        s->total += s->second[i];
    s->rows = 0;
    return SHOAL_OK;
}

TEST rows_may_be_known_late(void)
{
    sums s = {0};
    shl_graph g;
    shl_graph_init(&g, &allocator);
    shl_job(&g, .name = "count", .run = sums_count, .ctx = &s, .writes = A);
    shl_job(&g, .name = "first", .run = sums_first, .ctx = &s, .rows = &s.rows, .grain = 3,
            .reads = A, .writes = B);
    shl_job(&g, .name = "second", .run = sums_second, .ctx = &s, .rows = &s.rows, .grain = 5,
            .reads = A | B, .writes = C);
    shl_job(&g, .name = "total", .run = sums_total, .ctx = &s, .reads = C, .writes = A);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    for (int way = 0; way < WAYS; way++) {
        for (uint32_t run = 0; run < 50; run++) {
            s = (sums){.wanted = 64 - run};
            ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, ways[way].executor, ways[way].workers));
            ASSERT_EQ_FMT(s.wanted * (s.wanted + 1) / 2, s.total, "%u");
        }
    }
    shl_graph_finish(&g);
    PASS();
}

static shoal_status write_slowly(void *ctx, shl_chunk rows)
{
    (void)rows;
    const uint64_t begin = shl_now_ns();
    do // long enough for another worker to take part
        ++*(uint32_t *)ctx;
    while (shl_now_ns() - begin < 5000);
    return SHOAL_OK;
}

static shoal_status clear_parts(void *ctx, shl_chunk rows)
{
    (void)rows;
    uint32_t *parts = ctx;
    const bool whole = parts[0] && parts[1] && parts[2];
    memset(parts, 0, 3 * sizeof *parts);
    return whole ? SHOAL_OK : SHOAL_ERR_ARGUMENT;
}

TEST joins_see_what_all_predecessors_wrote(void)
{
    uint32_t parts[3] = {0}; // plain memory again, and no token is taken just before the join
    shl_graph g;
    shl_graph_init(&g, &allocator);
    for (uint32_t i = 0; i < 3; i++)
        shl_job(&g, .name = "part", .run = write_slowly, .ctx = &parts[i], .writes = A << i);
    shl_job(&g, .name = "join", .run = clear_parts, .ctx = parts, .reads = A | B | C);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    for (int run = 0; run < 2000; run++)
        ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, SHL_EXEC_OMP, 2 + run / 1000));
    shl_graph_finish(&g);
    PASS();
}

static shoal_status count_call(void *ctx, shl_chunk rows)
{
    (void)rows;
    atomic_fetch_add((_Atomic uint32_t *)ctx, 1);
    return SHOAL_OK;
}

TEST jobs_without_rows_end_without_calls(void)
{
    static const uint32_t none = 0;
    _Atomic uint32_t empty = 0;
    _Atomic uint32_t after = 0;
    shl_graph g;
    shl_graph_init(&g, &allocator);
    for (uint32_t grain = 0; grain < 3; grain++)
        shl_job(&g, .name = "empty", .run = count_call, .ctx = &empty, .rows = &none,
                .grain = grain, .writes = A);
    shl_job(&g, .name = "after", .run = count_call, .ctx = &after, .reads = A);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    for (int way = 0; way < WAYS; way++)
        ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, ways[way].executor, ways[way].workers));
    ASSERT_EQ_FMT(0u, atomic_load(&empty), "%u");
    ASSERT_EQ_FMT((uint32_t)WAYS, atomic_load(&after), "%u");
    shl_graph_finish(&g);
    PASS();
}

// ---- failures

// Where serial execution stops, from the descriptions alone.
static bool first_failing(const watch *all, uint32_t *job, uint32_t *chunk)
{
    for (uint32_t i = 0; i < all->job_count; i++) {
        if (all->jobs[i].fail_chunk < chunks_of(&all->jobs[i])) {
            *job = i;
            *chunk = all->jobs[i].fail_chunk;
            return true;
        }
    }
    return false;
}

static enum greatest_test_res check_failed(watch *all, const shl_graph *g, shoal_status st)
{
    uint32_t job = SHL_NO_JOB;
    uint32_t chunk = 0;
    if (!first_failing(all, &job, &chunk)) {
        ASSERT_EQ(SHOAL_OK, st);
        ASSERT_EQ(NULL, g->failure.name);
        PASS();
    }
    ASSERT_EQ_FMT(job, g->failure.job, "%u");
    ASSERT_EQ_FMT(chunk, g->failure.chunk, "%u");
    ASSERT_EQ(all->jobs[job].fail_status, st);
    ASSERT_EQ(st, g->failure.status);
    ASSERT_STR_EQ("stamp", g->failure.name);
    // what serial execution did before is done, what needs the failed job is not
    for (uint32_t i = 0; i < all->job_count; i++) {
        for (uint32_t c = 0; i < job && c < chunks_of(&all->jobs[i]); c++)
            ASSERT_EQ_FMT(1u, atomic_load(&all->jobs[i].calls[c]), "%u");
        if (i > job && conflict(&all->jobs[job], &all->jobs[i]))
            ASSERT_EQ_FMT(UINT32_MAX, atomic_load(&all->jobs[i].first), "%u");
    }
    PASS();
}

static void plant_failures(watch *all, uint32_t seed)
{
    for (uint32_t n = 0; n < 6; n++) {
        watched *job = &all->jobs[next_random(&seed) % all->job_count];
        job->fail_chunk = next_random(&seed) % (CHUNKS_MAX / 2);
        job->fail_status = SHOAL_ERR_STALE + n % 5;
    }
}

TEST the_failure_is_the_one_serial_execution_meets(void)
{
    for (uint32_t i = 0; i < WAYS * RANDOM_GRAPHS; i++) {
        const shl_executor executor = ways[i / RANDOM_GRAPHS].executor;
        const uint32_t workers = ways[i / RANDOM_GRAPHS].workers;
        shl_graph g;
        shl_graph_init(&g, &allocator);
        make_random(&the_watch, &g, i % RANDOM_GRAPHS);
        plant_failures(&the_watch, i % RANDOM_GRAPHS);
        ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
        forget(&the_watch);
        CHECK_CALL(check_failed(&the_watch, &g, shl_graph_run(&g, executor, workers)));
        for (uint32_t job = 0; job < the_watch.job_count; job++)
            the_watch.jobs[job].fail_chunk = SHL_NO_JOB;
        forget(&the_watch);
        ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, executor, workers)); // nothing is left behind
        CHECK_CALL(check_complete(&the_watch, workers));
        shl_graph_finish(&g);
    }
    PASS();
}

static shoal_status fail_early(void *ctx, shl_chunk rows)
{
    atomic_fetch_add((_Atomic uint32_t *)ctx, 1);
    return rows.chunk == 3 ? SHOAL_ERR_FILE : SHOAL_OK;
}

TEST claims_stop_after_a_failure(void)
{
    static const uint32_t rows = UINT32_MAX; // would take minutes if they did not
    for (int way = 0; way < WAYS; way++) {
        if (ways[way].executor == SHL_EXEC_LOOPS)
            continue; // its loop counts through what it skips
        _Atomic uint32_t calls = 0;
        shl_graph g;
        shl_graph_init(&g, &allocator);
        shl_job(&g, .name = "fails", .run = fail_early, .ctx = &calls, .rows = &rows,
                .grain = 1);
        ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
        ASSERT_EQ(SHOAL_ERR_FILE, shl_graph_run(&g, ways[way].executor, ways[way].workers));
        ASSERT_EQ_FMT(3u, g.failure.chunk, "%u");
        ASSERT(atomic_load(&calls) >= 4 && atomic_load(&calls) < 1u << 24);
        shl_graph_finish(&g);
    }
    PASS();
}

// ---- teams and size

static shoal_status run_inner(void *ctx, shl_chunk rows)
{
    return shl_graph_run(&((shl_graph *)ctx)[rows.chunk], SHL_EXEC_OMP, 4);
}

TEST a_graph_may_run_inside_a_job(void)
{
    static const uint32_t rows = 4;
    _Atomic uint32_t calls = 0;
    shl_graph inner[4];
    for (int i = 0; i < 4; i++) {
        shl_graph_init(&inner[i], &allocator);
        for (int job = 0; job < 10; job++)
            shl_job(&inner[i], .name = "count", .run = count_call, .ctx = &calls, .rows = &rows,
                    .grain = 1, .writes = job % 2 ? A : B);
        ASSERT_EQ(SHOAL_OK, shl_graph_compile(&inner[i]));
    }
    shl_graph outer;
    shl_graph_init(&outer, &allocator);
    shl_job(&outer, .name = "outer", .run = run_inner, .ctx = inner, .rows = &rows, .grain = 1);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&outer));
    for (int way = 0; way < WAYS; way++) {
        atomic_store(&calls, 0);
        ASSERT_EQ(SHOAL_OK, shl_graph_run(&outer, ways[way].executor, ways[way].workers));
        ASSERT_EQ_FMT(160u, atomic_load(&calls), "%u");
    }
    for (int i = 0; i < 4; i++)
        shl_graph_finish(&inner[i]);
    shl_graph_finish(&outer);
    PASS();
}

TEST large_graphs_run(void)
{
    enum { COUNT = 100000 };
    _Atomic uint32_t calls = 0;
    const uint64_t begin = shl_now_ns();
    for (int kind = 0; kind < 3; kind++) { // independent, one writer between readers, chain
        shl_graph g;
        shl_graph_init(&g, &allocator);
        g.workers_max = 3;
        for (uint32_t i = 0; i < COUNT; i++)
            shl_job(&g, .name = "count", .run = count_call, .ctx = &calls,
                    .reads = kind == 1 && i != COUNT / 2 ? A : 0,
                    .writes = kind == 2 || (kind == 1 && i == COUNT / 2) ? A : 0);
        ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
        ASSERT_EQ_FMT(kind == 0 ? 0u : COUNT - 1u, g.plan->edge_count, "%u");
        for (uint32_t workers = 1; workers <= 4; workers++) { // the fourth is clamped
            atomic_store(&calls, 0);
            ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, SHL_EXEC_OMP, workers));
            ASSERT(g.team <= 3);
            ASSERT_EQ_FMT((uint32_t)COUNT, atomic_load(&calls), "%u");
        }
        shl_graph_finish(&g);
    }
    ASSERT(shl_now_ns() - begin < 20000000000u); // quadratic work would take far longer
    PASS();
}

TEST too_many_workers_do_not_crawl(void)
{
    static const uint32_t rows = 40;
    _Atomic uint32_t calls = 0;
    shl_graph g;
    shl_graph_init(&g, &allocator);
    g.workers_max = 32;
    for (int job = 0; job < 100; job++)
        shl_job(&g, .name = "count", .run = count_call, .ctx = &calls, .rows = &rows,
                .grain = 1, .writes = A);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    const uint64_t begin = shl_now_ns();
    for (int run = 0; run < 20; run++)
        ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, SHL_EXEC_OMP, 32));
    ASSERT_EQ_FMT(20u * 100u * 40u, atomic_load(&calls), "%u");
    ASSERT(shl_now_ns() - begin < 5000000000u); // 2,000 jobs: 2.5 ms each would be a crawl
    shl_graph_finish(&g);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(random_graphs_run_completely_and_in_order);
    RUN_TEST(repeated_runs_find_no_race);
    RUN_TEST(rows_may_be_known_late);
    RUN_TEST(joins_see_what_all_predecessors_wrote);
    RUN_TEST(jobs_without_rows_end_without_calls);
    RUN_TEST(the_failure_is_the_one_serial_execution_meets);
    RUN_TEST(claims_stop_after_a_failure);
    RUN_TEST(a_graph_may_run_inside_a_job);
    RUN_TEST(large_graphs_run);
    RUN_TEST(too_many_workers_do_not_crawl);
    GREATEST_MAIN_END();
}
