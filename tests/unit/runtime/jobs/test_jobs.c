// SPDX-License-Identifier: MIT
// Describing, compiling, printing and timing job graphs.
#include "greatest.h"
#include "runtime/jobs/plan.h"
#include "tests/unit/runtime/jobs/jobs_common.h"

#include <string.h>

static void add_tables(shl_graph *g, uint64_t reads, uint64_t writes)
{
    shl_job(g, .name = "job", .run = nothing, .reads = reads, .writes = writes);
}

static bool has_edge(const shl_graph *g, uint32_t from, uint32_t to)
{
    const shl_node *node = &g->plan->nodes[from];
    for (uint32_t i = node->succ_begin; i < node->succ_end; i++) {
        if (g->plan->succ[i] == to)
            return true;
    }
    return false;
}

// ---- edges

TEST every_hazard_makes_its_edge(void)
{
    static const struct {
        uint64_t reads0, writes0, reads1, writes1;
        bool edge;
    } rows[] = {
        {0, A, A, 0, true},  // read after write
        {A, 0, 0, A, true},  // write after read
        {0, A, 0, A, true},  // write after write
        {A, A, A, A, true},  // update after update
        {A, A, A, 0, true},  // read after update
        {A, 0, A, A, true},  // update after read
        {A, 0, A, 0, false}, // two reads
        {0, A, B, C, false}, {A, B, A, C, false},
        {0, 0, A, A, false}, {0, UINT64_C(1) << 63, UINT64_C(1) << 63, 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        shl_graph g;
        shl_graph_init(&g, &allocator);
        add_tables(&g, rows[i].reads0, rows[i].writes0);
        add_tables(&g, rows[i].reads1, rows[i].writes1);
        ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
        ASSERT_EQ_FMT(rows[i].edge, has_edge(&g, 0, 1), "%d");
        ASSERT_EQ_FMT((uint32_t)rows[i].edge, g.plan->edge_count, "%u");
        shl_graph_finish(&g);
    }
    PASS();
}

TEST edges_reach_past_the_neighbour(void)
{
    shl_graph g;
    shl_graph_init(&g, &allocator);
    add_tables(&g, 0, A);     // 0
    add_tables(&g, A, B);     // 1
    add_tables(&g, A, C);     // 2
    add_tables(&g, B | C, A); // 3 waits for the readers 1 and 2, through them for 0
    add_tables(&g, 0, D);     // 4 is free
    add_tables(&g, A | D, 0); // 5
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    ASSERT(has_edge(&g, 0, 1) && has_edge(&g, 0, 2) && has_edge(&g, 1, 3));
    ASSERT(has_edge(&g, 2, 3) && has_edge(&g, 3, 5) && has_edge(&g, 4, 5));
    ASSERT_EQ_FMT(6u, g.plan->edge_count, "%u");
    ASSERT_EQ_FMT(2u, g.plan->root_count, "%u");
    shl_graph_finish(&g);
    PASS();
}

TEST implied_edges_are_dropped(void)
{
    shl_graph g;
    shl_graph_init(&g, &allocator);
    add_tables(&g, 0, A | B | C);
    add_tables(&g, A, B);
    add_tables(&g, A | B | C, 0); // needs 0 for A and C, but 1 already waits for 0
    ASSERT_EQ(SHOAL_OK, shl_graph_edge(&g, 0, 2));
    ASSERT_EQ(SHOAL_OK, shl_graph_edge(&g, 1, 2));
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    ASSERT_EQ_FMT(2u, g.plan->edge_count, "%u");
    ASSERT(has_edge(&g, 0, 1) && has_edge(&g, 1, 2));
    shl_graph_finish(&g);
    PASS();
}

TEST openers_run_side_by_side(void)
{
    shl_graph g;
    shl_graph_init(&g, &allocator);
    add_tables(&g, 0, A);                                    // 0
    shl_job(&g, .name = "open", .run = nothing, .opens = A); // 1
    shl_job(&g, .name = "open", .run = nothing, .opens = A); // 2, beside 1
    add_tables(&g, A, 0);                                    // 3 sees what they opened
    shl_job(&g, .name = "open", .run = nothing, .opens = A); // 4 waits for 3
    shl_job(&g, .name = "both", .run = nothing, .reads = A, .opens = A); // 5, beside 4
    add_tables(&g, 0, A);                                                // 6
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    ASSERT(has_edge(&g, 0, 1) && has_edge(&g, 0, 2) && has_edge(&g, 1, 3));
    ASSERT(has_edge(&g, 2, 3) && has_edge(&g, 3, 4) && has_edge(&g, 3, 5));
    ASSERT(has_edge(&g, 4, 6) && has_edge(&g, 5, 6));
    ASSERT_EQ_FMT(8u, g.plan->edge_count, "%u");
    shl_graph_finish(&g);
    PASS();
}

static bool conflict(const shl_job_desc *a, const shl_job_desc *b)
{
    const uint64_t open_a = a->opens & ~a->writes, open_b = b->opens & ~b->writes;
    const uint64_t read_a = a->reads & ~a->writes & ~open_a,
                   read_b = b->reads & ~b->writes & ~open_b;
    const uint64_t all_a = a->reads | a->opens | a->writes,
                   all_b = b->reads | b->opens | b->writes;
    return (all_a & all_b & ~(open_a & open_b) & ~(read_a & read_b)) != 0;
}

// Who waits for whom, by the definition and by the graph.
TEST edges_are_what_conflicts_ask_for(void)
{
    enum { JOBS = 24, GRAPHS = 300 };
    uint32_t seed = 1;
    for (int turn = 0; turn < GRAPHS; turn++) {
        shl_graph g;
        shl_graph_init(&g, &allocator);
        uint64_t tables[3];
        for (int job = 0; job < JOBS; job++) {
            for (int k = 0; k < 3; k++) { // about one of eight tables in each mask
                seed = seed * 1664525 + 1013904223;
                tables[k] = seed >> 8 & seed >> 16 & seed >> 24 & 0xff;
            }
            shl_job(&g, .name = "job", .run = nothing, .reads = tables[0], .opens = tables[1],
                    .writes = tables[2]);
        }
        ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
        const shl_job_desc *jobs = shl_graph_jobs(&g);
        uint32_t asked[JOBS] = {0}, made[JOBS] = {0}; // bits of all that come before
        for (uint32_t to = 0; to < JOBS; to++) {
            for (uint32_t from = 0; from < to; from++) {
                if (conflict(&jobs[from], &jobs[to]))
                    asked[to] |= asked[from] | 1u << from;
                if (has_edge(&g, from, to))
                    made[to] |= made[from] | 1u << from;
            }
            ASSERT_EQ_FMT(asked[to], made[to], "%x");
        }
        shl_graph_finish(&g);
    }
    PASS();
}

TEST explicit_edges_point_forward(void)
{
    shl_graph g;
    shl_graph_init(&g, &allocator);
    for (int i = 0; i < 3; i++)
        add_tables(&g, 0, 0);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_edge(&g, 1, 1));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_edge(&g, 2, 1));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_edge(&g, 0, 3));
    ASSERT_EQ(SHOAL_OK, shl_graph_edge(&g, 0, 2));
    ASSERT_EQ(SHOAL_OK, shl_graph_edge(&g, 0, 2));
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    ASSERT_EQ_FMT(1u, g.plan->edge_count, "%u");
    shl_graph_finish(&g);
    PASS();
}

TEST bad_arguments_are_told(void)
{
    shl_graph g;
    shl_graph_init(&g, &allocator);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_add(&g, &(shl_job_desc){.name = "x"}));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_add(&g, &(shl_job_desc){.run = nothing}));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_run(&g, SHL_EXEC_SERIAL, 1)); // not compiled
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));                           // empty is fine
    for (int way = 0; way < WAYS; way++)
        ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, ways[way].executor, ways[way].workers));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_run(&g, SHL_EXEC_OMP, 0));
    g.timing = true; // there is no memory for it
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_run(&g, SHL_EXEC_OMP, 1));
    g.timing = false;
    shl_job(&g, .name = "no function");
    add_tables(&g, 0, 0);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_compile(&g));
    shl_graph_finish(&g);
    add_tables(&g, 0, 0);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_run(&g, SHL_EXEC_OMP, 1)); // must compile again
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, SHL_EXEC_OMP, 1));
    shl_graph_finish(&g);
    shl_graph_finish(&g); // twice is fine
    ASSERT_EQ_FMT(0L, memory.held, "%ld");
    PASS();
}

// ---- chunks

TEST chunks_cover_all_rows_once(void)
{
    static const uint32_t cases[][2] = {
        {0, 0},
        {0, 5},
        {1, 0},
        {1, 1},
        {7, 0},
        {7, 1},
        {7, 7},
        {7, 8},
        {8, 3},
        {9, 3},
        {1000, 64},
        {UINT32_MAX, 0},
        {UINT32_MAX, 1u << 31},
        {UINT32_MAX, UINT32_MAX},
        {UINT32_MAX, UINT32_MAX - 1},
        {UINT32_MAX, 0x10000001},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t rows = cases[i][0];
        const uint32_t grain = cases[i][1];
        const uint32_t chunks = shl_chunk_count(rows, grain);
        uint32_t at = 0;
        for (uint32_t chunk = 0; chunk < chunks; chunk++) {
            const shl_chunk span = shl_chunk_rows(rows, grain, chunk);
            ASSERT_EQ_FMT(at, span.begin, "%u");
            ASSERT(span.end > span.begin);
            if (grain)
                ASSERT(span.end - span.begin <= grain);
            at = span.end;
        }
        ASSERT_EQ_FMT(rows, at, "%u");
    }
    PASS();
}

// ---- memory

static shoal_status build_all(shl_graph *g)
{
    shl_graph_init(g, &allocator);
    g->timing = true;
    static const uint32_t rows = 9;
    for (uint32_t i = 0; i < 30; i++) {
        shl_job(g, .name = "a", .run = nothing, .rows = &rows, .grain = 2, .reads = A,
                .writes = B);
        shl_job(g, .name = "b", .run = nothing, .reads = B, .writes = A | C);
    }
    shoal_status st = g->status;
    for (uint32_t i = 0; i < 30 && st == SHOAL_OK; i++)
        st = shl_graph_edge(g, i, 59);
    return st == SHOAL_OK ? shl_graph_compile(g) : st;
}

TEST any_allocation_may_fail(void)
{
    long n = 0;
    for (shoal_status st = SHOAL_ERR_MEMORY; st != SHOAL_OK; n++) {
        shl_graph g;
        memory = (meter){.budget = n};
        st = build_all(&g);
        if (st == SHOAL_OK) {
            ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, SHL_EXEC_OMP, 2));
        } else {
            ASSERT_EQ(SHOAL_ERR_MEMORY, st);
            ASSERT_EQ(NULL, g.plan);
        }
        shl_graph_finish(&g);
        ASSERT_EQ_FMT(0L, memory.held, "%ld");
    }
    memory.budget = BUDGET;
    ASSERT(n > 6); // the jobs and edges grow several times, then scratch and plan
    PASS();
}

TEST what_failed_to_grow_is_as_before(void)
{
    shl_graph g;
    shl_graph_init(&g, &allocator);
    const shl_job_desc desc = {.name = "x", .run = nothing, .writes = A};
    ASSERT_EQ(SHOAL_OK, shl_graph_add(&g, &desc));
    ASSERT_EQ(SHOAL_OK, shl_graph_add(&g, &desc));
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    memory.budget = 0;
    ASSERT_EQ(SHOAL_ERR_MEMORY, shl_graph_compile(&g)); // the old plan stays
    ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, SHL_EXEC_OMP, 2));
    ASSERT_EQ(SHOAL_ERR_MEMORY, shl_graph_edge(&g, 0, 1));
    ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, SHL_EXEC_OMP, 2));
    shoal_status st = SHOAL_OK;
    uint32_t count = 0;
    while (st == SHOAL_OK) { // until the reserve is used up
        count = g.job_count;
        st = shl_graph_add(&g, &desc);
    }
    ASSERT_EQ(SHOAL_ERR_MEMORY, st);
    ASSERT_EQ_FMT(count, g.job_count, "%u");
    memory.budget = BUDGET;
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    ASSERT_EQ_FMT(count - 1, g.plan->edge_count, "%u");
    shl_graph_finish(&g);
    ASSERT_EQ_FMT(0L, memory.held, "%ld");
    PASS();
}

// ---- printing

typedef struct page {
    char text[1024];
    size_t used;
} page;

static void write_page(void *user, const char *text, size_t length)
{
    page *to = user;
    if (to->used + length < sizeof to->text) {
        memcpy(to->text + to->used, text, length);
        to->used += length;
    }
}

static void build_step(shl_graph *g)
{
    static const char *const tables[64] = {"nodes", "boxes", "order"};
    static const uint32_t rows = 0;
    shl_graph_init(g, &allocator);
    g->tables = tables;
    shl_job(g, .name = "tri boxes", .run = nothing, .rows = &rows, .grain = 4096, .reads = 1,
            .writes = 2);
    shl_job(g, .name = "sort \"boxes\"", .run = nothing, .reads = 2, .writes = 4);
    shl_job(g, .name = "pairs", .run = nothing, .rows = &rows, .reads = 2 | 4, .writes = 8);
    shl_job(g, .name = "alone", .run = nothing);
}

TEST text_shows_jobs_tables_and_edges(void)
{
    shl_graph g;
    page out = {0};
    build_step(&g);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_text(&g, write_page, &out));
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    ASSERT_EQ(SHOAL_OK, shl_graph_text(&g, write_page, &out));
    ASSERT_STR_EQ("4 jobs, 2 edges, 2 roots\n"
                  "0 tri boxes: rows by 4096; reads nodes; writes boxes; then 1\n"
                  "1 sort \"boxes\": once; reads boxes; writes order; then 2\n"
                  "2 pairs: rows; reads boxes order; writes 3\n"
                  "3 alone: once\n",
                  out.text);
    shl_graph_finish(&g);
    PASS();
}

TEST dot_is_quoted(void)
{
    shl_graph g;
    page out = {0};
    build_step(&g);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_graph_dot(&g, write_page, &out));
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    ASSERT_EQ(SHOAL_OK, shl_graph_dot(&g, write_page, &out));
    const char *body = strstr(out.text, "    subgraph s0 {\n");
    ASSERT(body && strncmp(out.text, "digraph jobs {\n", 15) == 0);
    ASSERT_STR_EQ("    subgraph s0 {\n"
                  "        j0 [fillcolor=\"#cfe8cf\", label=\"tri boxes: rows by 4096\\l\"];\n"
                  "        j1 [fillcolor=\"#f6d9c4\", label=\"sort \\\"boxes\\\": once\\l\"];\n"
                  "        j2 [fillcolor=\"#f7efc0\", label=\"pairs: rows\\l\"];\n"
                  "        j3 [fillcolor=\"#cfe0f3\", label=\"alone: once\\l\"];\n"
                  "    }\n"
                  "    j0 -> j1;\n"
                  "    j1 -> j2;\n"
                  "}\n",
                  body);
    shl_graph_finish(&g);
    PASS();
}

TEST dot_joins_chains_of_a_module_and_stage(void)
{
    shl_graph g;
    page out = {0};
    shl_graph_init(&g, &allocator);
    g.stage = "one";
    shl_job(&g, .name = "a_x", .run = nothing, .writes = 1);
    shl_job(&g, .name = "a_y", .run = nothing, .reads = 1, .writes = 2);  // same box
    shl_job(&g, .name = "ab_z", .run = nothing, .reads = 2, .writes = 4); // other module
    g.stage = "two";
    shl_job(&g, .name = "ab_w", .run = nothing, .reads = 4, .writes = 8); // other stage
    shl_job(&g, .name = "ab_u", .run = nothing, .reads = 8); // w has two successors
    shl_job(&g, .name = "ab_v", .run = nothing, .reads = 8);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    ASSERT_EQ(SHOAL_OK, shl_graph_dot(&g, write_page, &out));
    const char *body = strstr(out.text, "    subgraph ");
    ASSERT(body);
    ASSERT_STR_EQ("    subgraph cluster0 {\n"
                  "        label=\"one\";\n"
                  "        j0 [fillcolor=\"#cfe8cf\", label=\"a_x: once\\la_y: once\\l\"];\n"
                  "        j2 [fillcolor=\"#f6d9c4\", label=\"ab_z: once\\l\"];\n"
                  "    }\n"
                  "    subgraph cluster3 {\n"
                  "        label=\"two\";\n"
                  "        j3 [fillcolor=\"#f6d9c4\", label=\"ab_w: once\\l\"];\n"
                  "        j4 [fillcolor=\"#f6d9c4\", label=\"ab_u: once\\l\"];\n"
                  "        j5 [fillcolor=\"#f6d9c4\", label=\"ab_v: once\\l\"];\n"
                  "    }\n"
                  "    j0 -> j2;\n"
                  "    j2 -> j3;\n"
                  "    j3 -> j4;\n"
                  "    j3 -> j5;\n"
                  "}\n",
                  body);
    shl_graph_finish(&g);
    PASS();
}

// ---- time

static shoal_status take_a_while(void *ctx, shl_chunk rows)
{
    (void)ctx, (void)rows;
    const uint64_t begin = shl_now_ns();
    while (shl_now_ns() - begin < 20000)
        ;
    return SHOAL_OK;
}

TEST times_add_up(void)
{
    static const uint32_t rows = 10;
    static const uint32_t none = 0;
    shl_graph g;
    shl_graph_init(&g, &allocator);
    g.timing = true;
    shl_job(&g, .name = "busy", .run = take_a_while, .rows = &rows, .grain = 1, .writes = A);
    shl_job(&g, .name = "none", .run = take_a_while, .rows = &none, .reads = A);
    shl_job(&g, .name = "after", .run = take_a_while, .reads = A);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    const shl_job_time *times = shl_graph_times(&g);
    for (int way = 0; way < WAYS; way++) {
        shl_graph_clear_times(&g);
        for (int run = 0; run < 3; run++)
            ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, ways[way].executor, ways[way].workers));
        ASSERT_EQ_FMT(30u, (uint32_t)times[0].chunks, "%u");
        ASSERT_EQ_FMT(0u, (uint32_t)(times[1].chunks + times[1].busy_ns + times[1].wall_ns),
                      "%u");
        ASSERT_EQ_FMT(3u, (uint32_t)times[2].chunks, "%u");
        ASSERT(times[0].busy_ns >= 30u * 20000u);
        ASSERT(times[0].wall_ns * ways[way].workers >= times[0].busy_ns);
        ASSERT(times[0].end_ns <= times[2].begin_ns);
        ASSERT(times[2].wall_ns == times[2].busy_ns);
    }
    g.timing = false;
    ASSERT_EQ(SHOAL_OK, shl_graph_run(&g, SHL_EXEC_OMP, 2));
    ASSERT_EQ_FMT(30u, (uint32_t)times[0].chunks, "%u"); // switched off: as before
    shl_graph_finish(&g);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(every_hazard_makes_its_edge);
    RUN_TEST(edges_reach_past_the_neighbour);
    RUN_TEST(implied_edges_are_dropped);
    RUN_TEST(openers_run_side_by_side);
    RUN_TEST(edges_are_what_conflicts_ask_for);
    RUN_TEST(explicit_edges_point_forward);
    RUN_TEST(bad_arguments_are_told);
    RUN_TEST(chunks_cover_all_rows_once);
    RUN_TEST(any_allocation_may_fail);
    RUN_TEST(what_failed_to_grow_is_as_before);
    RUN_TEST(text_shows_jobs_tables_and_edges);
    RUN_TEST(dot_is_quoted);
    RUN_TEST(dot_joins_chains_of_a_module_and_stage);
    RUN_TEST(times_add_up);
    GREATEST_MAIN_END();
}
