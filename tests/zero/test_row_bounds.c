// SPDX-License-Identifier: MIT
// Lists with bounds: a step whose list is too long fails with the true number of its rows,
// keeps no more memory than the bound allows, and is as before without the bound.
#include "run.h"

#include "greatest.h"

#include <inttypes.h>
#include <math.h>
#include <shoal/study.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 9 };

static _Atomic long held, peak;
static char line[512];
static uint32_t lines;

static void *count_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    const long now = atomic_fetch_add(&held, (long)size) + (long)size;
    for (long seen = atomic_load(&peak);
         now > seen && !atomic_compare_exchange_weak(&peak, &seen, now);)
        ;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void count_release(void *user, void *memory, size_t size)
{
    (void)user;
    atomic_fetch_sub(&held, (long)size);
    free(memory);
}

static void keep_line(void *user, shoal_status status, const char *text)
{
    (void)user;
    if (status == SHOAL_OK)
        return;
    lines++;
    snprintf(line, sizeof line, "%s", text);
}

typedef struct play {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_body body[WORLD_BODIES];
    shoal_executor executor;
    double within;
} play;

static bool start(play *p, const world *w)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.allocator = (shoal_allocator){count_alloc, count_release, NULL};
    cd.log = keep_line;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = p->executor;
    sd.threads = 2;
    sd.within = p->within;
    sd.list_margin = 0.1; // without effect while it could be longer than the lists
    if (shoal_context_create(&cd, &p->ctx) || shoal_scene_create(p->ctx, &sd, &p->scene))
        return false;
    for (uint32_t b = 0; b < w->body_count; b++) {
        const world_reduced *r = &w->reduced[b];
        shoal_positions poses[2];
        shoal_model_def def = model_def_of(&w->mesh[b], SHOAL_BUILDER_SURFACE_AREA, 8, poses);
        def.reducible = r->used;
        def.fields = r->fields;
        def.field_count = r->field_count;
        def.sphere_level = r->used ? 4 : -1;
        shoal_model *model = NULL;
        const bool good = !shoal_model_create(p->ctx, &def, &model) &&
                          !kind_add(p->scene, model, w, b, &p->body[b]) &&
                          !kind_set(p->scene, p->body[b], w, b, 0);
        shoal_model_destroy(model);
        if (!good)
            return false;
    }
    return true;
}

static void end(play *p)
{
    shoal_scene_destroy(p->scene);
    shoal_context_destroy(p->ctx);
}

static world *world_named(const char *name)
{
    uint32_t kind = 0;
    while (strcmp(world_name(kind), name) != 0)
        kind++;
    return world_make(kind);
}

static size_t rows_of(const shoal_scene *s, uint32_t query)
{
    switch (query) {
    case SHOAL_QUERY_PAIRS:
        return shoal_scene_pairs(s).count;
    case SHOAL_QUERY_FIRST:
        return shoal_scene_first_pairs(s).count;
    case SHOAL_QUERY_SELF:
    case SHOAL_QUERY_SELF_ADJACENT:
        return shoal_scene_self_pairs(s).count;
    case SHOAL_QUERY_SPHERES:
        return shoal_scene_sphere_contacts(s).count;
    case SHOAL_QUERY_NEAREST:
        return shoal_scene_nearest(s).count;
    case SHOAL_QUERY_WITHIN:
        return shoal_scene_within(s).count;
    case SHOAL_QUERY_NEAREST_TRIANGLES:
        return shoal_scene_nearest_triangles(s).count;
    default:
        return shoal_scene_nearest_self(s).count;
    }
}

static bool nothing(const shoal_scene *s)
{
    size_t sum = shoal_scene_bad_bodies(s).count + (shoal_scene_hash(s) != 0);
    for (uint32_t i = 0; i < ALL; i++)
        sum += rows_of(s, 1u << i);
    return sum == 0;
}

// Two queries have one list.
static bool is_asked(uint32_t queries, uint32_t i)
{
    const uint32_t self = SHOAL_QUERY_SELF | SHOAL_QUERY_SELF_ADJACENT;
    return queries & (1u << i & self ? self : 1u << i);
}

// A step in which one list is one row too long; all lists have been counted.
static enum greatest_test_res too_long(play *p, uint32_t queries, uint32_t query,
                                       const size_t rows[ALL])
{
    const size_t all = rows[__builtin_ctz(query)];
    char text[64];
    snprintf(text, sizeof text, "has %zu rows", all);
    lines = 0;
    ASSERT_EQ_FMT(SHOAL_ERR_LIMIT, shoal_scene_step(p->scene, queries), "%d");
    ASSERT(nothing(p->scene));
    ASSERT_EQ_FMT(1u, lines, "%u");
    ASSERTm(line, strstr(line, text));
    for (uint32_t i = 0; i < ALL; i++) {
        const bool asked = is_asked(queries, i);
        ASSERT_EQ_FMT((uint64_t)(asked ? rows[i] : 0), shoal_scene_row_count(p->scene, 1u << i),
                      "%" PRIu64);
    }
    PASS();
}

// Each list of a step in turn with a bound that just fits, and one less, alone and with others.
static enum greatest_test_res bound_each(play *p, uint32_t queries)
{
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(p->scene, queries));
    const uint64_t hash = shoal_scene_hash(p->scene);
    size_t rows[ALL];
    for (uint32_t i = 0; i < ALL; i++) {
        rows[i] = rows_of(p->scene, 1u << i);
        const bool asked = is_asked(queries, i);
        ASSERT_EQ_FMT((uint64_t)(asked ? rows[i] : 0), shoal_scene_row_count(p->scene, 1u << i),
                      "%" PRIu64);
    }
    for (uint32_t i = 0; i < ALL; i++) {
        const uint32_t query = 1u << i;
        if (!(queries & query) || rows[i] < 2)
            continue;
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_max_rows(p->scene, query, rows[i]));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p->scene, queries));
        ASSERT_EQ(hash, shoal_scene_hash(p->scene));
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_max_rows(p->scene, query, rows[i] - 1));
        CHECK_CALL(too_long(p, queries, query, rows));
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_max_rows(p->scene, query, 1));
        CHECK_CALL(too_long(p, queries, query, rows));
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_max_rows(p->scene, query, 0));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p->scene, queries));
        ASSERT_EQ(hash, shoal_scene_hash(p->scene));
    }
    PASS();
}

TEST lists_are_bounded(const char *name, shoal_executor executor, double within)
{
    world *w = world_named(name);
    play p = {.executor = executor, .within = within};
    ASSERT(start(&p, w));
    const uint32_t sets[] = {SHOAL_QUERY_PAIRS,
                             SHOAL_QUERY_FIRST,
                             SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF,
                             SHOAL_QUERY_WITHIN,
                             SHOAL_QUERY_WITHIN | SHOAL_QUERY_NEAREST,
                             (1u << ALL) - 1 - SHOAL_QUERY_SELF_ADJACENT};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        CHECK_CALL(bound_each(&p, sets[i]));
    end(&p);
    world_free(w);
    PASS();
}

// Two lists that are too long are told in one line.
TEST one_line_for_all(void)
{
    world *w = world_named("many");
    play p = {.within = INFINITY};
    ASSERT(start(&p, w));
    const uint32_t queries = SHOAL_QUERY_PAIRS | SHOAL_QUERY_WITHIN;
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_max_rows(p.scene, SHOAL_QUERY_PAIRS, 3));
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_max_rows(p.scene, SHOAL_QUERY_WITHIN, 4));
    lines = 0;
    ASSERT_EQ(SHOAL_ERR_LIMIT, shoal_scene_step(p.scene, queries));
    ASSERT_EQ(1, lines);
    ASSERTm(line,
            strstr(line, "PAIRS has ") && strstr(line, "WITHIN has 3160 rows, at most 4"));
    end(&p);
    world_free(w);
    PASS();
}

// A list that was too long in one step says nothing about the next, which does not ask for it.
TEST lists_are_forgotten(const char *name)
{
    world *w = world_named(name);
    play p = {.within = INFINITY};
    ASSERT(start(&p, w));
    for (uint32_t i = 0; i < ALL; i++) {
        const uint32_t query = 1u << i, next = query == SHOAL_QUERY_FIRST ? 1 : 2;
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, query));
        if (rows_of(p.scene, query) < 2)
            continue;
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_max_rows(p.scene, query, 1));
        ASSERT_EQ(SHOAL_ERR_LIMIT, shoal_scene_step(p.scene, query));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, next));
        ASSERT_EQ_FMT((uint64_t)0, shoal_scene_row_count(p.scene, query), "%" PRIu64);
        ASSERT_EQ_FMT((uint64_t)rows_of(p.scene, next), shoal_scene_row_count(p.scene, next),
                      "%" PRIu64);
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_max_rows(p.scene, query, 0));
    }
    end(&p);
    world_free(w);
    PASS();
}

// What a step holds at most, beside what it would hold without such a list.
static long peak_of(const char *name, uint32_t query, uint64_t bound, shoal_status want)
{
    world *w = world_named(name);
    play p = {.executor = SHOAL_EXECUTOR_OMP, .within = INFINITY};
    long most = -1;
    if (start(&p, w) && !shoal_scene_set_max_rows(p.scene, query, bound)) {
        const long before = atomic_load(&held);
        atomic_store(&peak, before);
        if (shoal_scene_step(p.scene, query) == want)
            most = atomic_load(&peak) - before;
    }
    end(&p);
    world_free(w);
    return most;
}

static long rows_in(const char *name, uint32_t query)
{
    world *w = world_named(name);
    play p = {.executor = SHOAL_EXECUTOR_SERIAL, .within = INFINITY};
    const bool good = start(&p, w) && !shoal_scene_step(p.scene, query);
    const long rows = good ? (long)shoal_scene_row_count(p.scene, query) : -1;
    end(&p);
    world_free(w);
    return rows;
}

// A list that is one row too long has no memory as a result, though its rows may be held where
// they were found: `row_bytes` a row less than without the bound.
TEST one_row_too_many(const char *name, uint32_t query, long row_bytes)
{
    const long rows = rows_in(name, query);
    ASSERT(rows > 1 && rows * row_bytes > 4000);
    const long bounded = peak_of(name, query, (uint64_t)rows - 1, SHOAL_ERR_LIMIT);
    const long kept = peak_of(name, query, (uint64_t)rows, SHOAL_OK);
    ASSERT(bounded >= 0 && kept >= 0);
    if (kept - bounded < rows * row_bytes)
        printf("\n%s: %ld bytes, with a bound %ld, %ld rows: ", name, kept, bounded, rows);
    ASSERT(kept - bounded >= rows * row_bytes);
    PASS();
}

TEST long_lists_take_no_memory(const char *name, uint32_t query, long row_bytes, long copies,
                               long bound)
{
    const long bounded = peak_of(name, query, (uint64_t)bound, SHOAL_ERR_LIMIT);
    const long kept = peak_of(name, query, 1u << 30, SHOAL_OK);
    ASSERT(bounded >= 0 && kept >= 0);
    const long rows = rows_in(name, query);
    ASSERT(rows > 0);
    // the list, and what leads to it, but for what workers keep up to the bound
    enum { BATCH = 1024 + 80 };
    const long saved = (copies * rows - bound - BATCH) * row_bytes;
    ASSERT(saved > 20000);
    if (kept - bounded < saved)
        printf("\n%s: %ld bytes, with a bound %ld, %ld rows: ", name, kept, bounded, rows);
    ASSERT(kept - bounded >= saved);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    static const shoal_executor executors[] = {SHOAL_EXECUTOR_OMP, SHOAL_EXECUTOR_SERIAL,
                                               SHOAL_EXECUTOR_LOOPS, SHOAL_EXECUTOR_GUARD};
    for (int i = 0; i < 4; i++) {
        RUN_TESTp(lists_are_bounded, "many", executors[i], 0.05);
        RUN_TESTp(lists_are_bounded, "reduced_mixed", executors[i], INFINITY);
    }
    RUN_TESTp(lists_are_bounded, "many", SHOAL_EXECUTOR_OMP, INFINITY);
    RUN_TESTp(lists_are_bounded, "identical", SHOAL_EXECUTOR_OMP, 0);
    RUN_TEST(one_line_for_all);
    RUN_TESTp(lists_are_forgotten, "many");
    RUN_TESTp(lists_are_forgotten, "reduced_mixed");
    RUN_TESTp(long_lists_take_no_memory, "identical", SHOAL_QUERY_PAIRS, sizeof(shoal_pair), 3,
              5);
    RUN_TESTp(long_lists_take_no_memory, "identical", SHOAL_QUERY_PAIRS, sizeof(shoal_pair), 3,
              1100);
    RUN_TESTp(long_lists_take_no_memory, "identical", SHOAL_QUERY_SELF, sizeof(shoal_pair), 3,
              5);
    RUN_TESTp(long_lists_take_no_memory, "many", SHOAL_QUERY_WITHIN, 70, 2, 5);
    // results, and as much to sort them
    RUN_TESTp(one_row_too_many, "identical", SHOAL_QUERY_PAIRS, 2 * sizeof(shoal_pair));
    RUN_TESTp(one_row_too_many, "identical", SHOAL_QUERY_SELF, 2 * sizeof(shoal_pair));
    RUN_TESTp(one_row_too_many, "many", SHOAL_QUERY_WITHIN, sizeof(shoal_nearest));
    RUN_TESTp(one_row_too_many, "reduced_mixed", SHOAL_QUERY_SPHERES,
              sizeof(shoal_sphere_contact));
    for (int i = 0; i < 3; i++) // with a row for each body or triangle
        RUN_TESTp(one_row_too_many, "many",
                  (uint32_t[]){SHOAL_QUERY_NEAREST, SHOAL_QUERY_NEAREST_TRIANGLES,
                               SHOAL_QUERY_NEAREST_SELF}[i],
                  sizeof(shoal_nearest));
    GREATEST_MAIN_END();
}
