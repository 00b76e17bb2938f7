// SPDX-License-Identifier: MIT
// How near the update before contact is to the least that any update must do, to read all
// vertices once. Both take turns step by step, each as the first reader of positions that the
// deformer has just written in tree order.
#include "bench/harness/plain_pass.h"
#include "bench/harness/runner.h"
#include "bench/papers/larsson/l1.h"

#include <stdlib.h>

typedef struct floor_run {
    bench_runner run;
    double *plain_s, *update_s; // one value for every two steps
    uint32_t plain_count, update_count;
} floor_run;

static shoal_status turn(floor_run *r, uint32_t step)
{
    shoal_status st = shl_motion_step(r->run.motion, step);
    if (st != SHOAL_OK)
        return st;
    if (step % 2 == 0) {
        size_t bytes;
        float box[6];
        const float *xyz = shl_motion_positions(r->run.motion, &bytes);
        const double start = bench_now_s();
        bench_plain_pass(xyz, bytes / sizeof *xyz / 3, box);
        r->plain_s[r->plain_count++] = bench_now_s() - start;
        return SHOAL_OK;
    }
    st = shoal_scene_step(r->run.scene, SHOAL_QUERY_PAIRS);
    r->update_s[r->update_count++] = shoal_scene_seconds(r->run.scene, SHOAL_PHASE_GATHER) +
                                     shoal_scene_seconds(r->run.scene, SHOAL_PHASE_REFIT);
    return st;
}

static shoal_status run(floor_run *r, shoal_context *ctx, uint32_t k, uint32_t repeat)
{
    shoal_scene_def def = shoal_scene_def_default();
    def.executor = SHOAL_EXECUTOR_SERIAL;
    shl_scene_params params = shl_scene_defaults(SHL_SCENE_BUMPY_2);
    params.k = k;
    shoal_status st = bench_runner_open(&r->run, ctx, &def, SHL_SCENE_BUMPY_2, &params);
    if (st == SHOAL_OK) // hands over the positions and touches all memory
        st = bench_runner_step(&r->run, 1, SHOAL_QUERY_PAIRS);
    for (uint32_t i = 0; i < repeat; i++) {
        for (uint32_t step = 2; step < L_CONTACT && st == SHOAL_OK; step++)
            st = turn(r, step);
    }
    return st;
}

shoal_status bench_l1_floor(const bench_options *options, uint32_t k, bench_report *report)
{
    floor_run r = {0};
    r.plain_s = malloc((size_t)options->repeat * L_CONTACT * sizeof *r.plain_s);
    r.update_s = malloc((size_t)options->repeat * L_CONTACT * sizeof *r.update_s);
    const shoal_status st = r.plain_s && r.update_s
                                ? run(&r, options->context, k, options->repeat)
                                : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK) {
        const double plain = bench_median(r.plain_s, r.plain_count);
        const double update = bench_median(r.update_s, r.update_count);
        bench_row(report,
                  json_pack("{s:s, s:i, s:f, s:f}", "floor", "first reader of positions",
                            "triangles", (int)shl_motion_model(r.run.motion).triangle_count,
                            "plain_pass_us", 1e6 * plain, "update_us", 1e6 * update));
        bench_gate(report, "plain pass / update, before contact", plain / update, 0.75, 0.95,
                   BENCH_HIGHER);
    }
    bench_runner_close(&r.run);
    free(r.plain_s);
    free(r.update_s);
    return st;
}
