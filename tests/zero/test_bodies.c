// SPDX-License-Identifier: MIT
// Bodies that come, go, change how they hand over positions, and break, against the oracle.
#include "run.h"

#include "greatest.h"

#include <math.h>
#include <pthread.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 12, MODELS = 4, VERTICES = 60, TRIANGLES = 20 };

// What the test knows of a slot.
typedef struct slot {
    bool live, placed, bad;
    int model;
    shoal_body id;
    shoal_positions view;
    double xyz[3 * VERTICES]; // the truth, in the user's order
    void *array;              // what was handed over
} slot;

typedef struct play {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *model[MODELS];
    world_mesh mesh[MODELS];
    slot slot[SLOTS];
    uint64_t seed;
} play;

static uint32_t pick(play *p, uint32_t n)
{
    return (uint32_t)(world_random(&p->seed) % n);
}

static void start(play *p, shoal_cpu cpu, shoal_executor executor, shoal_strategy strategy,
                  uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->seed = seed;
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = cpu;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = executor;
    sd.threads = 2;
    sd.strategy = strategy;
    static const shoal_broad broads[4] = {SHOAL_BROAD_BRUTE, SHOAL_BROAD_SWEEP,
                                          SHOAL_BROAD_TREE, SHOAL_BROAD_INCREMENTAL};
    sd.broad = broads[seed % 4];
    sd.rebuild_ratio = 0.5;              // under auto, a new tree for every body in every step
    sd.list_margin = seed % 3 ? 0 : 1.5; // places are whole numbers
    if (shoal_context_create(&cd, &p->ctx) || shoal_scene_create(p->ctx, &sd, &p->scene))
        abort();
    for (int i = 0; i < MODELS; i++) {
        // Some vertices of the last model belong to no triangle.
        p->mesh[i] = mesh_lattice(i == 0 ? 3 : TRIANGLES, i == 3 ? VERTICES : VERTICES / 3, 4,
                                  seed + (uint64_t)i);
        for (size_t k = 0; i == 3 && k < 3 * TRIANGLES; k++)
            p->mesh[i].tri[k] = p->mesh[i].tri[k] / 3 + 5;
        p->model[i] = strategy == SHOAL_STRATEGY_AUTO ? model_of_stranger(p->ctx, &p->mesh[i])
                                                      : model_of(p->ctx, &p->mesh[i]);
    }
}

static void stop(play *p)
{
    for (int i = 0; i < MODELS; i++) { // before the bodies that use them
        shoal_model_destroy(p->model[i]);
        mesh_free(&p->mesh[i]);
    }
    shoal_scene_destroy(p->scene);
    shoal_context_destroy(p->ctx);
    for (int i = 0; i < SLOTS; i++)
        free(p->slot[i].array);
}

// Writes the truth into the array as the view says.
static void write_array(const play *p, slot *s)
{
    const uint32_t *order = shoal_model_vertex_order(p->model[s->model]);
    for (uint32_t i = 0; i < s->view.count; i++) {
        const size_t v = s->view.order == SHOAL_ORDER_TREE ? order[i] : i;
        for (size_t k = 0; k < 3; k++) {
            const size_t at = i * s->view.stride + k;
            if (s->view.scalar == SHOAL_F32)
                ((float *)s->array)[at] = (float)s->xyz[3 * v + k];
            else
                ((double *)s->array)[at] = s->xyz[3 * v + k];
        }
    }
}

// New positions; one in eight has a number that is none, in any vertex.
static void invent(play *p, slot *s)
{
    static const double none[3] = {NAN, INFINITY, -INFINITY};
    const world_mesh *m = &p->mesh[s->model];
    const double at[3] = {pick(p, 10), pick(p, 4), pick(p, 4)};
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++)
        s->xyz[i] = m->rest[i] + at[i % 3];
    s->bad = pick(p, 8) == 0;
    if (s->bad)
        s->xyz[pick(p, 3 * m->vertex_count)] = none[pick(p, 3)];
}

static bool set_slot(play *p, slot *s)
{
    const uint32_t count = p->mesh[s->model].vertex_count;
    invent(p, s);
    s->view = (shoal_positions){.stride = pick(p, 2) ? 3 : 4,
                                .count = count,
                                .scalar = (shoal_scalar)pick(p, 2),
                                .order = (shoal_order)pick(p, 2),
                                .hold = (shoal_hold)pick(p, 2)};
    const size_t size = s->view.scalar == SHOAL_F32 ? sizeof(float) : sizeof(double);
    void *array = malloc(size * ((count - (size_t)1) * s->view.stride + 3));
    void *old = s->array;
    s->array = array;
    s->view.x = array;
    s->view.y = (char *)array + size;
    s->view.z = (char *)array + 2 * size;
    write_array(p, s);
    const bool done = shoal_scene_set_positions(p->scene, s->id, &s->view) == SHOAL_OK;
    free(old);
    if (s->view.hold == SHOAL_COPY) { // nobody may look at it any more
        free(s->array);
        s->array = NULL;
    }
    s->placed = true;
    return done;
}

static bool add_slot(play *p)
{
    const int model = (int)pick(p, MODELS);
    uint32_t lowest = 0;
    while (lowest < SLOTS && p->slot[lowest].live)
        lowest++;
    if (lowest == SLOTS)
        return true;
    shoal_body id;
    if (shoal_scene_add_free(p->scene, p->model[model], &id) != SHOAL_OK || !id.index1 ||
        id.index1 > SLOTS || p->slot[id.index1 - 1].live)
        return false;
    slot *s = &p->slot[id.index1 - 1];
    if (s->id.index1 && s->id.generation == id.generation)
        return false; // a body of the past has this id
    // The id of the one before must not reach the new one.
    if (s->id.index1 && shoal_scene_remove(p->scene, s->id) != SHOAL_ERR_STALE)
        return false;
    s->live = true;
    s->placed = s->bad = false;
    s->model = model;
    s->id = id;
    return true;
}

static bool remove_slot(play *p, slot *s)
{
    const bool done = shoal_scene_remove(p->scene, s->id) == SHOAL_OK &&
                      shoal_scene_remove(p->scene, s->id) == SHOAL_ERR_STALE &&
                      shoal_scene_set_positions(p->scene, s->id, &s->view) == SHOAL_ERR_STALE;
    s->live = s->placed = s->bad = false;
    free(s->array);
    s->array = NULL;
    return done;
}

static bool act(play *p)
{
    slot *s = &p->slot[pick(p, SLOTS)];
    const uint32_t what = pick(p, 10);
    if (what < 3 || !s->live)
        return add_slot(p);
    if (what == 3)
        return remove_slot(p, s);
    if (what < 7 || !s->placed)
        return set_slot(p, s);
    if (s->view.hold == SHOAL_BORROW) { // in place, without telling
        invent(p, s);
        write_array(p, s);
    }
    return true;
}

static bool bad_listed(const play *p)
{
    const shoal_body_numbers bad = shoal_scene_bad_bodies(p->scene);
    size_t at = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (!p->slot[i].live || !p->slot[i].placed || !p->slot[i].bad)
            continue;
        if (at >= bad.count || bad.rows[at++] != i)
            return false;
    }
    return at == bad.count;
}

static bool step_true(play *p)
{
    if (shoal_scene_step(p->scene, SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST) != SHOAL_OK)
        return false;
    oracle_mesh meshes[SLOTS] = {{0}};
    for (int i = 0; i < SLOTS; i++) {
        const slot *s = &p->slot[i];
        const world_mesh *m = &p->mesh[s->model];
        if (s->live && s->placed)
            meshes[i] = (oracle_mesh){s->xyz, m->vertex_count, m->tri, m->triangle_count};
    }
    truth t = {0};
    t.pair_count = oracle_pairs(meshes, SLOTS, &t.pairs);
    t.bad_count = shoal_scene_bad_bodies(p->scene).count;
    const bool good =
        bad_listed(p) && results_true(&t, SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST, p->scene);
    free(t.pairs);
    return good;
}

TEST bodies_come_and_go(shoal_cpu cpu, shoal_executor executor, shoal_strategy strategy,
                        uint64_t seed)
{
    play p;
    start(&p, cpu, executor, strategy, seed);
    bool good = step_true(&p); // a scene without bodies
    for (int round = 0; round < 40 && good; round++) {
        for (int i = 0; i < 4 && good; i++)
            good = act(&p);
        good = good && step_true(&p);
    }
    stop(&p);
    ASSERT(good);
    PASS();
}

// Every coordinate of a body once, with every kind of number that is none.
TEST one_bad_coordinate(shoal_cpu cpu, shoal_strategy strategy)
{
    play p;
    start(&p, cpu, SHOAL_EXECUTOR_SERIAL, strategy, 5);
    bool good = true;
    for (int i = 0; i < 4 && good; i++)
        good = add_slot(&p);
    for (int i = 0; i < 4 && good; i++) {
        do
            good = set_slot(&p, &p.slot[i]);
        while (p.slot[i].bad || p.slot[i].view.hold != SHOAL_BORROW);
    }
    slot *s = &p.slot[2];
    for (uint32_t i = 0; good && i < 3 * s->view.count; i++) {
        const double old = s->xyz[i];
        s->xyz[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
        s->bad = true;
        write_array(&p, s);
        good = step_true(&p);
        s->xyz[i] = old;
        s->bad = false;
        write_array(&p, s);
        good = good && step_true(&p);
    }
    stop(&p);
    ASSERT(good);
    PASS();
}

// The same for a body whose boxes are made from long ranges of vertices, and, at level 5, in
// parts that share some.
TEST one_bad_coordinate_of_many(int level, shoal_cpu cpu, shoal_strategy strategy, bool wide)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = cpu;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = SHOAL_EXECUTOR_SERIAL;
    sd.strategy = strategy;
    sd.rebuild_ratio = 0.5;
    shoal_context *ctx;
    shoal_scene *scene;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
    ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &sd, &scene));
    world_mesh mesh = mesh_ball(level, 1);
    shoal_model *model = model_of(ctx, &mesh);
    const uint32_t vertices = mesh.vertex_count, stride = vertices > 1000 ? 7 : 1;
    float *narrow = malloc(3 * (size_t)vertices * sizeof *narrow);
    ASSERT(narrow);
    for (size_t i = 0; i < 3 * (size_t)vertices; i++)
        narrow[i] = (float)mesh.rest[i];
    shoal_positions p =
        wide ? shoal_positions_f64(mesh.rest, vertices) : shoal_positions_f32(narrow, vertices);
    p.hold = SHOAL_BORROW;
    shoal_body body[2];
    for (int b = 0; b < 2; b++) {
        ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(scene, model, &body[b]));
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(scene, body[b], &p));
    }
    for (size_t i = 0; i < 3 * (size_t)vertices; i += stride) {
        const double none = i % 5 < 3 ? NAN : i % 2 ? INFINITY : -INFINITY;
        const float old = narrow[i];
        narrow[i] = (float)none;
        mesh.rest[i] = none;
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_PAIRS));
        const shoal_body_numbers bad = shoal_scene_bad_bodies(scene);
        ASSERT(bad.count == 2 && bad.rows[0] == 0 && bad.rows[1] == 1);
        ASSERT_EQ(0, shoal_scene_pairs(scene).count);
        narrow[i] = old;
        mesh.rest[i] = old;
    }
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_FIRST));
    ASSERT_EQ(1, shoal_scene_first_pairs(scene).count);
    ASSERT_EQ(0, shoal_scene_bad_bodies(scene).count);
    shoal_model_destroy(model);
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    mesh_free(&mesh);
    free(narrow);
    PASS();
}

// --- Scenes side by side. ---

typedef struct twin {
    pthread_t thread;
    shoal_context *ctx;
    shoal_model **model;
    const world *w;
    shoal_executor executor;
    bool good;
} twin;

static void *run_twin(void *user)
{
    twin *t = user;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = 2;
    sd.executor = t->executor;
    shoal_scene *scene = NULL;
    shoal_body body[WORLD_BODIES];
    t->good = shoal_scene_create(t->ctx, &sd, &scene) == SHOAL_OK;
    for (uint32_t b = 0; b < t->w->body_count && t->good; b++)
        t->good = shoal_scene_add_free(scene, t->model[b], &body[b]) == SHOAL_OK;
    for (uint32_t s = 0; s < t->w->step_count && t->good; s++) {
        for (uint32_t b = 0; b < t->w->body_count && t->good; b++) {
            const shoal_positions p =
                shoal_positions_f64(t->w->xyz[s][b], t->w->mesh[b].vertex_count);
            t->good = shoal_scene_set_positions(scene, body[b], &p) == SHOAL_OK;
        }
        t->good = t->good && shoal_scene_step(scene, SHOAL_QUERY_PAIRS) == SHOAL_OK;
        const shoal_pairs r = shoal_scene_pairs(scene);
        t->good =
            t->good && r.count == t->w->truth[s].pair_count &&
            (!r.count || memcmp(r.rows, t->w->truth[s].pairs, r.count * sizeof *r.rows) == 0);
    }
    shoal_scene_destroy(scene);
    return NULL;
}

TEST two_scenes_share_models(uint32_t kind)
{
    world *w = world_make(kind);
    world_find_truth(w);
    const shoal_context_def cd = shoal_context_def_default();
    shoal_context *ctx;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
    shoal_model *model[WORLD_BODIES];
    for (uint32_t b = 0; b < w->body_count; b++)
        model[b] = model_of(ctx, &w->mesh[b]);
    twin twins[2] = {{.executor = SHOAL_EXECUTOR_OMP}, {.executor = SHOAL_EXECUTOR_SERIAL}};
    for (int i = 0; i < 2; i++) {
        twins[i].ctx = ctx;
        twins[i].model = model;
        twins[i].w = w;
        ASSERT_EQ(0, pthread_create(&twins[i].thread, NULL, run_twin, &twins[i]));
    }
    for (int i = 0; i < 2; i++)
        pthread_join(twins[i].thread, NULL);
    for (uint32_t b = 0; b < w->body_count; b++)
        shoal_model_destroy(model[b]);
    shoal_context_destroy(ctx);
    world_free(w);
    ASSERT(twins[0].good && twins[1].good);
    PASS();
}

// --- Many bodies. ---

enum { CROWD = 500 };

static uint64_t crowd_hash(shoal_broad broad, shoal_cpu cpu, uint64_t *found)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = cpu;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.broad = broad;
    sd.threads = 2;
    shoal_context *ctx;
    shoal_scene *scene;
    if (shoal_context_create(&cd, &ctx) || shoal_scene_create(ctx, &sd, &scene))
        abort();
    world_mesh mesh = mesh_soup(6, 0.7, 3);
    shoal_model *model = model_of(ctx, &mesh);
    uint64_t seed = 8, hash = 0;
    shoal_body body[CROWD];
    for (int b = 0; b < CROWD; b++) {
        if (shoal_scene_add_free(scene, model, &body[b]))
            abort();
    }
    for (int step = 0; step < 3; step++) {
        for (int b = 0; b < CROWD; b++) {
            double xyz[54], at[3];
            for (int k = 0; k < 3; k++)
                at[k] = (k == step ? 40 : 4) * world_unit(&seed); // another axis is longest
            for (int i = 0; i < 54; i++)
                xyz[i] = mesh.rest[i] + at[i % 3];
            const shoal_positions p = shoal_positions_f64(xyz, 18);
            if (shoal_scene_set_positions(scene, body[b], &p))
                abort();
        }
        if (shoal_scene_step(scene, SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST))
            abort();
        hash = hash * 31 + shoal_scene_hash(scene);
        *found += shoal_scene_pairs(scene).count;
        hash = hash * 31 + shoal_scene_stats(scene).body_pairs;
    }
    shoal_scene_destroy(scene);
    shoal_model_destroy(model);
    shoal_context_destroy(ctx);
    mesh_free(&mesh);
    return hash;
}

TEST all_find_what_brute_force_finds(void)
{
    uint64_t found = 0;
    const uint64_t brute = crowd_hash(SHOAL_BROAD_BRUTE, SHOAL_CPU_REF, &found);
    ASSERT(found > 500);
    ASSERT_EQ(brute, crowd_hash(SHOAL_BROAD_SWEEP, SHOAL_CPU_REF, &found));
    ASSERT_EQ(brute, crowd_hash(SHOAL_BROAD_SWEEP, SHOAL_CPU_AVX2, &found));
    ASSERT_EQ(brute, crowd_hash(SHOAL_BROAD_TREE, SHOAL_CPU_REF, &found));
    ASSERT_EQ(brute, crowd_hash(SHOAL_BROAD_TREE, SHOAL_CPU_AVX2, &found));
    ASSERT_EQ(brute, crowd_hash(SHOAL_BROAD_INCREMENTAL, SHOAL_CPU_AVX2, &found));
    ASSERT_EQ(brute, crowd_hash(SHOAL_BROAD_AUTO, SHOAL_CPU_BEST, &found));
    PASS();
}

SUITE(bodies)
{
    static const shoal_executor executors[3] = {SHOAL_EXECUTOR_OMP, SHOAL_EXECUTOR_SERIAL,
                                                SHOAL_EXECUTOR_LOOPS};
    for (uint64_t i = 0; i < 24; i++)
        RUN_TESTp(bodies_come_and_go, i & 1 ? SHOAL_CPU_REF : SHOAL_CPU_AVX2, executors[i % 3],
                  i & 2 ? SHOAL_STRATEGY_HYBRID : SHOAL_STRATEGY_BOTTOM_UP, i / 4);
    for (uint64_t i = 0; i < 6; i++)
        RUN_TESTp(bodies_come_and_go, i & 1 ? SHOAL_CPU_REF : SHOAL_CPU_AVX2, executors[i % 3],
                  SHOAL_STRATEGY_AUTO, i + 6);
    RUN_TESTp(one_bad_coordinate, SHOAL_CPU_AVX2, SHOAL_STRATEGY_AUTO);
    for (int i = 0; i < 4; i++)
        RUN_TESTp(one_bad_coordinate, i & 1 ? SHOAL_CPU_REF : SHOAL_CPU_AVX2,
                  i & 2 ? SHOAL_STRATEGY_HYBRID : SHOAL_STRATEGY_BOTTOM_UP);
    for (int i = 0; i < 8; i++)
        RUN_TESTp(one_bad_coordinate_of_many, 3, i & 1 ? SHOAL_CPU_REF : SHOAL_CPU_AVX2,
                  i & 2 ? SHOAL_STRATEGY_HYBRID : SHOAL_STRATEGY_BOTTOM_UP, i & 4);
    RUN_TESTp(one_bad_coordinate_of_many, 3, SHOAL_CPU_AVX2, SHOAL_STRATEGY_AUTO, false);
    for (int i = 0; i < 4; i++)
        RUN_TESTp(one_bad_coordinate_of_many, 5, SHOAL_CPU_BEST,
                  i & 1 ? SHOAL_STRATEGY_HYBRID : SHOAL_STRATEGY_BOTTOM_UP, i & 2);
    for (uint32_t kind = 0; kind < world_kinds(); kind += 2)
        RUN_TESTp(two_scenes_share_models, kind);
    RUN_TEST(all_find_what_brute_force_finds);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(bodies);
    GREATEST_MAIN_END();
}
