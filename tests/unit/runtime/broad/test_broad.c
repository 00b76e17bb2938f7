// SPDX-License-Identifier: MIT
// Broad phases on plain boxes: every method, instruction set and executor against comparing
// each box with each; what is kept between runs against starting anew; memory.
#include "broad_sets.h"

#include "greatest.h"
#include "runtime/broad/broad.h"

#include <shoal/study.h>
#include <stdatomic.h>
#include <string.h>

static const shoal_broad methods[] = {SHOAL_BROAD_BRUTE, SHOAL_BROAD_SWEEP, SHOAL_BROAD_TREE,
                                      SHOAL_BROAD_INCREMENTAL, SHOAL_BROAD_AUTO};
enum { METHODS = 5 };

static _Atomic long allocations, blocks_held, countdown = -1;

static void *count_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    if (atomic_load(&countdown) >= 0 && atomic_fetch_sub(&countdown, 1) == 0)
        return NULL;
    atomic_fetch_add(&allocations, 1);
    atomic_fetch_add(&blocks_held, 1);
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void count_release(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    atomic_fetch_sub(&blocks_held, 1);
    free(memory);
}

static const shoal_allocator counted = {count_alloc, count_release, NULL};
static shl_kernels kernels[2];

typedef struct machine {
    shl_broad broad;
    shl_graph graph;
    shl_executor executor;
} machine;

static bool start(machine *m, shoal_broad method, int cpu, shl_executor executor,
                  uint32_t workers)
{
    *m = (machine){.broad = {.kernels = &kernels[cpu],
                             .allocator = &counted,
                             .workers = workers,
                             .method = method,
                             .wanted = true},
                   .executor = executor};
    shl_graph_init(&m->graph, &counted);
    m->graph.workers_max = workers;
    return !shl_broad_jobs(&m->broad, &m->graph, 1, 0) && !shl_graph_compile(&m->graph);
}

static void stop(machine *m)
{
    shl_broad_finish(&m->broad);
    shl_graph_finish(&m->graph);
}

static shoal_status run(machine *m, const shl_box *boxes, uint32_t n)
{
    shoal_status st = shl_broad_reserve(&m->broad, n);
    for (uint32_t i = 0; i < n && st == SHOAL_OK; i++)
        shl_broad_set(&m->broad, i, boxes[i].lo[0] <= boxes[i].hi[0] ? &boxes[i] : NULL);
    if (st == SHOAL_OK)
        st = shl_graph_run(&m->graph, m->executor, m->broad.workers);
    if (st == SHOAL_OK)
        shl_broad_done(&m->broad);
    return st;
}

static bool equal(const machine *m, const uint64_t *pairs, size_t count)
{
    return m->broad.pair_count == count &&
           (!count || memcmp(m->broad.pairs.data, pairs, count * sizeof *pairs) == 0);
}

TEST all_find_the_same(int set, uint32_t n)
{
    uint64_t r = 77 * n + (uint64_t)set + 1;
    shl_box *boxes = calloc(n + 1, sizeof *boxes);
    for (uint32_t i = 0; i < n; i++)
        boxes[i] = set_box(set, n, &r);
    size_t count;
    uint64_t *truth = set_pairs(boxes, n, &count);
    bool good = n < 64 || count > 10;
    for (int i = 0; i < 4 * METHODS && good; i++) {
        static const shl_executor executors[4] = {SHL_EXEC_SERIAL, SHL_EXEC_OMP, SHL_EXEC_LOOPS,
                                                  SHL_EXEC_OMP};
        machine m;
        good = start(&m, methods[i / 4], i % 2, executors[i % 4], (uint32_t)i % 4 + 1);
        for (int again = 0; again < 2 && good; again++) {
            m.broad.changed = true;
            good = run(&m, boxes, n) == SHOAL_OK && equal(&m, truth, count);
        }
        if (!good)
            printf("\nset %d, %u boxes, method %d, way %d: %zu pairs, not %zu\n", set, n,
                   methods[i / 4], i % 4, m.broad.pair_count, count);
        stop(&m);
    }
    free(truth);
    free(boxes);
    ASSERT(good);
    PASS();
}

// --- What is near a box. ---

static float gap_of(const shl_box *a, const shl_box *b)
{
    shl_block block;
    float gap[SHL_LANES];
    for (int k = 0; k < 3; k++) {
        for (int lane = 0; lane < SHL_LANES; lane++) {
            block.lo[k][lane] = b->lo[k];
            block.hi[k][lane] = b->hi[k];
        }
    }
    shl_block_gap_ref(a, &block, gap);
    return gap[0];
}

typedef struct heard {
    uint8_t *times; // [rows] that a row was told
    const shl_box *boxes, *box;
    bool right; // all gaps were
} heard;

static void hear(void *ctx, uint32_t row, float gap)
{
    heard *h = ctx;
    h->times[row]++;
    h->right &= gap == gap_of(h->box, &h->boxes[row]);
}

static bool near_is_right(const shl_broad *b, const shl_box *boxes, uint32_t n, uint32_t row,
                          float limit)
{
    heard h = {calloc(n + 1, 1), boxes, &boxes[row], true};
    shl_broad_within(b, &boxes[row], limit, hear, &h);
    uint32_t best = UINT32_MAX;
    float least = INFINITY, gap;
    for (uint32_t i = 0; i < n && b->live > 1; i++) {
        const bool live = boxes[i].lo[0] <= boxes[i].hi[0];
        const float own = live ? gap_of(&boxes[row], &boxes[i]) : INFINITY;
        h.right &= h.times[i] == (live && own <= limit);
        if (live && i != row && (best == UINT32_MAX || own < least)) {
            best = i;
            least = own;
        }
    }
    h.right &= shl_broad_nearest(b, &boxes[row], row, &gap) == best && gap == least;
    free(h.times);
    return h.right;
}

TEST what_is_near_is_found(int set, uint32_t n)
{
    static const char *const names[SHL_BROAD_TREE_JOBS] = {"a", "b", "c", "d", "e", "f", "g"};
    static const float limits[] = {0, 1e-3f, 0.3f, 30, INFINITY};
    uint64_t r = 31 * n + (uint64_t)set + 1;
    shl_box *boxes = calloc(n + 1, sizeof *boxes);
    for (uint32_t i = 0; i < n; i++)
        boxes[i] = set_box(set, n, &r);
    bool good = true;
    for (int cpu = 0; cpu < 2 && good; cpu++) {
        machine m = {.broad = {.kernels = &kernels[cpu],
                               .allocator = &counted,
                               .workers = 2,
                               .method = SHOAL_BROAD_TREE,
                               .wanted = true,
                               .tree_only = true},
                     .executor = SHL_EXEC_OMP};
        shl_graph_init(&m.graph, &counted);
        m.graph.workers_max = 2;
        good = !shl_broad_tree_jobs(&m.broad, &m.graph, 1, 0, names) &&
               !shl_graph_compile(&m.graph) && !run(&m, boxes, n);
        for (uint32_t i = 0; i < n && good; i += 1 + n / 50) {
            if (boxes[i].lo[0] <= boxes[i].hi[0])
                good = near_is_right(&m.broad, boxes, n, i, limits[i % 5]);
        }
        stop(&m);
    }
    free(boxes);
    ASSERT(good);
    PASS();
}

// Few of many rows take part, and none of those that a regular sample would look at.
TEST most_rows_are_empty(void)
{
    enum { N = 100000 };
    shl_box *boxes = malloc(N * sizeof *boxes);
    uint64_t r = 8;
    uint32_t live = 0;
    for (uint32_t i = 0; i < N; i++) {
        boxes[i] = (shl_box){{1, 1, 1}, {0, 0, 0}};
        if (i % 49 == 17)
            boxes[i] = set_box(SET_GRID, N / 49, &r);
        live += boxes[i].lo[0] <= boxes[i].hi[0];
    }
    machine m[2];
    ASSERT(start(&m[0], SHOAL_BROAD_TREE, 1, SHL_EXEC_OMP, 2));
    ASSERT(start(&m[1], SHOAL_BROAD_SWEEP, 1, SHL_EXEC_SERIAL, 1));
    for (int i = 0; i < 2; i++)
        ASSERT_EQ(SHOAL_OK, run(&m[i], boxes, N));
    ASSERT(live > 1500 && m[0].broad.pair_count > live);
    ASSERT(equal(&m[0], m[1].broad.pairs.data, m[1].broad.pair_count));
    stop(&m[0]);
    stop(&m[1]);
    free(boxes);
    PASS();
}

// Boxes that drift, rest, jump, come and go, in a number that grows.
typedef struct crowd {
    shl_box box[700];
    uint32_t count;
    uint64_t seed;
} crowd;

static void crowd_step(crowd *c, uint32_t step)
{
    const bool panic = step % 17 == 16, rest = step % 11 == 10;
    if (step % 9 == 0 && c->count + 20 <= 700)
        c->count += 20;
    for (uint32_t i = 0; i < c->count && !rest; i++) {
        shl_box *box = &c->box[i];
        const bool fresh = box->lo[0] == 0 && box->hi[0] == 0;
        if (fresh || set_random(&c->seed) % (panic ? 2 : 300) == 0) {
            *box = set_box((int)(step / 25) % SETS, 400, &c->seed);
            continue;
        }
        for (int k = 0; k < 3 && box->lo[0] <= box->hi[0]; k++) {
            const float by = (float)(0.002 * (set_unit(&c->seed) - 0.5));
            box->lo[k] += by;
            box->hi[k] += by;
        }
    }
}

// The lists kept from step to step lead to the pairs that a fresh start finds.
TEST warm_is_cold(int cpu)
{
    static crowd c;
    c = (crowd){.count = 100, .seed = 5};
    machine warm;
    ASSERT(start(&warm, SHOAL_BROAD_INCREMENTAL, cpu, SHL_EXEC_SERIAL, 1));
    uint32_t repaired = 0, sorted = 0, rested = 0;
    for (uint32_t step = 0; step < 400; step++) {
        crowd_step(&c, step);
        warm.broad.used = SHOAL_BROAD_AUTO;
        ASSERT_EQ(SHOAL_OK, run(&warm, c.box, c.count));
        repaired += warm.broad.used == SHOAL_BROAD_INCREMENTAL;
        sorted += warm.broad.used == SHOAL_BROAD_TREE;
        rested += warm.broad.used == SHOAL_BROAD_AUTO;
        machine cold;
        ASSERT(start(&cold, methods[step % METHODS], cpu, SHL_EXEC_SERIAL, 1));
        ASSERT_EQ(SHOAL_OK, run(&cold, c.box, c.count));
        ASSERT(equal(&warm, cold.broad.pairs.data, cold.broad.pair_count));
        stop(&cold);
        size_t count;
        uint64_t *truth = set_pairs(c.box, c.count, &count);
        const bool right = equal(&warm, truth, count);
        free(truth);
        ASSERT(right);
    }
    stop(&warm);
    ASSERT(repaired > 100 && sorted > 20 && rested > 20); // all three ways were gone
    PASS();
}

// Also with ends of the lists at infinity and boxes that only touch for a moment.
TEST swaps_at_equal_places(void)
{
    machine m;
    uint64_t r = 9;
    shl_box box[40];
    uint32_t repaired = 0;
    ASSERT(start(&m, SHOAL_BROAD_INCREMENTAL, 0, SHL_EXEC_SERIAL, 1));
    for (int step = 0; step < 2000; step++) {
        for (int i = 0; i < 40; i++) {
            if (step && set_random(&r) % 16)
                continue;
            for (int k = 0; k < 3; k++) {
                box[i].lo[k] = (float)(set_random(&r) % 4);
                box[i].hi[k] = box[i].lo[k] + (float)(set_random(&r) % 3);
            }
            if (set_random(&r) % 20 == 0)
                box[i].hi[set_random(&r) % 3] = INFINITY;
            if (set_random(&r) % 4 == 0)
                box[i] = (shl_box){{1, 1, 1}, {0, 0, 0}};
        }
        ASSERT_EQ(SHOAL_OK, run(&m, box, 40));
        repaired += m.broad.used == SHOAL_BROAD_INCREMENTAL;
        size_t count;
        uint64_t *truth = set_pairs(box, 40, &count);
        const bool right = equal(&m, truth, count);
        free(truth);
        ASSERT(right);
    }
    stop(&m);
    ASSERT(repaired > 500);
    PASS();
}

TEST steady_runs_allocate_nothing(shoal_broad method)
{
    enum { N = 6000 };
    static shl_box box[2][N];
    uint64_t r = 3;
    for (int i = 0; i < N; i++) {
        box[0][i] = box[1][i] = set_box(SET_SIZES, N, &r);
        box[1][i].lo[0] -= 1e-4f;
    }
    machine m;
    ASSERT(start(&m, method, 1, SHL_EXEC_OMP, 3));
    for (int step = 0; step < 30; step++) {
        const long before = atomic_load(&allocations);
        ASSERT_EQ(SHOAL_OK, run(&m, box[step % 2], N));
        ASSERT(step < 2 || atomic_load(&allocations) == before);
    }
    stop(&m);
    ASSERT_EQ(0, atomic_load(&blocks_held));
    PASS();
}

// Every allocation may fail; the next run finds all the same.
TEST any_allocation_may_fail(shoal_broad method)
{
    enum { N = 300 };
    shl_box box[3][N];
    uint64_t r = 4;
    for (int i = 0; i < 3 * N; i++)
        box[i / N][i % N] = set_box(i / N == 2 ? SET_IDENTICAL : SET_RANDOM, N, &r);
    long failures = 1;
    for (long n = 0; failures; n++) {
        failures = 0;
        machine m;
        ASSERT(start(&m, method, 0, SHL_EXEC_SERIAL, 1));
        atomic_store(&countdown, n);
        for (int step = 0; step < 3; step++) {
            shoal_status st = run(&m, box[step], N - 40 + 20 * (uint32_t)step);
            if (st == SHOAL_ERR_MEMORY && ++failures == 1)
                st = run(&m, box[step], N - 40 + 20 * (uint32_t)step);
            ASSERT_EQ(SHOAL_OK, st);
            size_t count;
            uint64_t *truth = set_pairs(box[step], N - 40 + 20 * (uint32_t)step, &count);
            const bool right = equal(&m, truth, count);
            free(truth);
            ASSERT(right);
        }
        atomic_store(&countdown, -1);
        stop(&m);
        ASSERT_EQ(0, atomic_load(&blocks_held));
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    static const uint32_t sizes[] = {0, 1, 2, 8, 9, 65, 600};
    shl_kernels_init(&kernels[0], SHOAL_CPU_REF);
    shl_kernels_init(&kernels[1], SHOAL_CPU_BEST);
    for (int set = 0; set < SETS; set++) {
        for (int i = 0; i < 7; i++) {
            RUN_TESTp(all_find_the_same, set, sizes[i]);
            RUN_TESTp(what_is_near_is_found, set, sizes[i]);
        }
        if (set != SET_IDENTICAL && set != SET_EXTREME)
            RUN_TESTp(all_find_the_same, set, 4500); // several slabs
    }
    for (int cpu = 0; cpu < 2; cpu++)
        RUN_TEST1(warm_is_cold, cpu);
    RUN_TEST(most_rows_are_empty);
    RUN_TEST(swaps_at_equal_places);
    for (int i = 0; i < METHODS; i++) {
        RUN_TEST1(steady_runs_allocate_nothing, methods[i]);
        RUN_TEST1(any_allocation_may_fail, methods[i]);
    }
    GREATEST_MAIN_END();
}
