// SPDX-License-Identifier: MIT
// Steps beside other people's programs: as many processes as CPUs, then twice as many, that do
// nothing but use them up. Scenes on one thread and on two take turns in windows of steps.
//
// Short steps must not suffer from the second thread: a step that waits for a thread which has
// lost its CPU takes milliseconds. Long ones must gain by it nearly what a loop of arithmetic
// gains, of about the same length and with the same two threads and the same company.
#include "bench/scaling/busy.h"

#include "bench/harness/bench.h"
#include "bench/harness/compute_loop.h"
#include "bench/harness/runner.h"

#include <stdio.h>

enum { WINDOWS = 5, CONTENDERS = 2, CASES = 3, LOADS = 3, LOOP_ROUNDS = 8 };

typedef struct work {
    const char *name;
    shl_scene_id id;
    const char *settings[4][2];
    uint32_t skipped, steps; // of a window; bodies meet in those that are skipped
    bool large;
} work;

static const work cases[CASES] = {
    {"30 chairs", SHL_SCENE_CHAIRS, {{"count", "30"}}, 0, 300, false},
    {"two small meshes", SHL_SCENE_BUMPY_2, {{"k", "2"}}, 0, 300, false},
    {"27 bodies of 20,480 triangles", SHL_SCENE_BUMPY_27, {{"k", "5"}}, 24, 20, true},
};

typedef struct contender {
    uint32_t threads;
    bench_runner run;
    bench_compute_loop loop;
    double step_s, loop_s; // of all windows
    uint64_t hash;
    uint32_t workers; // of all steps
} contender;

static shoal_status open_contender(contender *c, shoal_context *ctx, const work *w)
{
    shoal_scene_def def = shoal_scene_def_default();
    shl_scene_params params = shl_scene_defaults(w->id);
    shl_setting_error wrong;
    for (int i = 0; i < 4 && w->settings[i][0]; i++) {
        if (!shl_scene_set(w->id, &params, w->settings[i][0], w->settings[i][1], &wrong))
            return SHOAL_ERR_ARGUMENT;
    }
    const uint32_t steps = w->skipped + w->steps;
    params.steps = params.steps > steps ? params.steps : steps;
    def.threads = c->threads;
    const shoal_status st = bench_compute_loop_init(&c->loop, c->threads);
    return st == SHOAL_OK ? bench_runner_open(&c->run, ctx, &def, w->id, &params) : st;
}

// A run of the scene from its first step on.
static shoal_status window(contender *c, shoal_context *ctx, const work *w)
{
    const uint32_t queries = shl_scene_queries(w->id);
    shoal_status st = open_contender(c, ctx, w);
    for (uint32_t step = 1; step <= w->skipped + w->steps && st == SHOAL_OK; step++) {
        st = bench_runner_step(&c->run, step, queries);
        if (st != SHOAL_OK || step <= w->skipped)
            continue;
        c->step_s += c->run.step_s;
        c->workers += shoal_scene_stats(c->run.scene).workers;
        double loop_s;
        for (int i = 0; i < LOOP_ROUNDS && w->large && st == SHOAL_OK; i++) {
            st = bench_compute_loop_run(&c->loop, &loop_s);
            c->loop_s += loop_s;
        }
    }
    c->hash = (c->hash ^ c->run.hash) * 0x9e3779b97f4a7c15u;
    bench_runner_close(&c->run);
    bench_compute_loop_finish(&c->loop);
    return st;
}

static void add_rows(bench_report *report, const work *w, const char *load, const contender *c)
{
    const double steps = WINDOWS * (double)w->steps;
    for (int i = 0; i < CONTENDERS; i++) {
        json_t *row =
            json_pack("{s:s, s:s, s:i, s:f, s:f}", "scene", w->name, "beside", load, "threads",
                      (int)c[i].threads, "ms_per_step", 1e3 * c[i].step_s / steps,
                      "workers_per_step", c[i].workers / steps);
        if (w->large)
            json_object_set_new(row, "loop_ms", json_real(1e3 * c[i].loop_s / steps));
        bench_row(report, row);
    }
}

// Without company, `shoal bench scaling` is the judge.
static void add_gates(bench_report *report, const work *w, const char *load, const contender *c)
{
    const double slower = c[1].step_s / c[0].step_s;
    if (!w->large) {
        bench_gate_named(report, slower, 1.3, 1, BENCH_LOWER, "%s beside %s: two threads / one",
                         w->name, load);
        return;
    }
    const double loop_gain = c[0].loop_s / c[1].loop_s;
    bench_gate_named(report, 1 / slower / (loop_gain > 1 ? loop_gain : 1), 0.8, 1, BENCH_HIGHER,
                     "%s beside %s: gain of two threads / the loop's", w->name, load);
}

static shoal_status compare(bench_report *report, shoal_context *ctx, const work *w,
                            const char *load, uint32_t hogs, bool *same)
{
    contender c[CONTENDERS] = {{.threads = 1}, {.threads = 2}};
    bench_hogs others;
    if (!bench_hogs_start(&others, hogs))
        return SHOAL_ERR_MEMORY;
    shoal_status st = SHOAL_OK;
    for (int turn = 0; turn < WINDOWS && st == SHOAL_OK; turn++) {
        for (int i = 0; i < CONTENDERS && st == SHOAL_OK; i++)
            st = window(&c[i], ctx, w);
    }
    bench_hogs_stop(&others);
    if (st != SHOAL_OK)
        return st;
    *same = *same && c[0].hash == c[1].hash;
    add_rows(report, w, load, c);
    if (hogs > 0)
        add_gates(report, w, load, c);
    return SHOAL_OK;
}

shoal_status bench_neighbour(const bench_options *options, bench_report *report)
{
    static const char *const loads[LOADS] = {"nobody", "a process per CPU",
                                             "two processes per CPU"};
    const uint32_t cpus = shoal_context_machine(options->context).allowed_cpus;
    bool same = true;
    shoal_status st = SHOAL_OK;
    for (uint32_t load = 0; load < LOADS && st == SHOAL_OK; load++) {
        for (int i = 0; i < CASES && st == SHOAL_OK; i++)
            st = compare(report, options->context, &cases[i], loads[load], load * cpus, &same);
    }
    if (st == SHOAL_OK)
        bench_gate(report, "same hash on one thread and on two", same, 1, 1, BENCH_HIGHER);
    return st;
}
