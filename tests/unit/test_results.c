// SPDX-License-Identifier: MIT
// From found pairs to results: pages, places, groups, order, hash.
#include "layouts/radix.h"
#include "run.h"
#include "runtime/scene/hash.h"
#include "runtime/scene/steps.h"

#include "greatest.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed = 4711;

static int by_key(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static int by_pair(const void *x, const void *y)
{
    const shoal_pair *a = x, *b = y;
    const uint32_t p[4] = {a->body_a, a->triangle_a, a->body_b, a->triangle_b};
    const uint32_t q[4] = {b->body_a, b->triangle_a, b->body_b, b->triangle_b};
    for (int i = 0; i < 4; i++) {
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    }
    return 0;
}

TEST keys_are_sorted_from_a_bit_up(void)
{
    static uint64_t keys[3000], want[3000], scratch[3000];
    for (unsigned round = 0; round < 300; round++) {
        const size_t n = round < 50 ? round : world_random(&seed) % 3000;
        const unsigned narrow = (unsigned)(world_random(&seed) % 57);
        for (size_t i = 0; i < n; i++)
            keys[i] = want[i] = world_random(&seed) >> narrow;
        qsort(want, n, sizeof *want, by_key);
        shl_radix_sort(keys, scratch, n, 0);
        ASSERT_MEM_EQ(want, keys, n * sizeof *keys);
        // From bit 32: equal upper halves must stay in order of the lower, already sorted.
        for (size_t i = 0; i < n; i++)
            keys[i] = world_random(&seed) % 5 << 32 | i;
        memcpy(want, keys, n * sizeof *keys);
        qsort(want, n, sizeof *want, by_key);
        shl_radix_sort(keys, scratch, n, 32);
        ASSERT_MEM_EQ(want, keys, n * sizeof *keys);
    }
    PASS();
}

TEST pairs_are_sorted(void)
{
    static shoal_pair pairs[2000], want[2000], scratch[2000];
    for (unsigned round = 0; round < 400; round++) {
        const size_t n = round < 70 ? round : world_random(&seed) % 2000;
        uint32_t mask[3];
        for (int k = 0; k < 3; k++) // any bits may differ, also only high ones
            mask[k] = (uint32_t)(world_random(&seed) >> world_random(&seed) % 32 &
                                 (world_random(&seed) % 2 ? world_random(&seed) : UINT32_MAX));
        for (size_t i = 0; i < n; i++) {
            pairs[i] = (shoal_pair){7, (uint32_t)world_random(&seed) & mask[0],
                                    (uint32_t)world_random(&seed) & mask[1],
                                    (uint32_t)world_random(&seed) & mask[2]};
            want[i] = pairs[i];
        }
        qsort(want, n, sizeof *want, by_pair);
        shl_sort_pairs(pairs, scratch, n);
        ASSERT_MEM_EQ(want, pairs, n * sizeof *pairs);
    }
    PASS();
}

// --- A scene driven by hand. ---

static shoal_context *ctx;
static shoal_scene *scene;

static void open_scene(void *unused)
{
    (void)unused;
    const shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = 3;
    if (shoal_context_create(&cd, &ctx) || shoal_scene_create(ctx, &sd, &scene))
        abort();
}

static void close_scene(void *unused)
{
    (void)unused;
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
}

enum { CHUNKS = 40, ROWS_MAX = 40000 };
static shoal_pair expected[SHL_KINDS][ROWS_MAX];
static size_t expected_count[SHL_KINDS];

// Chunks of 0 to some 900 rows, taken by workers in turn, body_a rising from chunk to chunk.
static bool find_pairs(void)
{
    scene->found_count = CHUNKS;
    shl_pages_begin(scene);
    if (shl_array_reserve(&scene->found, CHUNKS * sizeof(shl_found), 0, &ctx->allocator))
        return false;
    memset(expected_count, 0, sizeof expected_count);
    for (uint32_t c = 0; c < CHUNKS; c++) {
        shl_found *f = (shl_found *)scene->found.data + c;
        *f = (shl_found){0};
        shl_walker *worker = &scene->workers[world_random(&seed) % 3];
        const uint64_t rows = c % 5 ? world_random(&seed) % 900 : c % 2 * SHL_PAGE_ROWS;
        for (uint64_t i = 0; i < rows; i++) {
            const int kind = world_random(&seed) % 4 == 0;
            const shoal_pair p = {c / 3, (uint32_t)world_random(&seed) % 1000,
                                  c / 3 + (kind == SHL_PAIRS), (uint32_t)world_random(&seed)};
            expected[kind][expected_count[kind]++] = p;
            if (shl_page_push(scene, worker, f, kind, p) != SHOAL_OK)
                return false;
        }
    }
    return true;
}

TEST nothing_is_lost_in_pages(void)
{
    for (int round = 0; round < 20; round++) {
        ASSERT(find_pairs());
        const shl_span one = {0, 1}, all = {0, CHUNKS};
        ASSERT_EQ(SHOAL_OK, shl_run_scan(scene, one, 0, 0));
        ASSERT_EQ(SHOAL_OK, shl_run_collect(scene, all, 0, 0));
        for (int kind = 0; kind < SHL_KINDS; kind++) {
            ASSERT_EQ(expected_count[kind], scene->result_count[kind]);
            ASSERT_MEM_EQ(expected[kind], scene->result[kind].data,
                          expected_count[kind] * sizeof(shoal_pair));
        }
        ASSERT_EQ(SHOAL_OK, shl_run_group(scene, one, 0, 0));
        const shl_span groups = {0, scene->group_count};
        ASSERT_EQ(SHOAL_OK, shl_run_sort(scene, groups, 0, 0));
        for (int kind = 0; kind < SHL_KINDS; kind++) {
            qsort(expected[kind], expected_count[kind], sizeof(shoal_pair), by_pair);
            ASSERT_MEM_EQ(expected[kind], scene->result[kind].data,
                          expected_count[kind] * sizeof(shoal_pair));
        }
    }
    PASS();
}

// Rows found again need no more pages, whoever finds them.
TEST pages_are_used_again(void)
{
    const uint64_t start = seed;
    uint32_t pages = 0;
    for (int round = 0; round < 10; round++) {
        seed = start;
        ASSERT(find_pairs());
        ASSERT_EQ(SHOAL_OK, shl_run_scan(scene, (shl_span){0, 1}, 0, 0));
        if (round == 0)
            pages = scene->page_count;
        else
            ASSERT_EQ_FMT(pages, scene->page_count, "%u");
    }
    PASS();
}

// The jobs of the hash by hand, chunks in reverse order.
static uint64_t hash_now(void)
{
    if (shl_plan_sums(scene, SHL_SUM_PAIRS) != SHOAL_OK)
        return 0;
    for (uint32_t i = scene->sums[SHL_SUM_PAIRS].rows; i-- > 0;) {
        if (shl_run_hash_pairs(scene, (shl_span){i, i + 1}, i, 0) != SHOAL_OK)
            return 0;
    }
    return shl_run_hash(scene, (shl_span){0, 1}, 0, 0) == SHOAL_OK ? scene->hash : 0;
}

TEST hash_sees_every_field(void)
{
    ASSERT(find_pairs());
    ASSERT_EQ(SHOAL_OK, shl_run_scan(scene, (shl_span){0, 1}, 0, 0));
    ASSERT_EQ(SHOAL_OK, shl_run_collect(scene, (shl_span){0, CHUNKS}, 0, 0));
    scene->queries = SHOAL_QUERY_PAIRS | SHOAL_QUERY_SELF;
    const uint64_t before = hash_now();
    ASSERT(before != 0);
    ASSERT_EQ(before, hash_now());
    for (int kind = 0; kind < SHL_KINDS; kind++) {
        uint32_t *words = scene->result[kind].data;
        const size_t n = 4 * scene->result_count[kind];
        for (size_t i = 0; i < n; i += i + 8 < n ? 1 + i / 40 : 1) {
            words[i] ^= 1u << i % 32;
            ASSERT(hash_now() != before);
            words[i] ^= 1u << i % 32;
        }
        scene->result_count[kind]--;
        ASSERT(hash_now() != before);
        scene->result_count[kind]++;
    }
    scene->queries = SHOAL_QUERY_PAIRS;
    ASSERT(hash_now() != before);
    scene->queries = SHOAL_QUERY_PAIRS | SHOAL_QUERY_SELF;
    ASSERT_EQ(before, hash_now());
    PASS();
}

SUITE(sorting)
{
    RUN_TEST(keys_are_sorted_from_a_bit_up);
    RUN_TEST(pairs_are_sorted);
}

SUITE(results)
{
    SET_SETUP(open_scene, NULL);
    SET_TEARDOWN(close_scene, NULL);
    RUN_TEST(nothing_is_lost_in_pages);
    RUN_TEST(pages_are_used_again);
    RUN_TEST(hash_sees_every_field);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(sorting);
    RUN_SUITE(results);
    GREATEST_MAIN_END();
}
