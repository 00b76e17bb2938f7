// SPDX-License-Identifier: MIT
// From found pairs to results: pages, places, groups, order, hash.
#include "inside.h"
#include "layouts/radix.h"
#include "run.h"

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

enum { CHUNKS = 40, ROWS_MAX = 40000, LISTS = SHL_RESULT_LISTS };
static shoal_pair expected[LISTS][ROWS_MAX];
static size_t expected_count[LISTS];

static bool push(shl_overlap *o, uint32_t worker, shl_found *found, int list, shoal_pair pair)
{
    uint32_t one = 1;
    shoal_pair *row = shl_rows_append(&o->rows[list], worker, &found->run[list], &one);
    if (row)
        *row = pair;
    return row;
}

// Chunks of 0 to some 900 rows, taken by workers in turn, body_a rising from chunk to chunk.
static bool find_pairs(void)
{
    shl_overlap *o = inside_overlap(scene);
    o->found_count = CHUNKS;
    for (int list = 0; list < SHL_FOUND_LISTS; list++)
        shl_rows_begin(&o->rows[list]);
    if (shl_array_reserve(&o->found, CHUNKS * sizeof(shl_found), 0, &ctx->allocator))
        return false;
    memset(expected_count, 0, sizeof expected_count);
    for (uint32_t c = 0; c < CHUNKS; c++) {
        shl_found *f = (shl_found *)o->found.data + c;
        *f = (shl_found){0};
        const uint32_t worker = (uint32_t)(world_random(&seed) % 3);
        const uint64_t rows = c % 5 ? world_random(&seed) % 900 : c % 2 * o->rows[0].page_rows;
        for (uint64_t i = 0; i < rows; i++) {
            const int kind = world_random(&seed) % 4 == 0;
            const shoal_pair p = {c / 3, (uint32_t)world_random(&seed) % 1000,
                                  c / 3 + (kind == SHL_PAIRS), (uint32_t)world_random(&seed)};
            expected[kind][expected_count[kind]++] = p;
            if (!push(o, worker, f, kind, p))
                return false;
        }
    }
    return true;
}

TEST nothing_is_lost_in_pages(void)
{
    for (int round = 0; round < 20; round++) {
        ASSERT(find_pairs());
        const shl_chunk one = {.end = 1}, all = {.end = CHUNKS};
        ASSERT_EQ(SHOAL_OK, shl_overlap_run_scan(inside_overlap(scene), one));
        ASSERT_EQ(SHOAL_OK, shl_overlap_run_collect(inside_overlap(scene), all));
        for (int kind = 0; kind < LISTS; kind++) {
            ASSERT_EQ(expected_count[kind], inside_overlap(scene)->result_count[kind]);
            ASSERT_MEM_EQ(expected[kind], inside_overlap(scene)->result[kind].data,
                          expected_count[kind] * sizeof(shoal_pair));
        }
        ASSERT_EQ(SHOAL_OK, shl_overlap_run_groups(inside_overlap(scene), one));
        const shl_chunk groups = {.end = inside_overlap(scene)->group_count};
        ASSERT_EQ(SHOAL_OK, shl_overlap_run_sort(inside_overlap(scene), groups));
        for (int kind = 0; kind < LISTS; kind++) {
            qsort(expected[kind], expected_count[kind], sizeof(shoal_pair), by_pair);
            ASSERT_MEM_EQ(expected[kind], inside_overlap(scene)->result[kind].data,
                          expected_count[kind] * sizeof(shoal_pair));
        }
    }
    PASS();
}

static uint32_t page_count(void)
{
    const shl_overlap *o = inside_overlap(scene);
    return o->rows[SHL_PAIRS].page_count + o->rows[SHL_SELF].page_count;
}

// Rows found again need no more pages, whoever finds them.
TEST pages_are_used_again(void)
{
    const uint64_t start = seed;
    uint32_t pages = 0;
    for (int round = 0; round < 10; round++) {
        seed = start;
        ASSERT(find_pairs());
        ASSERT_EQ(SHOAL_OK, shl_overlap_run_scan(inside_overlap(scene), (shl_chunk){.end = 1}));
        if (round == 0)
            pages = page_count();
        else
            ASSERT_EQ_FMT(pages, page_count(), "%u");
    }
    PASS();
}

// The hash by hand, chunks in reverse order.
static uint64_t hash_now(void)
{
    shl_overlap *o = inside_overlap(scene);
    shl_list_sum sums[SHL_SUMS_MAX];
    for (uint32_t i = o->sums.rows; i-- > 0;) {
        if (shl_sums_run(&o->sums, (shl_chunk){.begin = i, .end = i + 1, .chunk = i}) !=
            SHOAL_OK)
            return 0;
    }
    return shl_hash_chain(sums, shl_overlap_query.sums(o, sums));
}

TEST hash_sees_every_field(void)
{
    ASSERT(find_pairs());
    inside_overlap(scene)->queries = SHOAL_QUERY_PAIRS | SHOAL_QUERY_SELF;
    ASSERT_EQ(SHOAL_OK, shl_overlap_run_scan(inside_overlap(scene), (shl_chunk){.end = 1}));
    ASSERT_EQ(SHOAL_OK,
              shl_overlap_run_collect(inside_overlap(scene), (shl_chunk){.end = CHUNKS}));
    const uint64_t before = hash_now();
    ASSERT(before != 0);
    ASSERT_EQ(before, hash_now());
    for (int kind = 0; kind < LISTS; kind++) {
        uint32_t *words = inside_overlap(scene)->result[kind].data;
        const size_t n = 4 * inside_overlap(scene)->result_count[kind];
        for (size_t i = 0; i < n; i += i + 8 < n ? 1 + i / 40 : 1) {
            words[i] ^= 1u << i % 32;
            ASSERT(hash_now() != before);
            words[i] ^= 1u << i % 32;
        }
        inside_overlap(scene)->sums.list[kind].count--;
        ASSERT(hash_now() != before);
        inside_overlap(scene)->sums.list[kind].count++;
    }
    inside_overlap(scene)->sums.list[SHL_SELF].asked = 0;
    ASSERT(hash_now() != before);
    inside_overlap(scene)->sums.list[SHL_SELF].asked = SHOAL_QUERY_SELF;
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
