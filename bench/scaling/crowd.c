// SPDX-License-Identifier: MIT
// Very many small bodies: 100,000 that rest on each other, on one thread and on two, where all
// that is done body by body shows; and the nearest of each among up to 100,000 that move.
#include "bench/harness/bench.h"
#include "bench/harness/compute_loop.h"

#include <shoal/shoal.h>
#include <stdlib.h>

enum { RESTING = 100000, STEPS = 15, SIZES = 3, MOVES = 5 };
static const uint32_t sizes[SIZES] = {1000, 10000, 100000};

typedef struct crowd {
    shoal_scene *scene;
    shoal_body *body; // [count]
    double *at;       // [3][count]
    uint32_t count, side;
    uint64_t seed;
} crowd;

static double unit(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53;
}

// On a lattice, each up to `jitter` away from its place.
static shoal_status place(crowd *c, double spacing, double jitter)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t cell[3] = {i % c->side, i / c->side % c->side, i / c->side / c->side};
        for (uint32_t k = 0; k < 3; k++)
            c->at[(size_t)k * c->count + i] = spacing * cell[k] + jitter * unit(&c->seed);
    }
    const shoal_reduced_state state = {
        .bodies = c->body, .count = c->count, .stride = c->count, .translation = c->at};
    return shoal_scene_set_reduced(c->scene, &state);
}

static shoal_status open_crowd(crowd *c, shoal_context *ctx, shoal_model *model, uint32_t count,
                               uint32_t threads)
{
    shoal_scene_def def = shoal_scene_def_default();
    def.threads = threads;
    def.fixed_team = true;
    def.within = 0.5;
    def.distance_engine = SHOAL_DISTANCE_TREES;
    *c = (crowd){.count = count, .side = 1, .seed = 1};
    while (c->side * c->side * c->side < count)
        c->side++;
    c->body = malloc(count * sizeof *c->body);
    c->at = malloc(3 * (size_t)count * sizeof *c->at);
    shoal_status st =
        c->body && c->at ? shoal_scene_create(ctx, &def, &c->scene) : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < count && st == SHOAL_OK; i++)
        st = shoal_scene_add_reduced(c->scene, model, &c->body[i]);
    return st;
}

static void close_crowd(crowd *c)
{
    shoal_scene_destroy(c->scene);
    free(c->body);
    free(c->at);
}

// One thread and two take turns, each beside a loop of arithmetic.
static shoal_status rest(shoal_context *ctx, shoal_model *model, bench_report *report)
{
    crowd c[2] = {{0}};
    bench_compute_loop loop[2] = {0};
    double step_s[2][STEPS], loop_s[2][STEPS];
    uint64_t hash[2] = {0};
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < 2 && st == SHOAL_OK; i++) {
        st = open_crowd(&c[i], ctx, model, RESTING, i + 1);
        if (st == SHOAL_OK)
            st = place(&c[i], 0.85, 0.3);
        if (st == SHOAL_OK)
            st = bench_compute_loop_init(&loop[i], i + 1);
    }
    for (int step = -2; step < STEPS && st == SHOAL_OK; step++) { // the first ones make memory
        for (uint32_t i = 0; i < 2 && st == SHOAL_OK; i++) {
            double spent = 0;
            st = shoal_scene_step(c[i].scene, SHOAL_QUERY_PAIRS);
            if (st == SHOAL_OK)
                st = bench_compute_loop_run(&loop[i], &spent);
            const uint32_t at = step < 0 ? 0 : (uint32_t)step;
            step_s[i][at] = shoal_scene_stats(c[i].scene).wall_s;
            loop_s[i][at] = spent;
            hash[i] = shoal_scene_hash(c[i].scene);
        }
    }
    if (st == SHOAL_OK) {
        const shoal_stats stats = shoal_scene_stats(c[0].scene);
        const double one = bench_median(step_s[0], STEPS), two = bench_median(step_s[1], STEPS);
        const double compute = bench_median(loop_s[0], STEPS) / bench_median(loop_s[1], STEPS);
        bench_row(report, json_pack("{s:i, s:I, s:I, s:f, s:f, s:f}", "bodies", RESTING,
                                    "pairs", (json_int_t)stats.pairs, "body_pairs",
                                    (json_int_t)stats.body_pairs, "one_thread_ms", 1e3 * one,
                                    "two_threads_ms", 1e3 * two, "compute_speed_up", compute));
        bench_gate(report, "resting: same hash on two threads", hash[0] == hash[1], 1, 1,
                   BENCH_HIGHER);
        bench_gate(report, "resting: 2-thread speed-up / compute-loop speed-up",
                   one / two / compute, 0.9, 0.97, BENCH_HIGHER);
    }
    for (uint32_t i = 0; i < 2; i++) {
        close_crowd(&c[i]);
        bench_compute_loop_finish(&loop[i]);
    }
    return st;
}

// What a step takes a body.
static shoal_status move(shoal_context *ctx, shoal_model *model, uint32_t count,
                         bench_report *report, double *body_us)
{
    crowd c;
    double step_s[MOVES];
    shoal_status st = open_crowd(&c, ctx, model, count, 1);
    for (uint32_t i = 0; i < MOVES && st == SHOAL_OK; i++) {
        st = place(&c, 1.6, 0.3);
        if (st == SHOAL_OK)
            st = shoal_scene_step(c.scene, SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN);
        step_s[i] = shoal_scene_stats(c.scene).wall_s;
    }
    if (st == SHOAL_OK) {
        const shoal_nearest_rows found_nearest = shoal_scene_nearest(c.scene);
        const shoal_nearest_rows found_within = shoal_scene_within(c.scene);
        const double ms = 1e3 * bench_median(step_s, MOVES);
        *body_us = 1e3 * ms / count;
        bench_row(report, json_pack("{s:I, s:f, s:f, s:I, s:I}", "moving_bodies",
                                    (json_int_t)count, "ms_per_step", ms, "us_per_body",
                                    *body_us, "nearest", (json_int_t)found_nearest.count,
                                    "within", (json_int_t)found_within.count));
    }
    close_crowd(&c);
    return st;
}

shoal_status bench_crowd(const bench_options *options, bench_report *report)
{
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const float xyz[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    shoal_model_def md = shoal_model_def_default();
    md.triangles = faces;
    md.triangle_count = 4;
    md.rest = shoal_positions_f32(xyz, 4);
    md.reducible = true;
    shoal_context *const ctx = options->context;
    shoal_model *model = NULL;
    double body_us[SIZES] = {0};
    shoal_status st = shoal_model_create(ctx, &md, &model);
    if (st == SHOAL_OK)
        st = rest(ctx, model, report);
    for (int i = 0; i < SIZES && st == SHOAL_OK; i++)
        st = move(ctx, model, sizes[i], report, &body_us[i]);
    if (st == SHOAL_OK)
        bench_gate(report, "moving: a body among 100,000 / among 10,000",
                   body_us[2] / body_us[1], 2, 1.3, BENCH_LOWER);
    shoal_model_destroy(model);
    return st;
}
