// SPDX-License-Identifier: MIT
#include "bench/papers/larsson/larsson.h"

#define OWN SHOAL_STRATEGY_AUTO

const bench_contender bench_l_contenders[L_WHO_COUNT] = {
    {"literal bottom-up", true, LITERAL_BOTTOM_UP, 0, false},
    {"literal top-down", true, LITERAL_TOP_DOWN, 0, false},
    {"literal hybrid", true, LITERAL_HYBRID, 0, false},
    {"literal van den Bergen", true, LITERAL_BERGEN, 0, false},
    {"shoal hybrid", false, 0, SHOAL_STRATEGY_HYBRID, false},
    {"shoal bottom-up", false, 0, SHOAL_STRATEGY_BOTTOM_UP, false},
    {"shoal top-down", false, 0, SHOAL_STRATEGY_TOP_DOWN, false},
    {"shoal " BENCH_L_OWN_NAME, false, 0, OWN, false},
    {"shoal hybrid", false, 0, SHOAL_STRATEGY_HYBRID, true},
    {"shoal bottom-up", false, 0, SHOAL_STRATEGY_BOTTOM_UP, true},
    {"shoal top-down", false, 0, SHOAL_STRATEGY_TOP_DOWN, true},
    {"shoal " BENCH_L_OWN_NAME, false, 0, OWN, true},
};

static uint32_t place_of(const bench_contest *c, bench_l_who who)
{
    return (uint32_t)(&bench_l_contenders[who] - c->contenders);
}

double bench_l_us(const bench_contest *c, bench_l_who who, bench_phase phase)
{
    return bench_contest_us(c, place_of(c, who), BENCH_WHOLE, phase.from, phase.to);
}

double bench_l_update_us(const bench_contest *c, bench_l_who who, bench_phase phase)
{
    return bench_contest_us(c, place_of(c, who), BENCH_UPDATE, phase.from, phase.to);
}

double bench_l_over_best(const bench_contest *c, bench_l_who who, bench_l_who from,
                         uint32_t count, bench_phase phase)
{
    double best = bench_l_us(c, who, phase);
    for (uint32_t i = 0; i < count; i++) {
        const double us = bench_l_us(c, (bench_l_who)(from + i), phase);
        best = us < best ? us : best;
    }
    return bench_l_us(c, who, phase) / best;
}

static uint64_t pairs_of(const bench_contest *c)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->frame_count; i++)
        sum += c->film->pairs[i].count;
    return sum;
}

void bench_l_rows(const bench_contest *c, bench_report *report)
{
    const bench_film *f = c->film;
    const int cpus = (int)shoal_context_machine(f->context).allowed_cpus;
    for (uint32_t i = 0; i < c->count; i++) {
        const bench_l_who who = (bench_l_who)(&c->contenders[i] - bench_l_contenders);
        const double whole = bench_l_us(c, who, bench_l_whole);
        const double update = bench_l_update_us(c, who, bench_l_whole);
        json_t *row =
            json_pack("{s:s, s:i, s:s, s:s, s:i, s:f, s:f, s:f, s:f}", "scene",
                      shl_scene_name(f->id), "triangles", (int)f->rest.triangle_count, "query",
                      c->first ? "first pair" : "all pairs", "contender", c->contenders[i].name,
                      "threads", c->contenders[i].threaded ? cpus : 1, "whole_us", whole,
                      "update_us", update, "query_us", whole - update, "cpu_us",
                      bench_contest_us(c, i, BENCH_CPU, 1, UINT32_MAX));
        if (row && f->id == SHL_SCENE_BUMPY_2) {
            json_object_set_new(row, "before_us",
                                json_real(bench_l_us(c, who, bench_l_before)));
            json_object_set_new(row, "hard_us", json_real(bench_l_us(c, who, bench_l_hard)));
        }
        if (row)
            json_object_set_new(row, "pairs_a_step",
                                json_real((double)pairs_of(c) / c->frame_count));
        bench_row(report, row);
    }
}
