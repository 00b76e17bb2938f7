// SPDX-License-Identifier: MIT
// L3: many bodies. The paper's two crowds of 27 (figure 4), and a pile of 1,000 folded plates.
#include "bench/papers/larsson/larsson.h"

#include <stdio.h>

enum { REPEATS_LEAST = 3, PLATES = 1000, PLATE_STEPS = 4, PLATE_LITERAL_STEPS = 1 };
enum { FROM = L_HYBRID, STRATEGIES = 4 };

static const double patience_s = 20; // of each crowd, and of the plates' strategies

static void rate(const bench_contest *c, bench_report *report)
{
    const double bergen = bench_l_us(c, L_BERGEN, bench_l_whole);
    const double hybrid = bench_l_us(c, L_HYBRID, bench_l_whole);
    const double shoal = bench_l_us(c, L_SHOAL_HYBRID, bench_l_whole);
    const char *scene = shl_scene_name(c->film->id);
    bench_row(report, json_pack("{s:s, s:s, s:f, s:f}", "over", "literal van den Bergen",
                                "scene", scene, "literal_hybrid", bergen / hybrid,
                                "shoal_hybrid", bergen / shoal));
    bench_gate_named(report, bergen / shoal, 3.5, 30, BENCH_HIGHER,
                     "shoal hybrid over literal van den Bergen, 1 thread, %s", scene);
}

static void rate_strategies(const bench_contest *c, bench_report *report)
{
    bench_gate_named(
        report, bench_l_over_best(c, L_SHOAL_OWN, L_SHOAL_HYBRID, STRATEGIES, bench_l_whole),
        1.1, 1, BENCH_LOWER, "%s / best strategy, %s", BENCH_L_OWN_NAME,
        shl_scene_name(c->film->id));
}

static shoal_status crowd(shl_scene_id id, uint32_t repeat, bool *same, bench_report *report)
{
    const shl_scene_params params = shl_scene_defaults(id);
    bench_film film;
    shoal_status st = bench_film_create(id, &params, 1, &film);
    if (st != SHOAL_OK)
        return st;
    bench_contest c = {.film = &film,
                       .contenders = bench_l_contenders + FROM,
                       .count = L_WHO_COUNT - FROM,
                       .repeat = repeat,
                       .least = REPEATS_LEAST,
                       .patience_s = patience_s};
    st = bench_contest_run(&c);
    if (st == SHOAL_OK) {
        *same = *same && bench_contest_same(&c);
        bench_l_rows(&c, report);
        rate(&c, report);
        rate_strategies(&c, report);
    }
    bench_contest_finish(&c);
    bench_film_finish(&film);
    return st;
}

// The literal methods take seconds a step here, so they do fewer steps.
static shoal_status pile(uint32_t repeat, bool *same, bench_report *report)
{
    shl_scene_params params = shl_scene_defaults(SHL_SCENE_PLATES);
    params.bodies = PLATES;
    params.steps = PLATE_STEPS;
    bench_film film;
    shoal_status st = bench_film_create(SHL_SCENE_PLATES, &params, 1, &film);
    if (st != SHOAL_OK)
        return st;
    bench_contest literal = {.film = &film,
                             .contenders = bench_l_contenders + FROM,
                             .count = L_SHOAL_HYBRID - FROM + 1,
                             .frame_count = PLATE_LITERAL_STEPS,
                             .repeat = 1};
    bench_contest strategies = {.film = &film,
                                .contenders = bench_l_contenders + L_SHOAL_HYBRID,
                                .count = L_WHO_COUNT - L_SHOAL_HYBRID,
                                .repeat = repeat,
                                .least = 1,
                                .patience_s = patience_s};
    st = bench_contest_run(&literal);
    if (st == SHOAL_OK)
        st = bench_contest_run(&strategies);
    if (st == SHOAL_OK) {
        *same = *same && bench_contest_same(&literal) && bench_contest_same(&strategies);
        bench_l_rows(&literal, report);
        rate(&literal, report);
        bench_l_rows(&strategies, report);
        rate_strategies(&strategies, report);
        bench_row(report, json_pack("{s:s, s:i, s:f}", "scene", "plates", "bodies", PLATES,
                                    "pairs_a_body", (double)film.pairs[0].count / PLATES));
    }
    bench_contest_finish(&literal);
    bench_contest_finish(&strategies);
    bench_film_finish(&film);
    return st;
}

shoal_status bench_l3(const bench_options *options, bench_report *report)
{
    const uint32_t repeat = options->repeat;
    bool same = true;
    shoal_status st = crowd(SHL_SCENE_BUMPY_27, repeat, &same, report);
    if (st == SHOAL_OK)
        st = crowd(SHL_SCENE_ARMS_27, repeat, &same, report);
    if (st == SHOAL_OK)
        st = pile(repeat, &same, report);
    if (st == SHOAL_OK)
        bench_gate(report, "all contenders report the same pairs", same, 1, 1, BENCH_HIGHER);
    return st;
}
