// SPDX-License-Identifier: MIT
// V8: small scenes of all that could break a grid, every engine against brute force by the
// kernels' scalar distance. tests/zero/test_nearest.c does the same with more kinds of input,
// and holds the distances themselves against integers.
#include "bench/harness/bench.h"

#include "kernels/tri/tri_distance.h"

#include <math.h>
#include <shoal/shoal.h>
#include <shoal/study.h>
#include <stdlib.h>

enum { SCENES = 10000, BODIES = 4, TRIANGLES = 4, ENGINES = 3 };

typedef struct small {
    uint32_t body_count, counts[BODIES];
    double xyz[BODIES][9 * TRIANGLES];
    uint32_t resolution;
} small;

static uint64_t random_of(uint64_t *r)
{
    *r ^= *r << 13;
    *r ^= *r >> 7;
    return *r ^= *r << 17;
}

static double unit(uint64_t *r)
{
    return (double)(random_of(r) >> 11) * 0x1p-52 - 1;
}

// Contact on a lattice, slivers, several bodies in a cell, specks, distances of whole cells.
static void make(uint64_t seed, small *s)
{
    uint64_t r = 0x9e3779b97f4a7c15u * (seed + 1) | 1;
    random_of(&r);
    const uint32_t family = (uint32_t)(seed % 5);
    s->body_count = 2 + (uint32_t)(random_of(&r) % (BODIES - 1));
    s->resolution = random_of(&r) % 4 ? 1u << random_of(&r) % 5 : 0;
    for (uint32_t b = 0; b < s->body_count; b++) {
        s->counts[b] = 1 + (uint32_t)(random_of(&r) % TRIANGLES);
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = family == 0 || family == 4 ? floor(4 * unit(&r))
                                               : (family == 2 ? 1 : 4) * unit(&r);
        const double size = family == 3 && random_of(&r) % 2 ? 1e-3 : 1;
        for (uint32_t i = 0; i < 9 * s->counts[b]; i++) {
            const double x = unit(&r);
            s->xyz[b][i] = at[i % 3] + (family == 0   ? floor(2 * x)
                                        : family == 1 ? (i % 3 ? 1e-6 : 1) * x
                                        : family == 4 ? floor(2 * x) / 8
                                                      : size * x);
        }
    }
}

static double truth(const small *s, uint32_t a, uint32_t i, uint32_t b, uint32_t k)
{
    shl_closest c;
    shl_tri_closest(s->xyz[a] + 9 * (size_t)i, s->xyz[b] + 9 * (size_t)k, &c);
    return c.distance;
}

// The nearest triangle of another body: least by distance, body, triangle.
static bool right(const small *s, const shoal_scene *scene)
{
    const shoal_nearest_rows nearest = shoal_scene_nearest(scene);
    const shoal_nearest_rows tris = shoal_scene_nearest_triangles(scene);
    size_t row = 0;
    for (uint32_t a = 0; a < s->body_count; a++) {
        double body_least = INFINITY;
        uint32_t body_best = SHOAL_NONE;
        for (uint32_t i = 0; i < s->counts[a]; i++, row++) {
            double least = INFINITY;
            uint32_t other = SHOAL_NONE, triangle = SHOAL_NONE;
            for (uint32_t b = 0; b < s->body_count; b++) {
                for (uint32_t k = 0; k < s->counts[b] && b != a; k++) {
                    const double d = a < b ? truth(s, a, i, b, k) : truth(s, b, k, a, i);
                    if (d < least || other == SHOAL_NONE) {
                        least = d;
                        other = b;
                        triangle = k;
                    }
                }
            }
            const shoal_nearest *found = &tris.rows[row];
            if (row >= tris.count || found->distance != least || found->body_b != other ||
                found->triangle_b != triangle)
                return false;
            if (least < body_least || (least == body_least && other < body_best)) {
                body_least = least;
                body_best = other;
            }
        }
        if (nearest.count != s->body_count || nearest.rows[a].distance != body_least ||
            nearest.rows[a].body_b != body_best)
            return false;
    }
    return true;
}

static shoal_status ask(shoal_context *ctx, const small *s, shoal_distance_engine engine,
                        bool *good, uint64_t *grids)
{
    static const uint32_t faces[3 * TRIANGLES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    shoal_scene_def def = shoal_scene_def_default();
    def.executor = SHOAL_EXECUTOR_SERIAL;
    def.distance_engine = engine;
    def.grid_resolution = s->resolution;
    shoal_scene *scene;
    shoal_status st = shoal_scene_create(ctx, &def, &scene);
    for (uint32_t b = 0; b < s->body_count && st == SHOAL_OK; b++) {
        shoal_model_def md = shoal_model_def_default();
        md.triangles = faces;
        md.triangle_count = s->counts[b];
        md.rest = shoal_positions_f64(s->xyz[b], 3 * s->counts[b]);
        shoal_model *model;
        shoal_body body;
        st = shoal_model_create(ctx, &md, &model);
        if (st != SHOAL_OK)
            break;
        st = shoal_scene_add_free(scene, model, &body);
        if (st == SHOAL_OK)
            st = shoal_scene_set_positions(scene, body, &md.rest);
        shoal_model_destroy(model);
    }
    for (int step = 0; step < 2 && st == SHOAL_OK; step++) { // the second one has a memory
        st = shoal_scene_step(scene, SHOAL_QUERY_NEAREST | SHOAL_QUERY_NEAREST_TRIANGLES);
        *good = *good && st == SHOAL_OK && right(s, scene);
        *grids += shoal_scene_stats(scene).grid_cells > 0;
    }
    shoal_scene_destroy(scene);
    return st;
}

shoal_status bench_v8(const bench_options *options, bench_report *report)
{
    (void)options;
    static const shoal_distance_engine engines[ENGINES] = {
        SHOAL_DISTANCE_TREES, SHOAL_DISTANCE_GRID, SHOAL_DISTANCE_PLAIN};
    static const char *const names[ENGINES] = {"trees", "grid", "plain"};
    shoal_context_def cd = shoal_context_def_default();
    cd.fixed_costs = true;
    shoal_context *ctx;
    shoal_status st = shoal_context_create(&cd, &ctx);
    if (st != SHOAL_OK)
        return st;
    for (int e = 0; e < ENGINES && st == SHOAL_OK; e++) {
        uint64_t wrong = 0, grids = 0;
        for (uint64_t seed = 0; seed < SCENES && st == SHOAL_OK; seed++) {
            small s;
            bool good = true;
            make(seed, &s);
            st = ask(ctx, &s, engines[e], &good, &grids);
            wrong += !good;
        }
        bench_row(report, json_pack("{s:s, s:i, s:I, s:I}", "engine", names[e], "scenes",
                                    SCENES, "steps_with_a_grid", (json_int_t)grids, "wrong",
                                    (json_int_t)wrong));
        bench_gate_named(report, (double)wrong, 0, 0, BENCH_LOWER, "wrong scenes, %s",
                         names[e]);
    }
    shoal_context_destroy(ctx);
    return st;
}
