// SPDX-License-Identifier: MIT
// Bodies whose motion ruins the trees built at rest: strategy auto builds them anew, optimal
// never does. Both run side by side, step by step.
#include "bench/harness/bench.h"
#include "bench/harness/runner.h"

#include <stdlib.h>

enum { STEPS = 240, QUARTER = STEPS / 4, CONTENDERS = 2 };

static const struct {
    const char *name;
    shoal_strategy strategy;
} contenders[CONTENDERS] = {
    {"optimal", SHOAL_STRATEGY_OPTIMAL},
    {"auto", SHOAL_STRATEGY_AUTO},
};

typedef struct contender {
    bench_runner run;
    uint64_t pairs, rebuilds; // of all repeats
    double total_s, rebuild_s;
    double quality; // worst after the last step
    double *last;   // [QUARTER * repeats] seconds a step of the last quarter
} contender;

static shoal_status start(contender *r, shoal_context *ctx, shoal_strategy strategy,
                          uint32_t threads, const shl_scene_params *params)
{
    shoal_scene_def def = shoal_scene_def_default();
    def.strategy = strategy;
    def.threads = threads;
    return bench_runner_open(&r->run, ctx, &def, SHL_SCENE_TANGLE, params);
}

static shoal_status turn(contender *r, uint32_t step, uint32_t repeat)
{
    const shoal_status st = bench_runner_step(&r->run, step, SHOAL_QUERY_PAIRS);
    if (st != SHOAL_OK)
        return st;
    const shoal_stats stats = shoal_scene_stats(r->run.scene);
    r->rebuilds += stats.rebuilds;
    r->total_s += stats.wall_s;
    r->rebuild_s += shoal_scene_seconds(r->run.scene, SHOAL_PHASE_REBUILD);
    r->quality = stats.quality_worst;
    if (step > STEPS - QUARTER)
        r->last[repeat * QUARTER + step - (STEPS - QUARTER) - 1] = stats.wall_s;
    return SHOAL_OK;
}

static shoal_status run_all(contender *r, shoal_context *ctx, uint32_t threads,
                            uint32_t repeats)
{
    const shl_scene_params params = shl_scene_defaults(SHL_SCENE_TANGLE);
    shoal_status st = SHOAL_OK;
    for (uint32_t repeat = 0; repeat < repeats && !st; repeat++) {
        for (int i = 0; i < CONTENDERS && !st; i++)
            st = start(&r[i], ctx, contenders[i].strategy, threads, &params);
        for (uint32_t step = 1; step <= STEPS; step++) {
            for (int i = 0; i < CONTENDERS && !st; i++)
                st = turn(&r[i], step, repeat);
        }
        for (int i = 0; i < CONTENDERS; i++) {
            r[i].pairs += r[i].run.pairs;
            bench_runner_close(&r[i].run);
        }
    }
    return st;
}

static void tell(bench_report *report, contender *r, uint32_t threads, uint32_t repeats)
{
    double last[CONTENDERS];
    for (int i = 0; i < CONTENDERS; i++) {
        last[i] = bench_median(r[i].last, (size_t)QUARTER * repeats);
        bench_row(report,
                  json_pack("{s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:I, s:I}", "strategy",
                            contenders[i].name, "threads", (int)threads, "steps", STEPS,
                            "ms_a_step", 1e3 * r[i].total_s / (STEPS * repeats),
                            "ms_a_step_last_quarter", 1e3 * last[i], "rebuild_ms_a_step",
                            1e3 * r[i].rebuild_s / (STEPS * repeats), "quality_worst_at_end",
                            r[i].quality, "rebuilds", (json_int_t)r[i].rebuilds / repeats,
                            "pairs", (json_int_t)r[i].pairs / repeats));
    }
    const contender *never = &r[0], *automatic = &r[1];
    bench_gate(report, "last quarter: never rebuilding over auto", last[0] / last[1], 2, 5,
               BENCH_HIGHER);
    bench_gate(report, "whole run: never rebuilding over auto",
               never->total_s / automatic->total_s, 1, 3, BENCH_HIGHER);
    bench_gate(report, "rebuilding, share of auto's run",
               automatic->rebuild_s / threads / automatic->total_s, 0.5, 0.2, BENCH_LOWER);
    bench_gate(report, "same results", never->run.hash == automatic->run.hash, 1, 1,
               BENCH_HIGHER);
}

shoal_status bench_tangle(const bench_options *o, bench_report *report)
{
    const uint32_t repeats = o->repeat;
    const uint32_t threads = o->threads[o->thread_count - 1];
    contender r[CONTENDERS] = {0};
    shoal_status st = SHOAL_OK;
    for (int i = 0; i < CONTENDERS && !st; i++) {
        r[i].last = calloc((size_t)QUARTER * repeats, sizeof *r[i].last);
        st = r[i].last ? SHOAL_OK : SHOAL_ERR_MEMORY;
    }
    if (!st)
        st = run_all(r, o->context, threads, repeats);
    if (!st)
        tell(report, r, threads, repeats);
    for (int i = 0; i < CONTENDERS; i++)
        free(r[i].last);
    return st;
}
