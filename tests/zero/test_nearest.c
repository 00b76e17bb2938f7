// SPDX-License-Identifier: MIT
// What is nearest, against brute force: thousands of small scenes made of contact, ties,
// slivers and far specks, over a few steps each, so that what one step remembers meets bodies
// that have jumped, gone, come or broken numbers.
#include "run.h"

#include "greatest.h"
#include "nearest_truth.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 4, TRIANGLES = 12, VERTICES = 3 * TRIANGLES, STEPS = 3 };

static const uint32_t all_queries = SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN |
                                    SHOAL_QUERY_NEAREST_TRIANGLES | SHOAL_QUERY_NEAREST_SELF;

// --- Small scenes. ---

typedef struct toy {
    uint32_t tri[3 * TRIANGLES], triangle_count, vertex_count;
    double xyz[3 * VERTICES], at[3];
    shoal_model *model;
    shoal_body body;
} toy;

static uint32_t below(uint64_t *r, uint32_t n)
{
    return (uint32_t)(world_random(r) % n);
}

enum {
    LATTICE, // ties and exact contact
    SLIVERS,
    CROWDS, // several bodies in a cell
    SPECKS, // bodies far smaller than a cell beside large ones
    EDGES,  // distances of whole and half cells, or a hair beside them: where bands end
    FAMILIES
};

static void make_toy(uint64_t *r, uint32_t family, toy *t)
{
    t->triangle_count = 1 + below(r, below(r, 8) ? 3 : TRIANGLES); // sometimes two leaves
    t->vertex_count = 3 + below(r, 3 * t->triangle_count - 2);
    for (uint32_t i = 0; i < 3 * t->triangle_count; i++)
        t->tri[i] = below(r, 3) ? i % t->vertex_count : below(r, t->vertex_count);
    const double size = family == SPECKS && below(r, 2) ? 1e-3 : 1;
    const double hair = below(r, 3) ? 0 : below(r, 2) ? 1e-7 : -1e-7;
    for (uint32_t i = 0; i < 3 * t->vertex_count; i++) {
        const double x = world_unit(r);
        t->xyz[i] = family == LATTICE   ? floor(2 * x)
                    : family == SLIVERS ? (i % 3 ? 1e-6 : 1) * x
                    : family == EDGES   ? floor(2 * x) / 8
                                        : size * x;
    }
    for (int k = 0; k < 3; k++)
        t->at[k] = family == LATTICE ? (double)below(r, 4)
                   : family == EDGES ? below(r, 32) / 4.0 + hair
                                     : (family == CROWDS ? 1 : 4) * world_unit(r);
}

static bool place(shoal_scene *scene, const toy *t, bool floats, bool bad, double *out)
{
    float narrow[3 * VERTICES];
    for (uint32_t i = 0; i < 3 * t->vertex_count; i++) {
        out[i] = t->xyz[i] + t->at[i % 3];
        out[i] = bad && i == 0 ? NAN : floats ? world_float(out[i]) : out[i];
        narrow[i] = (float)out[i];
    }
    const shoal_positions p = floats ? shoal_positions_f32(narrow, t->vertex_count)
                                     : shoal_positions_f64(out, t->vertex_count);
    return shoal_scene_set_positions(scene, t->body, &p) == SHOAL_OK;
}

static bool enter(shoal_context *ctx, shoal_scene *scene, uint64_t *r, uint32_t family, toy *t)
{
    make_toy(r, family, t);
    shoal_model_def md = shoal_model_def_default();
    md.triangles = t->tri;
    md.triangle_count = t->triangle_count;
    md.rest = shoal_positions_f64(t->xyz, t->vertex_count);
    return shoal_model_create(ctx, &md, &t->model) == SHOAL_OK &&
           shoal_scene_add_free(scene, t->model, &t->body) == SHOAL_OK;
}

static void leave(toy *t)
{
    shoal_model_destroy(t->model);
    *t = (toy){0};
}

static uint64_t grid_steps, gpu_steps;

// One scene from its seed; NULL if all was right.
static const char *scene_fault(shoal_context *ctx, uint64_t seed, shoal_distance_engine engine,
                               bool filtered)
{
    uint64_t r = 0x9e3779b97f4a7c15u * (seed + 1) | 1;
    const uint32_t family = below(&r, FAMILIES), count = 1 + below(&r, BODIES);
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = SHOAL_EXECUTOR_SERIAL;
    sd.strategy = (shoal_strategy)below(&r, 5);
    sd.distance_engine = engine;
    // from one cell to many; where distances are multiples of a cell, so that it divides
    sd.grid_resolution = below(&r, 3) == 0 ? 0
                         : family == EDGES ? 1u << below(&r, 7)
                                           : 1 + below(&r, 20);
    sd.within = below(&r, 4) ? fabs(3 * world_unit(&r)) : below(&r, 2) ? 0 : INFINITY;
    shoal_scene *scene;
    if (shoal_scene_create(ctx, &sd, &scene))
        return "no scene";
    toy toys[BODIES] = {0};
    double xyz[BODIES][3 * VERTICES];
    static rules rule; // by number
    rules_reset(&rule);
    const char *fault = NULL;
    const bool floats = below(&r, 2);
    for (uint32_t step = 0; step < STEPS && !fault; step++) {
        shape shapes[BODIES] = {0};
        for (uint32_t i = 0; i < count && !fault; i++) {
            toy *t = &toys[i];
            if (t->model && below(&r, 8) == 0) { // broken: another shape takes its place
                rules_forget(&rule, t->body.index1 - 1);
                if (shoal_scene_remove(scene, t->body))
                    fault = "not removed";
                leave(t);
            }
            if (!fault && !t->model && !enter(ctx, scene, &r, family, t))
                fault = "not made";
            if (i > 0 && below(&r, 10) == 0) // coincident with the first
                memcpy(t->at, toys[0].at, sizeof t->at);
            for (int k = 0; k < 3; k++)
                t->at[k] += family == LATTICE ? (double)(below(&r, 3) == 0)
                            : family == EDGES ? (double)(below(&r, 3) == 0) / 4
                                              : 0.1 * world_unit(&r);
            const bool bad = below(&r, 20) == 0;
            if (!fault && !place(scene, t, floats, bad, xyz[i]))
                fault = "not placed";
            shapes[i] = (shape){!bad, t->body.index1 - 1, t->triangle_count, t->tri, xyz[i]};
        }
        shape by_number[BODIES] = {0};
        shoal_body ids[BODIES] = {{0, 0}};
        for (uint32_t i = 0; i < count; i++) {
            by_number[shapes[i].number] = shapes[i];
            ids[shapes[i].number] = toys[i].body;
        }
        if (filtered)
            rules_draw(&rule, count, &r);
        if (!fault && filtered && !rules_set(&rule, scene, ids, count))
            fault = "no rules";
        if (!fault && shoal_scene_step(scene, all_queries))
            fault = "no step";
        if (!fault)
            fault = nearest_fault(by_number, count, sd.within, scene, &rule, seed % 64 == 0);
        const shoal_stats stats = shoal_scene_stats(scene);
        grid_steps += stats.grid_cells > 0;
        gpu_steps += stats.gpu_jobs;
    }
    shoal_scene_destroy(scene);
    for (uint32_t i = 0; i < BODIES; i++)
        leave(&toys[i]);
    return fault;
}

static bool forced(void)
{
    const char *text = getenv("SHOAL_GPU");
    return text && strcmp(text, "force") == 0;
}

TEST small_scenes(shoal_cpu cpu, shoal_distance_engine engine, bool filtered)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = cpu;
    cd.fixed_costs = true;
    shoal_context *ctx;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
    const char *count = getenv("SHOAL_SCENES");
    const uint64_t scenes = count                  ? strtoull(count, NULL, 10)
                            : getenv("SHOAL_LONG") ? 500000
                                                   : 5000;
    grid_steps = gpu_steps = 0;
    for (uint64_t seed = 0; seed < scenes; seed++) {
        const char *fault =
            scene_fault(ctx, cpu == SHOAL_CPU_REF ? seed : seed + 1000000, engine, filtered);
        if (fault) {
            printf("scene %llu: ", (unsigned long long)seed);
            FAILm(fault);
        }
    }
    const shoal_gpu_info gpu = forced() ? shoal_context_gpu(ctx) : (shoal_gpu_info){0};
    shoal_context_destroy(ctx);
    if (forced())
        printf("%d scenes, %d steps by the GPU %s%s\n", (int)scenes, (int)gpu_steps, gpu.device,
               gpu.ready ? "" : gpu.reason);
    ASSERT((engine == SHOAL_DISTANCE_GRID) == (grid_steps > scenes));
    ASSERT_EQ(gpu.ready, gpu_steps > scenes);
    PASS();
}

// --- Worlds with large bodies, reduced ones, and every executor. ---

static bool play(const world *w, shoal_cpu cpu, const shoal_scene_def *sd, bool reduced,
                 uint64_t hash[WORLD_STEPS], const char **fault)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = cpu;
    cd.fixed_costs = true;
    shoal_context *ctx;
    shoal_scene *scene;
    if (shoal_context_create(&cd, &ctx) || shoal_scene_create(ctx, sd, &scene))
        return false;
    shoal_body bodies[WORLD_BODIES];
    for (uint32_t b = 0; b < w->body_count; b++) {
        shoal_model *model = reduced ? kind_model_of(ctx, w, b) : model_of(ctx, &w->mesh[b]);
        if (reduced ? kind_add(scene, model, w, b, &bodies[b])
                    : shoal_scene_add_free(scene, model, &bodies[b]))
            return false;
        shoal_model_destroy(model);
    }
    bool good = true;
    for (uint32_t step = 0; step < w->step_count && good; step++) {
        shape shapes[WORLD_BODIES];
        for (uint32_t b = 0; b < w->body_count && good; b++) {
            const double *xyz = w->xyz[step][b];
            const shoal_positions p = shoal_positions_f64(xyz, w->mesh[b].vertex_count);
            good = (reduced ? kind_set(scene, bodies[b], w, b, step)
                            : shoal_scene_set_positions(scene, bodies[b], &p)) == SHOAL_OK;
            shapes[b] = (shape){true, b, w->mesh[b].triangle_count, w->mesh[b].tri, xyz};
        }
        good = good && shoal_scene_step(scene, all_queries) == SHOAL_OK;
        hash[step] = shoal_scene_hash(scene);
        if (fault && step + 1 == w->step_count)
            *fault = nearest_fault(shapes, w->body_count, sd->within, scene, NULL, false);
        good = good && (!fault || !*fault);
    }
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    return good;
}

static uint64_t triangles_of(const world *w)
{
    uint64_t sum = 0;
    for (uint32_t b = 0; b < w->body_count; b++)
        sum += w->mesh[b].triangle_count;
    return sum;
}

// Ways through the library that must not matter.
static const struct {
    shoal_executor executor;
    uint32_t threads;
    shoal_strategy strategy;
    shoal_cpu cpu;
    bool reduced;
    double rebuild_ratio; // below 1 trees change under what is remembered
    shoal_distance_engine engine;
    uint32_t resolution;
} ways[] = {
    {SHOAL_EXECUTOR_OMP, 2, SHOAL_STRATEGY_AUTO, SHOAL_CPU_BEST, true, 0.5, SHOAL_DISTANCE_AUTO,
     0},
    {SHOAL_EXECUTOR_LOOPS, 3, SHOAL_STRATEGY_HYBRID, SHOAL_CPU_BEST, true, 0,
     SHOAL_DISTANCE_TREES, 0},
    {SHOAL_EXECUTOR_OMP, 4, SHOAL_STRATEGY_BOTTOM_UP, SHOAL_CPU_REF, true, 0,
     SHOAL_DISTANCE_GRID, 0},
    {SHOAL_EXECUTOR_OMP, 2, SHOAL_STRATEGY_AUTO, SHOAL_CPU_BEST, true, 0.5, SHOAL_DISTANCE_GRID,
     40},
    {SHOAL_EXECUTOR_SERIAL, 1, SHOAL_STRATEGY_TOP_DOWN, SHOAL_CPU_BEST, false, 0,
     SHOAL_DISTANCE_GRID, 0},
    {SHOAL_EXECUTOR_SERIAL, 1, SHOAL_STRATEGY_TOP_DOWN, SHOAL_CPU_BEST, false, 0,
     SHOAL_DISTANCE_PLAIN, 0},
};
enum { BRUTE_MAX = 120, WORLD_MAX = 800 }; // triangles; more would take minutes

// Brute force at the end, and the same hash by every way.
TEST one_world(uint32_t kind)
{
    world *w = world_make(kind);
    const char *fault = NULL;
    uint64_t first[WORLD_STEPS] = {0};
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = SHOAL_EXECUTOR_SERIAL;
    sd.distance_engine = SHOAL_DISTANCE_TREES;
    sd.within = 0.25;
    const uint64_t triangles = triangles_of(w), more = getenv("SHOAL_LONG") ? 10 : 1;
    if (triangles > WORLD_MAX * more) {
        world_free(w);
        SKIP();
    }
    const bool good = play(w, SHOAL_CPU_BEST, &sd, false, first,
                           triangles <= BRUTE_MAX * more ? &fault : NULL);
    if (!good)
        printf("%s: ", w->name);
    ASSERTm(fault ? fault : "a call failed", good);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        sd.executor = ways[i].executor;
        sd.threads = ways[i].threads;
        sd.strategy = ways[i].strategy;
        sd.rebuild_ratio = ways[i].rebuild_ratio;
        sd.distance_engine = ways[i].engine;
        sd.grid_resolution = ways[i].resolution;
        uint64_t hash[WORLD_STEPS] = {0};
        ASSERT(play(w, ways[i].cpu, &sd, ways[i].reduced, hash, NULL));
        if (memcmp(first, hash, sizeof hash) != 0) {
            printf("%s, way %zu: ", w->name, i);
            FAILm("another hash");
        }
    }
    world_free(w);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (forced())
        RUN_TESTp(small_scenes, SHOAL_CPU_BEST, SHOAL_DISTANCE_GRID, false);
    for (shoal_distance_engine e = SHOAL_DISTANCE_TREES; e <= SHOAL_DISTANCE_PLAIN && !forced();
         e++) {
        RUN_TESTp(small_scenes, SHOAL_CPU_REF, e, false);
        RUN_TESTp(small_scenes, SHOAL_CPU_BEST, e, false);
        RUN_TESTp(small_scenes, SHOAL_CPU_BEST, e, true);
    }
    for (uint32_t kind = 0; kind < world_kinds(); kind++)
        RUN_TEST1(one_world, kind);
    GREATEST_MAIN_END();
}
