// SPDX-License-Identifier: MIT
// Bodies that get other models, come and go: after any of it a scene answers as one that was
// made just now, byte by byte.
#include "fenced.h"
#include "skinned.h"

#include "greatest.h"

#include <math.h>
#include <shoal/study.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 9, MODELS = 7, VERTICES = 60, TRIANGLES = 70, STEPS = 40 };

static uint64_t state;

static uint32_t dice(uint32_t sides)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % sides;
}

static double spread(void)
{
    return dice(1u << 20) / (double)(1u << 19) - 1;
}

// A soup of triangles. Models 0 and 1 are of one size, so that what is kept of one would fit
// the other.
typedef struct mesh {
    uint32_t vertices, triangles;
    double xyz[3 * VERTICES];
    uint32_t corner[3 * TRIANGLES];
} mesh;

static mesh meshes[MODELS];

static void make_meshes(void)
{
    static const uint32_t sizes[MODELS][2] = {{40, 50}, {40, 50}, {4, 4},  {3, 1},
                                              {60, 70}, {12, 20}, {40, 33}};
    for (int m = 0; m < MODELS; m++) {
        meshes[m].vertices = sizes[m][0];
        meshes[m].triangles = sizes[m][1];
        for (uint32_t i = 0; i < 3 * sizes[m][0]; i++)
            meshes[m].xyz[i] = spread();
        for (uint32_t i = 0; i < 3 * sizes[m][1]; i++) // near in number, hence few long ones
            meshes[m].corner[i] = (i / 3 + dice(4)) % sizes[m][0];
    }
}

static bool make_models(shoal_context *ctx, shoal_model *out[MODELS])
{
    for (int m = 0; m < MODELS; m++) {
        shoal_model_def def = shoal_model_def_default();
        def.triangles = meshes[m].corner;
        def.triangle_count = meshes[m].triangles;
        def.rest = shoal_positions_f64(meshes[m].xyz, meshes[m].vertices);
        def.reducible = true;
        def.self = m % 2;
        static controls c; // copied
        const shoal_skinned_def skinned = carry_by_two(meshes[m].vertices, &c);
        def.skinned = &skinned;
        if (shoal_model_create(ctx, &def, &out[m]) != SHOAL_OK)
            return false;
    }
    return true;
}

// What the user knows of a body.
typedef struct actor {
    bool used, reduced, skinned, placed;
    uint32_t model;
    double at[3], xyz[3 * VERTICES];
    shoal_hold hold;
    shoal_order order;
    shoal_body id;
} actor;

static shoal_status place(shoal_scene *scene, shoal_model *const models[MODELS], actor *a,
                          shoal_body id)
{
    if (a->reduced) {
        const shoal_reduced_state s = {
            .bodies = &id, .count = 1, .stride = 1, .translation = a->at};
        return shoal_scene_set_reduced(scene, &s);
    }
    if (a->skinned) { // the second node goes a little farther
        double u[6];
        for (int i = 0; i < 6; i++)
            u[i] = a->at[i / 2] + (i % 2 ? 0.1 : 0);
        const shoal_skinned_state s = {
            .bodies = &id, .count = 1, .row_count = 2, .stride = 2, .u = u};
        return shoal_scene_set_skinned(scene, &s);
    }
    const mesh *m = &meshes[a->model];
    const uint32_t *order = shoal_model_vertex_order(models[a->model]);
    for (uint32_t row = 0; row < m->vertices; row++) {
        const uint32_t v = a->order == SHOAL_ORDER_TREE ? order[row] : row;
        for (uint32_t k = 0; k < 3; k++)
            a->xyz[3 * row + k] = m->xyz[3 * v + k] + a->at[k] + 0.01 * k * v * a->at[k];
    }
    shoal_positions p = shoal_positions_f64(a->xyz, m->vertices);
    p.hold = a->hold;
    p.order = a->order;
    return shoal_scene_set_positions(scene, id, &p);
}

static shoal_status add(shoal_scene *scene, shoal_model *model, const actor *a, shoal_body *out)
{
    return a->used && a->reduced   ? shoal_scene_add_reduced(scene, model, out)
           : a->used && a->skinned ? shoal_scene_add_skinned(scene, model, out)
                                   : shoal_scene_add_free(scene, model, out);
}

static const uint32_t all_queries = SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF |
                                    SHOAL_QUERY_SELF_ADJACENT | SHOAL_QUERY_NEAREST |
                                    SHOAL_QUERY_WITHIN | SHOAL_QUERY_NEAREST_TRIANGLES |
                                    SHOAL_QUERY_NEAREST_SELF;

static bool same(const void *a, size_t a_count, const void *b, size_t b_count, size_t size)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * size) == 0);
}

static bool same_pairs(shoal_pairs a, shoal_pairs b)
{
    return same(a.rows, a.count, b.rows, b.count, sizeof *a.rows);
}

static bool same_nearest(shoal_nearest_rows a, shoal_nearest_rows b)
{
    return same(a.rows, a.count, b.rows, b.count, sizeof *a.rows);
}

static bool same_results(const shoal_scene *x, const shoal_scene *y)
{
    const shoal_pairs a = shoal_scene_first_pairs(x), b = shoal_scene_first_pairs(y);
    bool good = a.count == b.count;
    for (size_t i = 0; i < a.count && good; i++)
        good = a.rows[i].body_a == b.rows[i].body_a && a.rows[i].body_b == b.rows[i].body_b;
    const shoal_body_numbers bad = shoal_scene_bad_bodies(x), too = shoal_scene_bad_bodies(y);
    return good && shoal_scene_hash(x) == shoal_scene_hash(y) &&
           same_pairs(shoal_scene_pairs(x), shoal_scene_pairs(y)) &&
           same_pairs(shoal_scene_self_pairs(x), shoal_scene_self_pairs(y)) &&
           same_nearest(shoal_scene_nearest(x), shoal_scene_nearest(y)) &&
           same_nearest(shoal_scene_within(x), shoal_scene_within(y)) &&
           same_nearest(shoal_scene_nearest_triangles(x), shoal_scene_nearest_triangles(y)) &&
           same_nearest(shoal_scene_nearest_self(x), shoal_scene_nearest_self(y)) &&
           same(bad.rows, bad.count, too.rows, too.count, sizeof *bad.rows);
}

// One step of a scene that never saw another one.
static bool cold_step(shoal_context *ctx, const shoal_scene_def *def,
                      shoal_model *const models[MODELS], const actor actors[SLOTS],
                      uint32_t queries, shoal_scene **out)
{
    static actor copy[SLOTS];
    memcpy(copy, actors, sizeof copy);
    bool good = shoal_scene_create(ctx, def, out) == SHOAL_OK;
    for (int i = 0; i < SLOTS && good; i++) { // an empty place is a body without positions
        shoal_body id;
        good = add(*out, models[copy[i].model], &copy[i], &id) == SHOAL_OK &&
               id.index1 == (uint32_t)i + 1;
        if (good && copy[i].used && copy[i].placed)
            good = place(*out, models, &copy[i], id) == SHOAL_OK;
    }
    return good && shoal_scene_step(*out, queries) == SHOAL_OK;
}

// Something happens to a body, or nothing.
static bool disturb(shoal_scene *scene, shoal_model *const models[MODELS], actor *a, bool mixed)
{
    const uint32_t what = dice(10);
    if (!a->used) {
        if (what > 3)
            return true;
        a->used = true;
        a->placed = false;
        const uint32_t kind = mixed ? dice(3) : 0;
        a->reduced = kind == 1;
        a->skinned = kind == 2;
        a->model = dice(MODELS);
        shoal_body id;
        return add(scene, models[a->model], a, &id) == SHOAL_OK && (a->id = id).index1 != 0;
    }
    if (what == 0) {
        a->used = false;
        return shoal_scene_remove(scene, a->id) == SHOAL_OK;
    }
    if (what > 4)
        return true;
    a->model = what == 4 ? a->model ^ (a->model < 2) : dice(MODELS);
    a->placed = false;
    return shoal_scene_replace_model(scene, a->id, models[a->model]) == SHOAL_OK;
}

static bool move(shoal_scene *scene, shoal_model *const models[MODELS], actor *a)
{
    if (!a->used || (!a->placed && dice(8) == 0) || (a->placed && dice(3) == 0))
        return true; // waits for its first positions, or stands still
    const double far = a->placed ? 0.05 : 2.5;
    for (int k = 0; k < 3; k++)
        a->at[k] = (a->placed ? a->at[k] : 0) + far * spread();
    if (dice(40) == 0)
        a->at[1] = NAN;
    else if (isnan(a->at[1]))
        a->at[1] = 0;
    a->hold = dice(2) ? SHOAL_BORROW : SHOAL_COPY;
    a->order = dice(2) ? SHOAL_ORDER_TREE : SHOAL_ORDER_USER;
    a->placed = true;
    return place(scene, models, a, a->id) == SHOAL_OK;
}

static enum greatest_test_res run(const shoal_scene_def *def, bool mixed, uint64_t seed)
{
    static actor actors[SLOTS];
    const shoal_context_def cd = shoal_context_def_default();
    shoal_context *ctx;
    shoal_scene *scene, *cold = NULL;
    shoal_model *models[MODELS];
    memset(actors, 0, sizeof actors);
    state = seed;
    ASSERT(shoal_context_create(&cd, &ctx) == SHOAL_OK && make_models(ctx, models));
    ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, def, &scene));
    for (int i = 0; i < SLOTS; i++) { // all places are taken once, in order
        actors[i].used = true;
        actors[i].model = dice(MODELS);
        ASSERT_EQ(SHOAL_OK, add(scene, models[actors[i].model], &actors[i], &actors[i].id));
    }
    size_t found = 0, replaced = 0;
    for (int step = 0; step < STEPS; step++) {
        // several places empty at once would be filled from the lowest, not as dice say
        const uint32_t which = dice(SLOTS), generation = actors[which].id.generation;
        const bool was = actors[which].used;
        bool lowest = true;
        for (uint32_t i = 0; i < which; i++)
            lowest = lowest && actors[i].used;
        if (was || lowest) {
            ASSERT(disturb(scene, models, &actors[which], mixed));
            ASSERT_EQ(which + 1, actors[which].id.index1);
            const bool added = !was && actors[which].used;
            ASSERT_EQ(added, generation != actors[which].id.generation);
            replaced += was && actors[which].used && !actors[which].placed;
        }
        for (int i = 0; i < SLOTS; i++)
            ASSERT(move(scene, models, &actors[i]));
        const uint32_t one = 1u << dice(9);
        const uint32_t queries = dice(3) || one == SHOAL_QUERY_SPHERES ? all_queries : one;
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, queries));
        ASSERT(cold_step(ctx, def, models, actors, queries, &cold));
        ASSERT(same_results(scene, cold));
        found += shoal_scene_pairs(scene).count + shoal_scene_nearest(scene).count +
                 shoal_scene_nearest_triangles(scene).count;
        shoal_scene_destroy(cold);
    }
    ASSERT(found > 1000 && replaced > 5);
    shoal_scene_destroy(scene);
    for (int m = 0; m < MODELS; m++)
        shoal_model_destroy(models[m]);
    shoal_context_destroy(ctx);
    PASS();
}

TEST replaced_as_made_anew(void)
{
    make_meshes();
    uint64_t seed = 1;
    for (int strategy = 0; strategy <= SHOAL_STRATEGY_AUTO; strategy++) {
        for (int variant = 0; variant < 5; variant++) {
            shoal_scene_def def = shoal_scene_def_default();
            def.strategy = (shoal_strategy)strategy;
            def.threads = 1 + (uint32_t)variant % 3;
            def.executor = variant == 3 ? SHOAL_EXECUTOR_SERIAL : SHOAL_EXECUTOR_OMP;
            def.broad = (shoal_broad)(variant % 5);
            def.rebuild_ratio = variant == 1 ? 0.5 : 1.3;
            def.list_margin = variant == 4 ? 0.2 : 0;
            def.within = 0.5;
            def.coherence = (shoal_coherence)(variant % 3);
            CHECK_CALL(run(&def, variant % 2, seed++));
        }
    }
    PASS();
}

// With the neighbour list alone, since other queries leave it without effect.
TEST lists_of_near_pairs_end(void)
{
    make_meshes();
    const shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def def = shoal_scene_def_default();
    def.list_margin = 0.3;
    shoal_context *ctx;
    shoal_scene *scene, *cold;
    shoal_model *models[MODELS];
    actor actors[SLOTS] = {0};
    ASSERT(shoal_context_create(&cd, &ctx) == SHOAL_OK && make_models(ctx, models));
    ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &def, &scene));
    for (int i = 0; i < SLOTS; i++) {
        actors[i] = (actor){.used = true, .placed = true, .at = {0.5 * i, 0.1 * i, 0}};
        actors[i].skinned = i % 3 == 1;
        ASSERT_EQ(SHOAL_OK, add(scene, models[0], &actors[i], &actors[i].id));
        ASSERT_EQ(SHOAL_OK, place(scene, models, &actors[i], actors[i].id));
    }
    bool reused = false;
    for (uint32_t step = 0; step < 40; step++) {
        actor *a = &actors[step % SLOTS];
        if (step % 5 == 4) { // every other time it has no positions at first
            a->model ^= 1;
            a->placed = step % 2;
            ASSERT_EQ(SHOAL_OK, shoal_scene_replace_model(scene, a->id, models[a->model]));
            ASSERT(!a->placed || place(scene, models, a, a->id) == SHOAL_OK);
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_PAIRS));
        const bool old = shoal_scene_stats(scene).list_reused;
        ASSERT(step % 5 != 4 || !old);
        reused = reused || old;
        ASSERT(cold_step(ctx, &def, models, actors, SHOAL_QUERY_PAIRS, &cold));
        ASSERT(shoal_scene_pairs(scene).count > 0 && same_results(scene, cold));
        shoal_scene_destroy(cold);
    }
    ASSERT(reused);
    shoal_scene_destroy(scene);
    for (int m = 0; m < MODELS; m++)
        shoal_model_destroy(models[m]);
    shoal_context_destroy(ctx);
    PASS();
}

static _Atomic long countdown = -1, held;

static void *fail_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    if (atomic_load(&countdown) >= 0 && atomic_fetch_sub(&countdown, 1) == 0)
        return NULL;
    atomic_fetch_add(&held, 1);
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void fail_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    atomic_fetch_sub(&held, 1);
    free(memory);
}

// Without memory a body keeps model and positions; then a steady scene is quiet again.
TEST no_memory_leaves_the_body(void)
{
    make_meshes();
    for (int kind = 0; kind < 3; kind++) {
        shoal_context_def cd = shoal_context_def_default();
        cd.allocator = (shoal_allocator){fail_alloc, fail_release, NULL};
        shoal_scene_def def = shoal_scene_def_default();
        def.within = 1;
        def.rebuild_ratio = 0;
        def.coherence = SHOAL_COHERENCE_EAGER;
        shoal_context *ctx;
        shoal_scene *scene;
        shoal_model *models[MODELS];
        actor a[2] = {{.used = true, .reduced = kind == 1, .skinned = kind == 2, .model = 5},
                      {.used = true, .model = 1, .at = {0.3, 0, 0}}};
        ASSERT(shoal_context_create(&cd, &ctx) == SHOAL_OK && make_models(ctx, models));
        ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &def, &scene));
        for (int i = 0; i < 2; i++) {
            ASSERT_EQ(SHOAL_OK, add(scene, models[a[i].model], &a[i], &a[i].id));
            ASSERT_EQ(SHOAL_OK, place(scene, models, &a[i], a[i].id));
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, all_queries));
        const uint64_t before = shoal_scene_hash(scene);
        long failed = 0;
        for (shoal_status st = SHOAL_ERR_MEMORY; st != SHOAL_OK; failed++) {
            ASSERT_EQ(SHOAL_ERR_MEMORY, st);
            atomic_store(&countdown, failed);
            st = shoal_scene_replace_model(scene, a[0].id, models[4]);
            atomic_store(&countdown, -1);
            ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, all_queries));
            ASSERT_EQ(st != SHOAL_OK, shoal_scene_hash(scene) == before);
        }
        ASSERT(failed > 2);
        ASSERT_EQ(1u, shoal_scene_nearest(scene).count); // it has no positions yet
        a[0].model = 4;
        for (int step = 0; step < 40; step++) {
            for (int i = 0; i < 2; i++)
                ASSERT_EQ(SHOAL_OK, place(scene, models, &a[i], a[i].id));
            ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, all_queries));
            ASSERT_EQ(2u, shoal_scene_nearest(scene).count);
            ASSERT(step < 3 || shoal_scene_stats(scene).allocations == 0);
        }
        shoal_scene_destroy(scene);
        for (int m = 0; m < MODELS; m++)
            shoal_model_destroy(models[m]);
        shoal_context_destroy(ctx);
        ASSERT_EQ(0, atomic_load(&held));
    }
    PASS();
}

// What steps keep of triangles has a row each: rows of a smaller model do not do for a larger.
TEST rows_of_the_old_model_are_dropped(void)
{
    make_meshes();
    shoal_context_def cd = shoal_context_def_default();
    cd.allocator = (shoal_allocator){fenced_alloc, fenced_release, NULL};
    const shoal_scene_def def = shoal_scene_def_default();
    shoal_context *ctx;
    shoal_scene *scene, *cold;
    shoal_model *models[MODELS];
    actor a[SLOTS] = {0};
    ASSERT(shoal_context_create(&cd, &ctx) == SHOAL_OK && make_models(ctx, models));
    ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &def, &scene));
    for (int i = 0; i < SLOTS; i++) {
        a[i] = (actor){.used = true, .placed = true, .model = 3, .at = {0.5 * i, 0, 0}};
        ASSERT_EQ(SHOAL_OK, add(scene, models[3], &a[i], &a[i].id));
        ASSERT_EQ(SHOAL_OK, place(scene, models, &a[i], a[i].id));
    }
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, all_queries));
    for (int i = 0; i < SLOTS; i++) {
        a[i].model = 4;
        ASSERT_EQ(SHOAL_OK, shoal_scene_replace_model(scene, a[i].id, models[4]));
        ASSERT_EQ(SHOAL_OK, place(scene, models, &a[i], a[i].id));
    }
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, all_queries));
    ASSERT(cold_step(ctx, &def, models, a, all_queries, &cold));
    ASSERT(same_results(scene, cold));
    ASSERT_EQ((size_t)SLOTS * meshes[4].triangles, shoal_scene_nearest_triangles(scene).count);
    shoal_scene_destroy(cold);
    shoal_scene_destroy(scene);
    for (int m = 0; m < MODELS; m++)
        shoal_model_destroy(models[m]);
    shoal_context_destroy(ctx);
    PASS();
}

TEST wrong_calls_change_nothing(void)
{
    make_meshes();
    const shoal_context_def cd = shoal_context_def_default();
    const shoal_scene_def def = shoal_scene_def_default();
    shoal_context *ctx, *other;
    shoal_scene *scene;
    shoal_model *models[MODELS], *nonadjacent[MODELS], *plain;
    ASSERT(shoal_context_create(&cd, &ctx) == SHOAL_OK && make_models(ctx, models));
    ASSERT(shoal_context_create(&cd, &other) == SHOAL_OK && make_models(other, nonadjacent));
    ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &def, &scene));
    shoal_model_def md = shoal_model_def_default();
    md.triangles = meshes[2].corner;
    md.triangle_count = meshes[2].triangles;
    md.rest = shoal_positions_f64(meshes[2].xyz, meshes[2].vertices);
    ASSERT_EQ(SHOAL_OK, shoal_model_create(ctx, &md, &plain));
    shoal_body a, b, c;
    ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(scene, models[0], &a));
    ASSERT_EQ(SHOAL_OK, shoal_scene_add_reduced(scene, models[0], &b));
    ASSERT_EQ(SHOAL_OK, shoal_scene_add_skinned(scene, models[0], &c));
    const shoal_body null = {0};
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_replace_model(NULL, a, models[1]));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_replace_model(scene, null, models[1]));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_replace_model(scene, a, NULL));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_replace_model(scene, a, nonadjacent[0]));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_replace_model(scene, b, plain));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_replace_model(scene, c, plain));
    ASSERT_EQ(SHOAL_OK, shoal_scene_replace_model(scene, c, models[1]));
    ASSERT_EQ(SHOAL_OK, shoal_scene_replace_model(scene, a, plain));
    ASSERT_EQ(SHOAL_OK, shoal_scene_replace_model(scene, a, plain)); // by the same one
    shoal_model_destroy(plain);                                      // the body holds it
    const shoal_positions p = shoal_positions_f64(meshes[2].xyz, meshes[2].vertices);
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(scene, a, &p));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_SELF));
    ASSERT_EQ(SHOAL_OK, shoal_scene_remove(scene, a));
    ASSERT_EQ(SHOAL_ERR_STALE, shoal_scene_replace_model(scene, a, models[1]));
    shoal_scene_destroy(scene);
    for (int m = 0; m < MODELS; m++) {
        shoal_model_destroy(models[m]);
        shoal_model_destroy(nonadjacent[m]);
    }
    shoal_context_destroy(ctx);
    shoal_context_destroy(other);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(replaced_as_made_anew);
    RUN_TEST(lists_of_near_pairs_end);
    RUN_TEST(no_memory_leaves_the_body);
    RUN_TEST(rows_of_the_old_model_are_dropped);
    RUN_TEST(wrong_calls_change_nothing);
    GREATEST_MAIN_END();
}
