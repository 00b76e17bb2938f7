// SPDX-License-Identifier: MIT
// Scaling over threads: the same scene for all (strong), or one that grows with them (weak).
//
// All thread counts take turns step by step, and after each step a loop of arithmetic in
// registers runs on as many threads. What such a loop does not gain nobody can: other people's
// work on the machine, clocks that fall when all cores run. So speed-ups are also told relative
// to its own.
#include "bench/scaling/scaling.h"

#include "bench/harness/compute_loop.h"
#include "bench/harness/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = BENCH_STEPS_MAX, // of a run; the crowd meets at step 20
    SUBDIVISIONS = 5         // 20,480 triangles a body
};

// A running scene on its number of threads, and the compute loop.
typedef struct runner {
    bench_runner run;
    bench_compute_loop loop;
    bench_scaling_row *row;
    double step_s;
} runner;

static shoal_status start(runner *r, shoal_context *ctx, shl_scene_id id,
                          const shl_scene_params *params, bench_scaling_row *row)
{
    *r = (runner){.row = row};
    shoal_scene_def def = shoal_scene_def_default();
    def.threads = row->threads;
    shl_scene_params sized = *params;
    sized.bodies = row->bodies;
    shoal_status st = bench_compute_loop_init(&r->loop, row->threads);
    if (st == SHOAL_OK)
        st = bench_runner_open(&r->run, ctx, &def, id, &sized);
    if (st == SHOAL_OK)
        row->triangles = shl_motion_triangle_count(r->run.motion);
    return st;
}

static void stop(runner *r)
{
    bench_runner_close(&r->run);
    bench_compute_loop_finish(&r->loop);
}

static shoal_status turn(runner *r, uint32_t step, uint32_t repeat)
{
    shoal_status st = bench_runner_step(&r->run, step, SHOAL_QUERY_PAIRS);
    if (st != SHOAL_OK)
        return st;
    const double spent = shoal_scene_stats(r->run.scene).wall_s;
    double loop_s;
    st = bench_compute_loop_run(&r->loop, &loop_s);
    r->row->compute[step - 1][repeat] = 1e3 * loop_s;
    r->row->step[step - 1][repeat] = 1e3 * spent;
    r->step_s += spent;
    return st;
}

// One repeat of a study: all rows from their first step to their last, in turns.
static shoal_status run_rows(shoal_context *ctx, shl_scene_id id,
                             const shl_scene_params *params, bench_scaling_row *rows,
                             uint32_t count, uint32_t repeat, bool *same)
{
    runner r[BENCH_COUNTS_MAX] = {0};
    shoal_status st = SHOAL_OK;
    uint32_t made = 0;
    for (; made < count && st == SHOAL_OK; made++)
        st = start(&r[made], ctx, id, params, &rows[made]);
    for (uint32_t step = 1; step <= params->steps; step++) {
        for (uint32_t i = 0; i < count && st == SHOAL_OK; i++)
            st = turn(&r[i], step, repeat);
    }
    for (uint32_t i = 0; i < count && st == SHOAL_OK; i++) {
        rows[i].steps = params->steps;
        rows[i].ms[repeat] = 1e3 * r[i].step_s / params->steps;
        *same = *same && (repeat == 0 || rows[i].hash == r[i].run.hash);
        rows[i].hash = r[i].run.hash;
        rows[i].pairs = r[i].run.pairs;
    }
    for (uint32_t i = 0; i < made; i++)
        stop(&r[i]);
    return st;
}

// The counts asked for, ascending, each once, with 1 as the base of all comparisons.
static uint32_t thread_counts(const bench_options *o, uint32_t out[BENCH_COUNTS_MAX])
{
    uint32_t count = 1;
    out[0] = 1;
    for (uint32_t i = 0; i < o->thread_count; i++) {
        uint32_t at = 0;
        while (at < count && out[at] < o->threads[i])
            at++;
        if (at < count && out[at] == o->threads[i])
            continue;
        memmove(out + at + 1, out + at, (count - at) * sizeof *out);
        out[at] = o->threads[i];
        count++;
    }
    return count;
}

static shoal_status study(const char *name, shoal_context *ctx, shl_scene_id id,
                          const shl_scene_params *params, bench_scaling_row *rows,
                          uint32_t count, uint32_t repeat, bool *same)
{
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < count; i++) {
        rows[i].study = name;
        rows[i].bodies = params->bodies * (name[0] == 'w' ? rows[i].threads : 1);
    }
    for (uint32_t i = 0; i < repeat && st == SHOAL_OK; i++)
        st = run_rows(ctx, id, params, rows, count, i, same);
    for (uint32_t i = 0; i < count && st == SHOAL_OK; i++)
        bench_scaling_rate(&rows[i], &rows[0], repeat);
    return st;
}

static shoal_status write_files(const bench_options *o, const bench_scaling_table *table)
{
    const char *const paths[2] = {o->csv, o->plot};
    bool (*const writers[2])(const char *, const bench_scaling_table *) = {bench_scaling_csv,
                                                                           bench_scaling_plot};
    for (int i = 0; i < 2; i++) {
        if (paths[i] && !writers[i](paths[i], table))
            return SHOAL_ERR_FILE;
    }
    return SHOAL_OK;
}

// A yardstick that does not scale itself measures other people's work.
static void warn_if_busy(const bench_scaling_row *rows, uint32_t count, uint32_t cpus)
{
    for (uint32_t i = 1; i < count; i++) {
        if (rows[i].threads <= cpus && rows[i].compute_speed_up < 0.8 * rows[i].threads)
            fprintf(
                stderr,
                "shoal bench: scaling: %u threads speed up pure arithmetic by only %.2f; the "
                "machine is busy and its ratios say little\n",
                rows[i].threads, rows[i].compute_speed_up);
    }
}

static void add_gates(bench_report *report, const bench_scaling_row *rows, uint32_t count,
                      bool same)
{
    for (uint32_t i = 1; i < count; i++)
        same = same && rows[i].hash == rows[0].hash; // of the strong study
    bench_gate(report, "same hash for all thread counts", same, 1, 1, BENCH_HIGHER);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].threads == 2)
            bench_gate(report, "2-thread speed-up / compute-loop speed-up", rows[i].relative,
                       0.9, 0.97, BENCH_HIGHER);
    }
}

shoal_status bench_scaling(const bench_options *options, bench_report *report)
{
    shl_scene_id id = SHL_SCENE_BUMPY_27;
    if (options->scene && !shl_scene_find(options->scene, &id))
        return SHOAL_ERR_ARGUMENT;
    shl_scene_params params = shl_scene_defaults(id);
    shl_setting_error unused;
    const bool grows = shl_scene_set(id, &params, "bodies", "27", &unused);
    params.k = SUBDIVISIONS;
    params.steps = params.steps < STEPS ? params.steps : STEPS;
    const uint32_t repeat =
        options->repeat < BENCH_REPEATS_MAX ? options->repeat : BENCH_REPEATS_MAX;
    uint32_t threads[BENCH_COUNTS_MAX];
    const uint32_t count = thread_counts(options, threads);
    bench_scaling_row *rows = calloc(2 * count, sizeof *rows);
    if (!rows)
        return SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < 2 * count; i++)
        rows[i].threads = threads[i % count];
    shoal_context *const ctx = options->context;
    bool same = true;
    shoal_status st = study("strong", ctx, id, &params, rows, count, repeat, &same);
    if (st == SHOAL_OK && grows)
        st = study("weak", ctx, id, &params, rows + count, count, repeat, &same);
    if (st == SHOAL_OK)
        warn_if_busy(rows, count, shoal_context_machine(ctx).allowed_cpus);
    const uint32_t all = grows ? 2 * count : count;
    if (st == SHOAL_OK) {
        for (uint32_t i = 0; i < all; i++)
            bench_row(report, bench_scaling_json(&rows[i]));
        add_gates(report, rows, count, same);
        const bench_scaling_table table = {shl_scene_name(id), rows, all, repeat, params.steps};
        st = write_files(options, &table);
    }
    free(rows);
    return st;
}
