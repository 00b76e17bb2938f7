// SPDX-License-Identifier: MIT
// The result hash: as the public header defines it, worked out here once more from the public
// results; the same for any cut into chunks; and no row can change unnoticed.
#include "run.h"
#include "runtime/scene/hash.h"

#include "greatest.h"

#include <inttypes.h>
#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

// --- The definition, word by word. ---

enum { WORDS_MAX = 10 };

typedef struct words {
    int count;
    uint64_t word[WORDS_MAX];
} words;

static void put(words *w, uint64_t low, uint64_t high)
{
    w->word[w->count++] = low + high * 0x100000000u;
}

static void put_doubles(words *w, const double *value, int count)
{
    memcpy(&w->word[w->count], value, (size_t)count * sizeof *value);
    w->count += count;
}

static words words_of(uint32_t list, const shoal_scene *scene, size_t i)
{
    const shoal_pairs pairs = shoal_scene_pairs(scene);
    const shoal_pairs self = shoal_scene_self_pairs(scene);
    const shoal_pairs first = shoal_scene_first_pairs(scene);
    const shoal_sphere_contacts contacts = shoal_scene_sphere_contacts(scene);
    const shoal_nearest_rows nearest = shoal_scene_nearest(scene);
    const shoal_nearest_rows within = shoal_scene_within(scene);
    const shoal_nearest_rows tris = shoal_scene_nearest_triangles(scene);
    const shoal_nearest_rows own = shoal_scene_nearest_self(scene);
    const shoal_body_numbers bad = shoal_scene_bad_bodies(scene);
    words w = {0};
    if (list <= 2) {
        const shoal_pair *p = list == 0   ? &pairs.rows[i]
                              : list == 1 ? &first.rows[i]
                                          : &self.rows[i];
        put(&w, p->body_a, list == 1 ? p->body_b : p->triangle_a);
        if (list != 1)
            put(&w, p->body_b, p->triangle_b);
    } else if (list == 4) {
        const shoal_sphere_contact *c = &contacts.rows[i];
        put(&w, c->body_a, c->sphere_a);
        put(&w, c->body_b, c->element_b);
        put_doubles(&w, &c->depth, 1);
        put_doubles(&w, c->normal, 3);
        put_doubles(&w, c->position, 3);
    } else if (list == 255) {
        put(&w, bad.rows[i], 0);
    } else {
        const shoal_nearest *const lists[] = {nearest.rows, within.rows, tris.rows, own.rows};
        const shoal_nearest *n = &lists[list - 5][i];
        put(&w, n->body_a, n->triangle_a);
        put(&w, n->body_b, n->triangle_b);
        put_doubles(&w, &n->distance, 1);
        put_doubles(&w, &n->error, 1);
        put_doubles(&w, n->point_a, 3);
        put_doubles(&w, n->point_b, 3);
    }
    return w;
}

static uint64_t row_hash(uint32_t list, const words *w)
{
    uint64_t h = 0;
    for (int i = 0; i < w->count; i++) {
        if (i == 0) {
            h = (w->word[0] ^ (list + 1ull) * 0x94d049bb133111ebu) * 0x9e3779b97f4a7c15u;
            h ^= h >> 32;
        } else {
            h = (h ^ w->word[i]) * 0xbf58476d1ce4e5b9u;
            h ^= h >> 29;
        }
    }
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53u;
    h ^= h >> 33;
    return h;
}

static uint64_t defined_hash(uint32_t queries, const shoal_scene *scene)
{
    const struct {
        uint32_t list, query;
        size_t count;
    } lists[] = {
        {0, SHOAL_QUERY_PAIRS, shoal_scene_pairs(scene).count},
        {1, SHOAL_QUERY_FIRST, shoal_scene_first_pairs(scene).count},
        {2, SHOAL_QUERY_SELF | SHOAL_QUERY_SELF_ADJACENT, shoal_scene_self_pairs(scene).count},
        {4, SHOAL_QUERY_SPHERES, shoal_scene_sphere_contacts(scene).count},
        {5, SHOAL_QUERY_NEAREST, shoal_scene_nearest(scene).count},
        {6, SHOAL_QUERY_WITHIN, shoal_scene_within(scene).count},
        {7, SHOAL_QUERY_NEAREST_TRIANGLES, shoal_scene_nearest_triangles(scene).count},
        {8, SHOAL_QUERY_NEAREST_SELF, shoal_scene_nearest_self(scene).count},
        {255, UINT32_MAX, shoal_scene_bad_bodies(scene).count},
    };
    uint64_t h = 0x73686f616c;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!(queries & lists[i].query))
            continue;
        uint64_t sum = 0;
        for (size_t k = lists[i].count; k-- > 0;) {
            const words w = words_of(lists[i].list, scene, k);
            sum += row_hash(lists[i].list, &w);
        }
        const uint64_t word[3] = {lists[i].list, lists[i].count, sum};
        for (int k = 0; k < 3; k++) {
            h = (h ^ word[k]) * 0x9e3779b97f4a7c15u;
            h ^= h >> 29;
        }
    }
    h = (h ^ 2) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

// --- Steps. ---

static world *world_named(const char *name)
{
    for (uint32_t kind = 0; kind < world_kinds(); kind++) {
        if (strcmp(world_name(kind), name) == 0)
            return world_make(kind);
    }
    return NULL;
}

// A model of a reduced body of the world with contact spheres.
static shoal_model *model_with_spheres(shoal_context *ctx, const world *w, uint32_t b)
{
    shoal_model_def def = model_def_of(&w->mesh[b], SHOAL_BUILDER_SURFACE_AREA, 8, NULL);
    def.reducible = true;
    def.fields = w->reduced[b].fields;
    def.field_count = w->reduced[b].field_count;
    def.sphere_level = 6;
    shoal_model *model = NULL;
    if (shoal_model_create(ctx, &def, &model))
        abort();
    return model;
}

static const struct {
    shoal_executor executor;
    uint32_t threads;
} ways[] = {{SHOAL_EXECUTOR_SERIAL, 1},

            {SHOAL_EXECUTOR_OMP, 3},
            {SHOAL_EXECUTOR_LOOPS, 2},
            {SHOAL_EXECUTOR_GUARD, 1}};

static const uint32_t all_queries = 511;

// The longest lists of all steps.
static size_t most[4];

static void look(const shoal_scene *scene)
{
    const size_t counts[4] = {
        shoal_scene_pairs(scene).count, shoal_scene_self_pairs(scene).count,
        shoal_scene_nearest_triangles(scene).count, shoal_scene_sphere_contacts(scene).count};
    for (int i = 0; i < 4; i++)
        most[i] = counts[i] > most[i] ? counts[i] : most[i];
}

TEST lists_had_several_chunks(void)
{
    for (int i = 0; i < 3; i++)
        ASSERT(most[i] > 4096);
    ASSERT(most[3] > 1000);
    PASS();
}

// Every query alone, all together, and all but one; a body is bad in the last step.
TEST hash_is_as_defined(const char *name, size_t how)
{
    world *w = world_named(name);
    shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = ways[how].executor;
    sd.threads = ways[how].threads;
    sd.within = 1;
    shoal_context *ctx;
    shoal_scene *scene;
    ASSERT(!shoal_context_create(&cd, &ctx) && !shoal_scene_create(ctx, &sd, &scene));
    shoal_body body[WORLD_BODIES], bad;
    for (uint32_t b = 0; b < w->body_count; b++) {
        shoal_model *model =
            w->reduced[b].used ? model_with_spheres(ctx, w, b) : kind_model_of(ctx, w, b);
        ASSERT_EQ(SHOAL_OK, kind_add(scene, model, w, b, &body[b]));
        shoal_model_destroy(model);
    }
    world_mesh ball = mesh_ball(strcmp(name, "identical") == 0 ? 4 : 1, 5);
    shoal_model *model = model_of(ctx, &ball);
    const shoal_positions p = shoal_positions_f64(ball.rest, ball.vertex_count);
    ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(scene, model, &bad));
    shoal_model_destroy(model);
    for (uint32_t s = 0; s < w->step_count; s++) {
        for (uint32_t b = 0; b < w->body_count; b++)
            ASSERT_EQ(SHOAL_OK, kind_set(scene, body[b], w, b, s));
        if (s + 1 == w->step_count)
            ball.rest[7] = NAN;
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(scene, bad, &p));
        for (uint32_t bit = 0; bit <= 9; bit++) {
            const uint32_t queries = s % 2 && bit < 9 ? all_queries & ~(1u << bit)
                                     : bit < 9        ? 1u << bit
                                                      : all_queries;
            ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, queries));
            const shoal_body_numbers found_bad = shoal_scene_bad_bodies(scene);
            ASSERT_EQ_FMT(defined_hash(queries, scene), shoal_scene_hash(scene), "%" PRIx64);
            ASSERT_EQ(s + 1 == w->step_count, found_bad.count == 1);
            look(scene);
        }
    }
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    mesh_free(&ball);
    world_free(w);
    PASS();
}

// --- Rows. ---

enum { ROWS = 300 };

static uint64_t seed = 12;

typedef struct list_type {
    uint32_t list;
    shl_row_sum_fn *sum;
    size_t row_bytes;
} list_type;

static const list_type types[] = {
    {0, shl_sum_pairs, sizeof(shoal_pair)},
    {4, shl_sum_contacts, sizeof(shoal_sphere_contact)},
    {6, shl_sum_nearest, sizeof(shoal_nearest)},
    {255, shl_sum_bodies, sizeof(uint32_t)},
};

static uint64_t sum_of(const list_type *t, const void *rows, size_t count)
{
    return t->sum(shl_list_front(t->list), rows, count);
}

static unsigned char rows[ROWS * sizeof(shoal_nearest)], copy[sizeof rows + 80];

static void fill(const list_type *t)
{
    for (size_t i = 0; i < ROWS * t->row_bytes; i++)
        rows[i] = (unsigned char)world_random(&seed);
}

TEST any_cut_and_order_gives_the_same(size_t type)
{
    const list_type *t = &types[type];
    fill(t);
    const uint64_t whole = sum_of(t, rows, ROWS);
    for (int round = 0; round < 50; round++) {
        uint64_t sum = 0;
        for (size_t begin = 0, n; begin < ROWS; begin += n) {
            n = world_random(&seed) % 40;
            n = n < ROWS - begin ? n : ROWS - begin;
            sum += sum_of(t, rows + begin * t->row_bytes, n);
        }
        ASSERT_EQ_FMT(whole, sum, "%" PRIx64);
        for (size_t i = 0; i < ROWS; i++) { // a shuffle
            unsigned char *a = rows + i * t->row_bytes;
            unsigned char *b = rows + world_random(&seed) % ROWS * t->row_bytes;
            memcpy(copy, a, t->row_bytes);
            memmove(a, b, t->row_bytes);
            memcpy(b, copy, t->row_bytes);
        }
        ASSERT_EQ_FMT(whole, sum_of(t, rows, ROWS), "%" PRIx64);
    }
    PASS();
}

// One bit of one row, or the same bit of two rows.
TEST no_bit_goes_unnoticed(size_t type)
{
    const list_type *t = &types[type];
    fill(t);
    const uint64_t whole = sum_of(t, rows, ROWS);
    for (size_t bit = 0; bit < 8 * t->row_bytes; bit++) {
        for (size_t i = 0; i < ROWS; i += 7) {
            rows[i * t->row_bytes + bit / 8] ^= (unsigned char)(1 << bit % 8);
            ASSERT(whole != sum_of(t, rows, ROWS));
            const size_t k = (i + 1 + world_random(&seed) % (ROWS - 1)) % ROWS;
            rows[k * t->row_bytes + bit / 8] ^= (unsigned char)(1 << bit % 8);
            ASSERT(whole != sum_of(t, rows, ROWS));
            rows[i * t->row_bytes + bit / 8] ^= (unsigned char)(1 << bit % 8);
            rows[k * t->row_bytes + bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
    PASS();
}

// Rows lost, doubled, in another list, and words or halves of them exchanged.
TEST no_row_goes_unnoticed(size_t type)
{
    const list_type *t = &types[type];
    const size_t size = t->row_bytes;
    fill(t);
    const uint64_t whole = sum_of(t, rows, ROWS);
    ASSERT(whole != t->sum(shl_list_front(t->list + 1), rows, ROWS));
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(copy, rows, ROWS * size);
        memcpy(copy + i * size, copy + (ROWS - 1) * size, size);
        ASSERT(whole != sum_of(t, copy, ROWS - 1));               // lost
        ASSERT_EQ(i + 1 == ROWS, whole == sum_of(t, copy, ROWS)); // the last one instead
        memcpy(copy, rows, ROWS * size);
        memcpy(copy + ROWS * size, rows + i * size, size);
        ASSERT(whole != sum_of(t, copy, ROWS + 1)); // doubled
        for (size_t half = 0; half + 4 < size; half += 4) {
            memcpy(copy, rows, ROWS * size);
            memcpy(copy + i * size + half, rows + i * size + half + 4, 4); // within the row
            memcpy(copy + i * size + half + 4, rows + i * size + half, 4);
            ASSERT(whole != sum_of(t, copy, ROWS));
            memcpy(copy, rows, ROWS * size);
            const size_t k = (i + 1) % ROWS; // between two rows
            memcpy(copy + i * size + half, rows + k * size + half, 4);
            memcpy(copy + k * size + half, rows + i * size + half, 4);
            ASSERT(whole != sum_of(t, copy, ROWS));
        }
    }
    PASS();
}

// Which witness was found does not count, the bodies do.
TEST hits_count_by_bodies(void)
{
    shoal_pair hit = {3, 100, 7, 200};
    const uint64_t sum = shl_sum_hits(1, &hit, 1);
    hit.triangle_a = 5;
    hit.triangle_b = 6;
    ASSERT_EQ(sum, shl_sum_hits(1, &hit, 1));
    hit.body_b = 8;
    ASSERT(sum != shl_sum_hits(1, &hit, 1));
    hit = (shoal_pair){7, 100, 3, 200};
    ASSERT(sum != shl_sum_hits(1, &hit, 1));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    static const char *const names[] = {"identical", "spheres", "reduced_mixed",
                                        "skinned_mixed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t how = 0; how < sizeof ways / sizeof *ways; how++)
            RUN_TESTp(hash_is_as_defined, names[i], how);
    }
    RUN_TEST(lists_had_several_chunks);
    for (size_t type = 0; type < sizeof types / sizeof *types; type++) {
        RUN_TEST1(any_cut_and_order_gives_the_same, type);
        RUN_TEST1(no_bit_goes_unnoticed, type);
        RUN_TEST1(no_row_goes_unnoticed, type);
    }
    RUN_TEST(hits_count_by_bodies);
    GREATEST_MAIN_END();
}
