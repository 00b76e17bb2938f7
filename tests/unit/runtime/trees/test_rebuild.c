// SPDX-License-Identifier: MIT
// Trees built anew in the middle of a run: nobody outside may notice. Also what decides about
// it: the quality of trees and the costs of boxes.
#include "run.h"

#include "greatest.h"
#include "inside.h"
#include "runtime/trees/build.h"
#include "runtime/trees/cost.h"
#include "runtime/trees/sample.h"
#include "tree_valid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORCED = 5 }; // value of STRATEGY in run.c: auto, rebuilding in every step

static uint32_t kind_named(const char *name)
{
    for (uint32_t kind = 0; kind < world_kinds(); kind++) {
        if (strcmp(world_name(kind), name) == 0)
            return kind;
    }
    abort();
}

// Every way to hand over positions, and every query, with new trees in every step.
TEST every_source_goes_on(const char *name)
{
    world *w = world_make(kind_named(name));
    world_find_truth(w);
    uint32_t runs = 0;
    way how = {{[STRATEGY] = FORCED, [CPU] = 1}};
    for (how.value[SCALAR] = 0; how.value[SCALAR] < 3; how.value[SCALAR]++) {
        for (how.value[ORDER] = 0; how.value[ORDER] < 2; how.value[ORDER]++) {
            for (how.value[HOLD] = 0; how.value[HOLD] < 2; how.value[HOLD]++) {
                for (how.value[LAYOUT] = 0; how.value[LAYOUT] < 3; how.value[LAYOUT]++) {
                    uint64_t hashes[WORLD_STEPS];
                    how.value[EXECUTOR] = (uint8_t)(runs % factor_values[EXECUTOR]);
                    how.value[QUERIES] = (uint8_t)(runs++ % QUERY_SETS);
                    if (!way_run(w, &how, hashes))
                        FAILm(way_fault());
                }
            }
        }
    }
    ASSERT_EQ(36u, runs);
    world_free(w);
    PASS();
}

// --- Several bodies of one model. ---

enum { BODIES = 4, PATCHES = 60, VERTICES = 3 * PATCHES };

static _Atomic long bytes_held, countdown = -1;
static uint32_t warnings;

static void *test_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    if (atomic_load(&countdown) >= 0 && atomic_fetch_sub(&countdown, 1) == 0)
        return NULL;
    atomic_fetch_add(&bytes_held, (long)size);
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void test_release(void *user, void *memory, size_t size)
{
    (void)user;
    atomic_fetch_sub(&bytes_held, (long)size);
    free(memory);
}

static void log_line(void *user, shoal_status status, const char *text)
{
    (void)user;
    warnings += status == SHOAL_OK && strstr(text, "old tree") != NULL;
}

typedef struct crowd {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *model;
    shoal_body body[BODIES];
    world_mesh mesh;
    double xyz[BODIES][3 * VERTICES];
} crowd;

// The model's tree does not fit its bodies, unless `fit`.
static bool crowd_open(crowd *c, shoal_strategy strategy, double ratio, bool fit)
{
    memset(c, 0, sizeof *c);
    shoal_context_def cd = shoal_context_def_default();
    cd.allocator = (shoal_allocator){test_alloc, test_release, NULL};
    cd.log = log_line;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.strategy = strategy;
    sd.rebuild_ratio = ratio;
    sd.threads = 2;
    c->mesh = mesh_soup(PATCHES, 0.3, 5);
    if (shoal_context_create(&cd, &c->ctx) || shoal_scene_create(c->ctx, &sd, &c->scene))
        return false;
    c->model = fit ? model_of(c->ctx, &c->mesh) : model_of_stranger(c->ctx, &c->mesh);
    for (int b = 0; b < BODIES; b++) {
        shoal_positions p = shoal_positions_f64(c->xyz[b], VERTICES);
        p.hold = b % 2 ? SHOAL_COPY : SHOAL_BORROW;
        p.order = b / 2 ? SHOAL_ORDER_TREE : SHOAL_ORDER_USER;
        if (shoal_scene_add_free(c->scene, c->model, &c->body[b]))
            return false;
        const uint32_t *order = b / 2 ? shoal_model_vertex_order(c->model) : NULL;
        for (size_t i = 0; i < 3 * VERTICES; i++)
            c->xyz[b][i] =
                c->mesh.rest[order ? 3 * (size_t)order[i / 3] + i % 3 : i] + 0.05 * b;
        if (shoal_scene_set_positions(c->scene, c->body[b], &p))
            return false;
    }
    return true;
}

static void crowd_close(crowd *c)
{
    shoal_scene_destroy(c->scene);
    shoal_model_destroy(c->model);
    shoal_context_destroy(c->ctx);
    mesh_free(&c->mesh);
}

static uint64_t crowd_step(crowd *c)
{
    const uint32_t all = SHOAL_QUERY_PAIRS | SHOAL_QUERY_SELF;
    return shoal_scene_step(c->scene, all) ? 0 : shoal_scene_hash(c->scene);
}

static shoal_body_info info_of(crowd *c, int b)
{
    shoal_body_info info;
    if (shoal_scene_body_info(c->scene, c->body[b], &info) != SHOAL_OK)
        abort();
    return info;
}

// The decision without the clock: this body has lost more than enough.
static void let_decay(crowd *c, int b)
{
    inside_free(c->scene, (uint32_t)b)->quality = 9;
    inside_free(c->scene, (uint32_t)b)->lost_ns = 1e18;
}

TEST only_one_is_rebuilt(void)
{
    const long before = atomic_load(&bytes_held);
    crowd c;
    ASSERT(crowd_open(&c, SHOAL_STRATEGY_AUTO, 1.3, false));
    const uint64_t hash = crowd_step(&c);
    ASSERT(hash && shoal_scene_pairs(c.scene).count > 20);
    for (int b = 0; b < BODIES; b++) {
        let_decay(&c, b);
        const uint64_t *tri = (const uint64_t *)&c.model->tree;
        ASSERT_EQ(hash, crowd_step(&c));
        ASSERT_EQ(1u, shoal_scene_stats(c.scene).rebuilds);
        for (int i = 0; i < BODIES; i++) {
            ASSERT_EQ(i <= b ? 1u : 0u, info_of(&c, i).rebuilds);
            ASSERT_EQ(i <= b, info_of(&c, i).bytes > 0);
            ASSERT_EQ(i <= b, inside_free(c.scene, (uint32_t)i)->tree != &c.model->tree);
        }
        ASSERT_EQ(tri, (const uint64_t *)&c.model->tree);
        ASSERT_EQ(hash, crowd_step(&c)); // now with the new tree
        ASSERT_EQ(0u, shoal_scene_stats(c.scene).rebuilds);
        ASSERT(tree_valid(inside_free(c.scene, (uint32_t)b)->tree, &c.scene->allocator));
        ASSERT_EQ(hash, crowd_step(&c));
        ASSERT_EQ(0u, shoal_scene_stats(c.scene).allocations);
        const shl_free_body *body = inside_free(c.scene, (uint32_t)b);
        for (uint32_t row = 0; row < VERTICES; row++)
            ASSERT_EQ(c.model->tree.order[body->own_tree->from_model[row]],
                      body->tree->order[row]);
    }
    const long with_all = atomic_load(&bytes_held);
    const uint64_t own = info_of(&c, 2).bytes;
    ASSERT_EQ(SHOAL_OK, shoal_scene_remove(c.scene, c.body[2]));
    ASSERT(atomic_load(&bytes_held) <= with_all - (long)own);
    shoal_body_info info;
    ASSERT_EQ(SHOAL_ERR_STALE, shoal_scene_body_info(c.scene, c.body[2], &info));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_body_info(c.scene, c.body[1], NULL));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_body_info(c.scene, (shoal_body){0}, &info));
    ASSERT(crowd_step(&c));
    crowd_close(&c);
    ASSERT_EQ_FMT(before, atomic_load(&bytes_held), "%ld");
    PASS();
}

TEST never_without_auto(void)
{
    static const struct {
        shoal_strategy strategy;
        double ratio;
    } rows[] = {
        {SHOAL_STRATEGY_OPTIMAL, 1.3}, {SHOAL_STRATEGY_HYBRID, 0.5}, {SHOAL_STRATEGY_AUTO, 0}};
    for (int i = 0; i < 3; i++) {
        crowd c;
        ASSERT(crowd_open(&c, rows[i].strategy, rows[i].ratio, false));
        for (int step = 0; step < 4; step++) {
            let_decay(&c, 1);
            ASSERT(crowd_step(&c));
            ASSERT_EQ(0u, shoal_scene_stats(c.scene).rebuilds);
        }
        crowd_close(&c);
    }
    PASS();
}

// A body that moves to where it is not finite has no tree to build.
TEST bad_bodies_wait(void)
{
    crowd c;
    ASSERT(crowd_open(&c, SHOAL_STRATEGY_AUTO, 0.5, false));
    const uint64_t hash = crowd_step(&c);
    const double old = c.xyz[0][7];
    c.xyz[0][7] = NAN; // borrowed
    ASSERT(crowd_step(&c));
    ASSERT_EQ(1u, shoal_scene_bad_bodies(c.scene).count);
    ASSERT_EQ(1u, info_of(&c, 0).rebuilds);
    ASSERT_EQ(2u, info_of(&c, 1).rebuilds);
    c.xyz[0][7] = old;
    ASSERT_EQ(hash, crowd_step(&c));
    ASSERT_EQ(hash, crowd_step(&c));
    ASSERT_EQ(2u, info_of(&c, 0).rebuilds);
    crowd_close(&c);
    PASS();
}

// Any allocation may fail: the old tree stays and the step is right, or the step says so and
// is right when it is repeated.
TEST memory_may_fail(void)
{
    const long before = atomic_load(&bytes_held);
    uint32_t kept = 0, failed = 0;
    for (long n = 0, over = 0; !over; n++) {
        crowd c;
        ASSERT(crowd_open(&c, SHOAL_STRATEGY_AUTO, 1.3, false));
        const uint64_t hash = crowd_step(&c);
        warnings = 0;
        atomic_store(&countdown, n);
        uint64_t rebuilt = 0;
        for (int step = 0; step < 3; step++) {
            for (int b = 2 * step; b < 2 * step + 2 && b < BODIES; b++)
                let_decay(&c, b);
            uint64_t now = crowd_step(&c);
            failed += now == 0;
            if (now == 0)
                now = crowd_step(&c);
            ASSERT_EQ(hash, now);
            rebuilt += shoal_scene_stats(c.scene).rebuilds;
        }
        over = atomic_load(&countdown) >= 0; // it never came so far
        atomic_store(&countdown, -1);
        kept += warnings;
        ASSERT(!over || (warnings == 0 && rebuilt == 4));
        ASSERT_EQ(hash, crowd_step(&c));
        crowd_close(&c);
        ASSERT_EQ_FMT(before, atomic_load(&bytes_held), "%ld");
    }
    ASSERT(kept > 20 && failed > 0);
    PASS();
}

// --- Quality. ---

// Neighbours change places with far ones, and the search suffers until the tree is new.
TEST decay_is_seen_and_repaired(void)
{
    crowd c;
    ASSERT(crowd_open(&c, SHOAL_STRATEGY_AUTO, 1.3, true));
    ASSERT(crowd_step(&c));
    ASSERT_IN_RANGE(1.0, info_of(&c, 0).quality, 1e-3);
    ASSERT_IN_RANGE(1.0, shoal_scene_stats(c.scene).quality_mean, 1e-3);
    for (size_t i = 0; i < PATCHES / 2; i += 2) { // body 0 is borrowed, in the user's order
        double swap[9], *p = c.xyz[0] + 9 * i, *q = c.xyz[0] + 9 * (PATCHES - 1 - i);
        memcpy(swap, p, sizeof swap);
        memcpy(p, q, sizeof swap);
        memcpy(q, swap, sizeof swap);
    }
    double worst = 0;
    uint32_t steps = 0;
    const uint64_t hash = crowd_step(&c);
    for (; steps < 100000 && info_of(&c, 0).rebuilds == 0; steps++) {
        ASSERT_EQ(hash, crowd_step(&c));
        const double now = shoal_scene_stats(c.scene).quality_worst;
        worst = now > worst ? now : worst;
    }
    ASSERT(worst > 1.3);
    ASSERT_EQ(1u, info_of(&c, 0).rebuilds);
    ASSERT_EQ(0u, info_of(&c, 1).rebuilds);
    ASSERT_EQ(hash, crowd_step(&c));
    ASSERT_IN_RANGE(1.0, info_of(&c, 0).quality, 1e-3);
    crowd_close(&c);
    PASS();
}

// The sample follows the whole: where one says that a tree has decayed, so does the other.
TEST sample_follows_cost(void)
{
    shl_kernels kernels;
    shl_kernels_init(&kernels, SHOAL_CPU_BEST);
    const shoal_allocator memory = shl_allocator_libc();
    world_mesh m = mesh_soup(4000, 0.02, 3);
    const shl_build_input input = {.triangles = m.tri,
                                   .xyz = m.rest,
                                   .triangle_count = m.triangle_count,
                                   .vertex_count = m.vertex_count};
    shl_tree t;
    ASSERT_EQ(SHOAL_OK, shl_tree_build(&input, &memory, &t));
    double *xyz = malloc(3 * sizeof *xyz * m.vertex_count), first[2] = {0};
    uint64_t seed = 4;
    for (int stir = 0; stir < 8; stir++) {
        for (size_t i = 0; i < 3 * (size_t)m.vertex_count; i++)
            xyz[i] = m.rest[3 * (size_t)t.order[i / 3] + i % 3];
        shl_box all;
        ASSERT(kernels.vertex_box[SHOAL_F64](xyz, 0, t.used_vertices, NULL, 0, &all));
        const double cost = shl_tree_cost(&kernels, &t, xyz, SHOAL_F64);
        const double sample = shl_tree_sample(&kernels, &t, xyz, SHOAL_F64, &all);
        ASSERT(cost > 0 && sample > 0);
        if (stir == 0) {
            first[0] = cost;
            first[1] = sample;
        }
        const double decay = cost / first[0];
        ASSERT_IN_RANGE(decay, sample / first[1], 0.3 * decay);
        ASSERT(stir == 0 || decay > 1.3);
        for (int i = 0; i < 100 << stir; i++) { // patches change places
            double *p = m.rest + 9 * (world_random(&seed) % m.triangle_count), swap[9];
            double *q = m.rest + 9 * (world_random(&seed) % m.triangle_count);
            memcpy(swap, p, sizeof swap);
            memmove(p, q, sizeof swap);
            memcpy(q, swap, sizeof swap);
        }
    }
    // nothing to compare with
    for (size_t i = 0; i < 3 * (size_t)m.vertex_count; i++)
        xyz[i] = 1;
    const shl_box point = {{1, 1, 1}, {1, 1, 1}};
    ASSERT_EQ(0.0, shl_tree_sample(&kernels, &t, xyz, SHOAL_F64, &point));
    free(xyz);
    shl_tree_finish(&t, &memory);
    mesh_free(&m);
    PASS();
}

TEST costs_are_measured_or_fixed(shoal_cpu cpu)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = cpu;
    shoal_context *measured, *fixed;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &measured));
    cd.fixed_costs = true;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &fixed));
    const shl_costs *m = shl_costs_of(measured), *f = shl_costs_of(fixed);
    ASSERT_EQ(m, shl_costs_of(measured)); // once
    ASSERT_EQ(m, measured->costs);
    ASSERT(f != fixed->costs);
    for (int scalar = 0; scalar < 2; scalar++) {
        const float of[2][5] = {{m[scalar].range, m[scalar].listed, m[scalar].child,
                                 m[scalar].merge, m[scalar].open},
                                {f[scalar].range, f[scalar].listed, f[scalar].child,
                                 f[scalar].merge, f[scalar].open}};
        for (int i = 0; i < 5; i++)
            ASSERT(of[0][i] > 0 && of[0][i] < 1e4f && of[1][i] > 0);
    }
    shoal_context_destroy(measured);
    shoal_context_destroy(fixed);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TESTp(every_source_goes_on, "spheres");
    RUN_TESTp(every_source_goes_on, "soups");
    RUN_TESTp(every_source_goes_on, "between_floats");
    RUN_TEST(only_one_is_rebuilt);
    RUN_TEST(never_without_auto);
    RUN_TEST(bad_bodies_wait);
    RUN_TEST(memory_may_fail);
    RUN_TEST(decay_is_seen_and_repaired);
    RUN_TEST(sample_follows_cost);
    RUN_TESTp(costs_are_measured_or_fixed, SHOAL_CPU_AVX2);
    RUN_TESTp(costs_are_measured_or_fixed, SHOAL_CPU_REF);
    GREATEST_MAIN_END();
}
