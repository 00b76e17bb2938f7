// SPDX-License-Identifier: MIT
// Neighbour lists: the same scene with and without a list that outlives the step. One scene
// where it should pay, since everything trembles in its place, and one where it cannot, since
// everything moves as far in a step as triangles are wide.
#include "bench/harness/bench.h"
#include "bench/harness/runner.h"

#include <stdlib.h>

enum { SETTINGS = 4, WARM_UP = 3 };

typedef struct contender {
    double list_margin;
    bench_runner run;
    double *ms;      // [steps] best of all repeats
    bool *used_list; // [steps]
    uint64_t candidates, near_pairs;
    uint32_t reused;
} contender;

static shoal_status open_contender(contender *c, shoal_context *ctx, shl_scene_id id,
                                   const shl_scene_params *params, uint32_t threads)
{
    shoal_scene_def def = shoal_scene_def_default();
    def.threads = threads;
    def.list_margin = c->list_margin;
    c->candidates = c->near_pairs = c->reused = 0;
    return bench_runner_open(&c->run, ctx, &def, id, params);
}

static shoal_status turn(contender *c, uint32_t step, bool first)
{
    const shoal_status st = bench_runner_step(&c->run, step, SHOAL_QUERY_PAIRS);
    if (st != SHOAL_OK)
        return st;
    const shoal_stats s = shoal_scene_stats(c->run.scene);
    const double ms = 1e3 * s.wall_s;
    c->ms[step - 1] = first || ms < c->ms[step - 1] ? ms : c->ms[step - 1];
    c->candidates += s.candidates;
    c->near_pairs += s.near_pairs;
    c->reused += s.list_reused;
    c->used_list[step - 1] = s.list_reused;
    return SHOAL_OK;
}

static double median_of(const contender *c, uint32_t steps, bool reused, double *scratch)
{
    uint32_t n = 0;
    for (uint32_t i = WARM_UP; i < steps; i++) {
        if (c->used_list[i] == reused)
            scratch[n++] = c->ms[i];
    }
    return n * bench_median(scratch, n) / (steps - WARM_UP);
}

// Milliseconds a step: steps that make a list and steps that use one are two kinds, so each has
// its median, weighed by how many there are. Unlike a mean it does not count what strangers
// did to single steps.
static double step_ms(const contender *c, uint32_t steps, double *scratch)
{
    return median_of(c, steps, false, scratch) + median_of(c, steps, true, scratch);
}

static json_t *row(const char *scene, const contender *c, uint32_t steps, double ms,
                   double speed_up)
{
    return json_pack(
        "{s:s, s:f, s:f, s:f, s:i, s:i, s:f, s:f}", "scene", scene, "list_margin",
        c->list_margin, "ms_per_step", ms, "speed_up", speed_up, "steps", (int)steps,
        "list_steps", c->list_margin > 0 ? (int)(steps - c->reused) : 0, "near_pairs",
        (double)c->near_pairs / steps, "tested_pairs", (double)c->candidates / steps);
}

// Takes turns step by step; the first contender has no list. The best speed-up goes to
// *best.
static shoal_status compare(bench_report *report, shl_scene_id id,
                            const double list_margins[SETTINGS], uint32_t steps,
                            const bench_options *o, double *best, bool *same)
{
    contender c[SETTINGS] = {0};
    shl_scene_params params = shl_scene_defaults(id);
    params.steps = steps;
    shoal_status st = SHOAL_OK;
    for (int i = 0; i < SETTINGS; i++) {
        c[i].list_margin = list_margins[i];
        c[i].ms = calloc(steps, sizeof *c[i].ms);
        c[i].used_list = calloc(steps, sizeof *c[i].used_list);
        st = c[i].ms && c[i].used_list ? st : SHOAL_ERR_MEMORY;
    }
    double *scratch = calloc(steps, sizeof *scratch);
    st = scratch ? st : SHOAL_ERR_MEMORY;
    for (uint32_t repeat = 0; repeat < o->repeat && st == SHOAL_OK; repeat++) {
        for (int i = 0; i < SETTINGS && st == SHOAL_OK; i++)
            st = open_contender(&c[i], o->context, id, &params, o->threads[0]);
        for (uint32_t step = 1; step <= steps; step++) {
            for (int i = 0; i < SETTINGS && st == SHOAL_OK; i++)
                st = turn(&c[i], step, repeat == 0);
        }
        for (int i = 0; i < SETTINGS; i++) {
            bench_runner_close(&c[i].run);
            *same = *same && c[i].run.hash == c[0].run.hash;
        }
    }
    *best = 0;
    for (int i = 0; i < SETTINGS && st == SHOAL_OK; i++) {
        const double ms = step_ms(&c[i], steps, scratch);
        const double speed_up = step_ms(&c[0], steps, scratch) / ms;
        *best = i > 0 && speed_up > *best ? speed_up : *best;
        bench_row(report, row(shl_scene_name(id), &c[i], steps, ms, speed_up));
    }
    for (int i = 0; i < SETTINGS; i++) {
        free(c[i].ms);
        free(c[i].used_list);
    }
    free(scratch);
    return st;
}

shoal_status bench_list(const bench_options *options, bench_report *report)
{
    static const double slow[SETTINGS] = {0, 0.005, 0.01, 0.02};
    static const double fast[SETTINGS] = {0, 0.005, 0.02, 0.08};
    double calm = 0, moving = 0;
    bool same = true;
    shoal_status st = compare(report, SHL_SCENE_CALM_27, slow, 150, options, &calm, &same);
    if (st == SHOAL_OK)
        st = compare(report, SHL_SCENE_BUMPY_2, fast, 200, options, &moving, &same);
    if (st != SHOAL_OK)
        return st;
    bench_gate(report, "same hash with every list_margin", same, 1, 1, BENCH_HIGHER);
    bench_gate(report, "calm-27: no list_margin / best list_margin", calm, 1.5, 3,
               BENCH_HIGHER);
    // told, not asked for: 0 always holds
    bench_gate(report, "bumpy-2: no list_margin / best list_margin", moving, 0, 1,
               BENCH_HIGHER);
    return SHOAL_OK;
}
