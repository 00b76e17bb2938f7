// SPDX-License-Identifier: MIT
// L4: the paper's tree ablations (Larsson & Akenine-Moller 2001) at equal care: every builder
// and arity steps through the same scenes in turns, on one thread, with the same blocks of
// eight lanes and leaves of up to eight triangles. Narrow trees leave lanes empty.
#include "bench/harness/bench.h"
#include "bench/harness/runner.h"

#include "scenes/plays/deforming.h"
#include "scenes/scene.h"
#include "scenes/shapes/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS_MAX = 15, STEPS_MAX = 200, BUILDERS = 5, ARITIES = 3 };
enum { CONTENDERS = BUILDERS * ARITIES };

static const char *const builder_names[BUILDERS] = {"area", "centre", "mean", "connectivity",
                                                    "poses"};
static const uint32_t arities[ARITIES] = {2, 4, 8};

// A scene and how long it is watched: long enough for contact.
typedef struct trial {
    shl_scene_id scene;
    uint32_t steps;
} trial;

static const trial trials[] = {
    {SHL_SCENE_BUMPY_2, 200}, {SHL_SCENE_BUMPY_27, 100}, {SHL_SCENE_ARMS_27, 100}};

// One tree in one scene.
typedef struct contender {
    shoal_builder builder;
    uint32_t arity;
    bench_runner run;
    double step_s[STEPS_MAX][REPEATS_MAX];
    double build_s[REPEATS_MAX];
    double step_ms, build_ms; // medians; of steps the mean of each step's
    uint64_t node_pairs, opened_nodes, candidates;
    shoal_model_info model;
} contender;

static shoal_status time_build(contender *c, shl_scene_id scene, const shl_scene_params *params,
                               shoal_context *ctx, uint32_t repeat)
{
    shl_surface sphere;
    shoal_status st = shl_mesh_icosphere(params->k, &sphere);
    if (st != SHOAL_OK)
        return st;
    shoal_model *model = NULL;
    const double start = bench_now_s();
    st = shl_deforming_model(shl_scene_play(scene), params, &sphere, ctx, &model);
    c->build_s[repeat] = bench_now_s() - start;
    if (st == SHOAL_OK)
        c->model = shoal_model_get_info(model);
    shoal_model_destroy(model);
    shl_surface_finish(&sphere);
    return st;
}

static shoal_status open_contender(contender *c, shl_scene_id scene, shoal_context *ctx,
                                   uint32_t repeat)
{
    shl_scene_params params = shl_scene_defaults(scene);
    params.builder = c->builder;
    params.arity = c->arity;
    shoal_scene_def def = shoal_scene_def_default();
    def.executor = SHOAL_EXECUTOR_SERIAL;
    def.threads = 1;
    c->node_pairs = c->opened_nodes = c->candidates = 0;
    const shoal_status st = time_build(c, scene, &params, ctx, repeat);
    return st == SHOAL_OK ? bench_runner_open(&c->run, ctx, &def, scene, &params) : st;
}

static shoal_status take_step(contender *c, uint32_t step, uint32_t repeat)
{
    const shoal_status st = bench_runner_step(&c->run, step, SHOAL_QUERY_PAIRS);
    if (st != SHOAL_OK)
        return st;
    const shoal_stats stats = shoal_scene_stats(c->run.scene);
    c->step_s[step - 1][repeat] = stats.wall_s;
    c->node_pairs += stats.node_pairs;
    c->opened_nodes += stats.opened_nodes;
    c->candidates += stats.candidates;
    return SHOAL_OK;
}

static shoal_status run_once(contender *all, const trial *t, shoal_context *ctx,
                             uint32_t repeat)
{
    shoal_status st = SHOAL_OK;
    for (int i = 0; i < CONTENDERS && st == SHOAL_OK; i++)
        st = open_contender(&all[i], t->scene, ctx, repeat);
    for (uint32_t step = 1; step <= t->steps; step++) {
        for (int i = 0; i < CONTENDERS && st == SHOAL_OK; i++)
            st = take_step(&all[i], step, repeat);
    }
    for (int i = 0; i < CONTENDERS; i++)
        bench_runner_close(&all[i].run);
    return st;
}

static void sum_up(contender *c, const trial *t, uint32_t repeats)
{
    c->step_ms = 0;
    for (uint32_t step = 0; step < t->steps; step++)
        c->step_ms += 1e3 * bench_median(c->step_s[step], repeats) / t->steps;
    c->build_ms = 1e3 * bench_median(c->build_s, repeats);
}

static const contender *find(const contender *all, shoal_builder builder, uint32_t arity)
{
    for (int i = 0; i < CONTENDERS; i++) {
        if (all[i].builder == builder && all[i].arity == arity)
            return &all[i];
    }
    return NULL;
}

static void add_rows(bench_report *report, const contender *all, const trial *t)
{
    const char *scene = shl_scene_name(t->scene);
    for (int i = 0; i < CONTENDERS; i++) {
        const contender *c = &all[i];
        bench_row(report,
                  json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:i, s:f}",
                            "scene", scene, "builder", builder_names[c->builder], "arity",
                            (int)c->arity, "step_ms", c->step_ms, "node_pairs",
                            (double)c->node_pairs / t->steps, "opened",
                            (double)c->opened_nodes / t->steps, "candidates",
                            (double)c->candidates / t->steps, "build_ms", c->build_ms, "nodes",
                            (int)c->model.node_count, "leaves", (int)c->model.leaf_count,
                            "depth", (int)c->model.depth, "quality", c->model.quality));
    }
}

// What the paper compares, as times of the first by the second; below 1 the first is better.
static void add_comparisons(bench_report *report, const contender *all, const trial *t)
{
    static const struct {
        const char *name;
        shoal_builder a, b;
    } pairs[] = {
        {"centre by mean", SHOAL_BUILDER_INITIAL_SHAPE_CENTRE,
         SHOAL_BUILDER_INITIAL_SHAPE_MEAN},
        {"connectivity by shape", SHOAL_BUILDER_CONNECTIVITY,
         SHOAL_BUILDER_INITIAL_SHAPE_CENTRE},
        {"area by shape", SHOAL_BUILDER_SURFACE_AREA, SHOAL_BUILDER_INITIAL_SHAPE_CENTRE},
        {"poses by area", SHOAL_BUILDER_POSES, SHOAL_BUILDER_SURFACE_AREA},
        {"poses by shape, aim 1 / 1.3 on arms", SHOAL_BUILDER_POSES,
         SHOAL_BUILDER_INITIAL_SHAPE_CENTRE},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const contender *a = find(all, pairs[i].a, 8), *b = find(all, pairs[i].b, 8);
        bench_row(report, json_pack("{s:s, s:s, s:i, s:f, s:f}", "scene",
                                    shl_scene_name(t->scene), "compare", pairs[i].name, "arity",
                                    8, "time", a->step_ms / b->step_ms, "node_pairs",
                                    (double)a->node_pairs / (double)b->node_pairs));
    }
}

static void add_gates(bench_report *report, const contender *all, const trial *t)
{
    bool same = true;
    for (int i = 1; i < CONTENDERS; i++)
        same = same && all[i].run.hash == all[0].run.hash;
    bench_gate_named(report, same, 1, 1, BENCH_HIGHER, "%s: same hash for all trees",
                     shl_scene_name(t->scene));
    const double wide = find(all, SHOAL_BUILDER_SURFACE_AREA, 8)->step_ms;
    for (int i = 0; i < ARITIES - 1; i++) {
        const double narrow = find(all, SHOAL_BUILDER_SURFACE_AREA, arities[i])->step_ms;
        bench_gate_named(report, wide / narrow, 1.05, 0.8, BENCH_LOWER,
                         "%s: arity 8 by arity %u", shl_scene_name(t->scene), arities[i]);
    }
}

shoal_status bench_trees(const bench_options *options, bench_report *report)
{
    const uint32_t repeats = options->repeat < REPEATS_MAX ? options->repeat : REPEATS_MAX;
    contender *all = calloc(CONTENDERS, sizeof *all);
    if (!all)
        return SHOAL_ERR_MEMORY;
    for (int i = 0; i < CONTENDERS; i++) {
        all[i].builder = (shoal_builder)(i / ARITIES);
        all[i].arity = arities[i % ARITIES];
    }
    shoal_status st = SHOAL_OK;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const trial *t = &trials[i];
        if (options->scene && strcmp(options->scene, shl_scene_name(t->scene)) != 0)
            continue;
        for (uint32_t k = 0; k < repeats && st == SHOAL_OK; k++)
            st = run_once(all, t, options->context, k);
        if (st != SHOAL_OK)
            break;
        for (int k = 0; k < CONTENDERS; k++)
            sum_up(&all[k], t, repeats);
        add_rows(report, all, t);
        add_comparisons(report, all, t);
        add_gates(report, all, t);
    }
    free(all);
    return st;
}
