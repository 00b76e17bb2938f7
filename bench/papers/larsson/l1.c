// SPDX-License-Identifier: MIT
// L1: two bumpy spheres sink into each other (figure 3 of the paper). The paper's methods as
// their authors would have written them at 20,480 triangles a body, and the same strategies
// within shoal there and at 327,680.
#include "bench/papers/larsson/l1.h"

#include "bench/harness/chart.h"

#include <stdio.h>
#include <string.h>

enum { SMALL = 5, LARGE = 7, REPEATS_LEAST = 3 };

// Every second step of the large film: all would be 0.8 GB.
enum { LARGE_STRIDE = 2 };

static const double patience_s = 15; // of each of the four contests

// All pairs and first contact over one film.
typedef struct stage {
    bench_film film;
    bench_contest all, first;
} stage;

static void close_stage(stage *s)
{
    bench_contest_finish(&s->all);
    bench_contest_finish(&s->first);
    bench_film_finish(&s->film);
}

static shoal_status open_stage(stage *s, uint32_t k, uint32_t stride, bench_l_who from,
                               uint32_t repeat)
{
    *s = (stage){0};
    shl_scene_params params = shl_scene_defaults(SHL_SCENE_BUMPY_2);
    params.k = k;
    params.steps = L_STEPS;
    shoal_status st = bench_film_create(SHL_SCENE_BUMPY_2, &params, stride, &s->film);
    s->all = (bench_contest){.film = &s->film,
                             .contenders = bench_l_contenders + from,
                             .count = L_WHO_COUNT - from,
                             .repeat = repeat,
                             .least = REPEATS_LEAST,
                             .patience_s = patience_s};
    s->first = s->all;
    s->first.first = true;
    if (st == SHOAL_OK)
        st = bench_contest_run(&s->all);
    if (st == SHOAL_OK)
        st = bench_contest_run(&s->first);
    return st;
}

static void gate_literal(const bench_contest *c, bench_report *report)
{
    bench_gate(report, "literal hybrid / best literal, hard phase",
               bench_l_over_best(c, L_HYBRID, L_BOTTOM_UP, 3, bench_l_hard), 1.05, 1,
               BENCH_LOWER);
    bench_gate(report, "literal hybrid / best literal, whole run",
               bench_l_over_best(c, L_HYBRID, L_BOTTOM_UP, 3, bench_l_whole), 1.05, 1,
               BENCH_LOWER);
    bench_gate(report, "literal hybrid / literal bottom-up, before contact",
               bench_l_us(c, L_HYBRID, bench_l_before) /
                   bench_l_us(c, L_BOTTOM_UP, bench_l_before),
               0.6, 0.4, BENCH_LOWER);
    const double bergen = bench_l_us(c, L_BERGEN, bench_l_whole);
    bench_row(report,
              json_pack("{s:s, s:f, s:f}", "over", "literal van den Bergen", "literal_hybrid",
                        bergen / bench_l_us(c, L_HYBRID, bench_l_whole), "shoal_hybrid",
                        bergen / bench_l_us(c, L_SHOAL_HYBRID, bench_l_whole)));
    bench_gate(report, "shoal hybrid over literal van den Bergen, 1 thread",
               bergen / bench_l_us(c, L_SHOAL_HYBRID, bench_l_whole), 3.5, 40, BENCH_HIGHER);
}

// What the ratios of strategies with equal care must be at one size.
typedef struct care {
    double update, own; // hybrid over bottom-up ahead of contact; the own strategy over it
} care;

static void gate_care(const bench_contest *c, const care *need, bench_report *report)
{
    const uint32_t triangles = c->film->rest.triangle_count;
    bench_gate_named(report,
                     bench_l_update_us(c, L_SHOAL_BOTTOM_UP, bench_l_whole) /
                         bench_l_update_us(c, L_SHOAL_HYBRID, bench_l_whole),
                     need->update, 6, BENCH_HIGHER,
                     "hybrid over bottom-up, update, %u triangles", triangles);
    bench_gate_named(report,
                     bench_l_us(c, L_SHOAL_BOTTOM_UP, bench_l_before) /
                         bench_l_us(c, L_SHOAL_HYBRID, bench_l_before),
                     need->update, 6, BENCH_HIGHER,
                     "hybrid over bottom-up, before contact, %u triangles", triangles);
    bench_gate_named(report,
                     bench_l_us(c, L_SHOAL_BOTTOM_UP, bench_l_whole) /
                         bench_l_us(c, L_SHOAL_OWN, bench_l_whole),
                     need->own, 3, BENCH_HIGHER, "%s over bottom-up, whole run, %u triangles",
                     BENCH_L_OWN_NAME, triangles);
    bench_gate_named(report,
                     bench_l_over_best(c, L_SHOAL_OWN, L_SHOAL_HYBRID, 4, bench_l_whole), 1.1,
                     1, BENCH_LOWER, "%s / best strategy, whole run, %u triangles",
                     BENCH_L_OWN_NAME, triangles);
}

static void compare_strategies(const bench_contest *c, bench_report *report)
{
    const bench_phase phases[3] = {bench_l_before, bench_l_hard, bench_l_whole};
    double ratio[3];
    for (int i = 0; i < 3; i++)
        ratio[i] = bench_l_over_best(c, L_SHOAL_OWN, L_SHOAL_HYBRID, 4, phases[i]);
    bench_row(report, json_pack("{s:s, s:i, s:s, s:f, s:f, s:f}", "ratio",
                                BENCH_L_OWN_NAME " / best strategy", "triangles",
                                (int)c->film->rest.triangle_count, "query",
                                c->first ? "first pair" : "all pairs", "before", ratio[0],
                                "hard", ratio[1], "whole", ratio[2]));
}

// Rows of both contests; whether all found the same.
static bool show(const stage *s, bench_report *report)
{
    const bench_contest *const contests[2] = {&s->all, &s->first};
    for (int i = 0; i < 2; i++) {
        bench_l_rows(contests[i], report);
        compare_strategies(contests[i], report);
    }
    return bench_contest_same(&s->all) && bench_contest_same(&s->first);
}

static void draw(FILE *f, const void *what)
{
    static const struct {
        bench_l_who who;
        const char *colour;
    } shown[] = {{L_TOP_DOWN, "#ccbb44"},
                 {L_BOTTOM_UP, "#4477aa"},
                 {L_HYBRID, "#228833"},
                 {L_BERGEN, "#ee6677"},
                 {L_SHOAL_HYBRID, "#222222"}};
    enum { COUNT = sizeof shown / sizeof *shown };
    const bench_contest *c = what;
    double x[L_STEPS], y[COUNT][L_STEPS];
    bench_line lines[COUNT];
    for (uint32_t frame = 0; frame < c->frame_count; frame++)
        x[frame] = c->film->steps[frame];
    for (uint32_t i = 0; i < COUNT; i++) {
        const bench_contender *who = &bench_l_contenders[shown[i].who];
        for (uint32_t frame = 0; frame < c->frame_count; frame++)
            y[i][frame] = 1e3 * c->times[who - c->contenders].frames[frame].s[BENCH_WHOLE];
        lines[i] = (bench_line){.name = who->name,
                                .colour = shown[i].colour,
                                .count = c->frame_count,
                                .x = x,
                                .y = y[i]};
    }
    const bench_lines picture = {
        .title = "two bumpy spheres, 20,480 triangles each, all pairs, 1 thread",
        .x_name = "step",
        .y_name = "ms",
        .lines = lines,
        .count = COUNT,
        .x_end = L_STEPS};
    bench_lines_draw(f, &picture);
}

static shoal_status write_plot(const bench_options *options, const bench_contest *c)
{
    return !options->plot || bench_file_write(options->plot, draw, c) ? SHOAL_OK
                                                                      : SHOAL_ERR_FILE;
}

shoal_status bench_l1(const bench_options *options, bench_report *report)
{
    static const care small_need = {3, 1.1}, large_need = {2, 1.4};
    stage s;
    shoal_status st = open_stage(&s, SMALL, 1, L_BOTTOM_UP, options->repeat);
    bool same = false;
    if (st == SHOAL_OK) {
        same = show(&s, report);
        gate_literal(&s.all, report);
        gate_care(&s.all, &small_need, report);
        st = write_plot(options, &s.all);
    }
    close_stage(&s);
    if (st != SHOAL_OK)
        return st;
    st = open_stage(&s, LARGE, LARGE_STRIDE, L_SHOAL_HYBRID, options->repeat);
    if (st == SHOAL_OK) {
        same = show(&s, report) && same;
        gate_care(&s.all, &large_need, report);
        bench_gate(report, "all contenders report the same pairs", same, 1, 1, BENCH_HIGHER);
    }
    close_stage(&s);
    return st == SHOAL_OK ? bench_l1_floor(options, LARGE, report) : st;
}
