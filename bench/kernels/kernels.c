// SPDX-License-Identifier: MIT
// What the parts cost: kernels against their references, the update against one plain pass over
// the vertices, a leaf test on real candidates, a node of the job graph.
#include "bench/harness/bench.h"
#include "bench/harness/case_time.h"
#include "bench/harness/plain_pass.h"
#include "bench/harness/runner.h"
#include "bench/kernels/jobs.h"
#include "layouts/memory.h"

#include <stdlib.h>

enum { CONTACT_FROM = 100, CONTACT_STEPS = 200 };

static void time_bodies(bench_report *report, uint32_t repeat)
{
    shl_kernels ref, best;
    shl_kernels_init(&ref, SHOAL_CPU_REF);
    shl_kernels_init(&best, SHOAL_CPU_BEST);
    double *ns[2] = {malloc(repeat * sizeof(double)), malloc(repeat * sizeof(double))};
    for (int i = 0; ns[0] && ns[1] && shl_cases[i]; i++) {
        const shl_case *c = shl_cases[i];
        c->setup(c->bench_rows, 1);
        for (uint32_t r = 0; r < repeat; r++) {
            ns[0][r] = bench_case_ns(c, &ref);
            ns[1][r] = bench_case_ns(c, &best);
        }
        const double slow = bench_median(ns[0], repeat), fast = bench_median(ns[1], repeat);
        bench_row(report,
                  json_pack("{s:s, s:s, s:f, s:f, s:f}", "kernel", c->name, "row", c->row,
                            "ref_ns", slow, "best_ns", fast, "ratio", slow / fast));
    }
    free(ns[0]);
    free(ns[1]);
}

// On one thread, after its first move.
static shoal_status begin(bench_runner *r, shoal_context *ctx, shoal_strategy strategy)
{
    shoal_scene_def def = shoal_scene_def_default();
    def.executor = SHOAL_EXECUTOR_SERIAL;
    def.strategy = strategy;
    const shl_scene_params params = shl_scene_defaults(SHL_SCENE_BUMPY_2);
    const shoal_status st = bench_runner_open(r, ctx, &def, SHL_SCENE_BUMPY_2, &params);
    return st == SHOAL_OK ? shl_motion_step(r->motion, 1) : st;
}

static shoal_status update_seconds(bench_runner *c, double *out)
{
    const shoal_status st = shoal_scene_step(c->scene, SHOAL_QUERY_PAIRS);
    *out = shoal_scene_seconds(c->scene, SHOAL_PHASE_REFIT);
    return st;
}

// Bodies apart, positions in tree order and in cache for all three contenders.
static shoal_status time_update(bench_report *report, shoal_context *ctx, uint32_t repeat)
{
    bench_runner hybrid = {0}, bottom_up = {0};
    shoal_status st = begin(&hybrid, ctx, SHOAL_STRATEGY_HYBRID);
    if (st == SHOAL_OK)
        st = begin(&bottom_up, ctx, SHOAL_STRATEGY_BOTTOM_UP);
    const uint32_t n = 20 * repeat;
    double *s[3];
    for (int i = 0; i < 3; i++)
        s[i] = malloc(n * sizeof(double));
    if (st == SHOAL_OK && (!s[0] || !s[1] || !s[2]))
        st = SHOAL_ERR_MEMORY;
    size_t bytes = 0;
    const float *xyz = st == SHOAL_OK ? shl_motion_positions(hybrid.motion, &bytes) : NULL;
    for (uint32_t i = 0; i < n && st == SHOAL_OK; i++) {
        float box[6];
        bench_plain_pass(xyz, bytes / sizeof *xyz / 3, box); // warms the cache for itself
        const double start = bench_now_s();
        bench_plain_pass(xyz, bytes / sizeof *xyz / 3, box);
        s[0][i] = bench_now_s() - start;
        st = update_seconds(&hybrid, &s[1][i]);
        if (st == SHOAL_OK)
            st = update_seconds(&bottom_up, &s[2][i]);
    }
    if (st == SHOAL_OK) {
        const double plain = bench_median(s[0], n), h = bench_median(s[1], n);
        const double b = bench_median(s[2], n);
        bench_row(report, json_pack("{s:s, s:f, s:f, s:f}", "update", "2 x 20,480 triangles",
                                    "plain_pass_us", 1e6 * plain, "hybrid_us", 1e6 * h,
                                    "bottom_up_us", 1e6 * b));
        bench_gate(report, "hybrid update / plain pass", h / plain, 4, 2, BENCH_LOWER);
        bench_gate(report, "bottom-up update / plain pass", b / plain, 14, 9, BENCH_LOWER);
    }
    for (int i = 0; i < 3; i++)
        free(s[i]);
    bench_runner_close(&hybrid);
    bench_runner_close(&bottom_up);
    return st;
}

// The steps of the scene in which the bodies overlap; time includes sorting out the survivors.
static shoal_status time_leaves(bench_report *report, shoal_context *ctx)
{
    bench_runner c = {0};
    double ns[CONTACT_STEPS], leaf_s = 0;
    uint64_t candidates = 0, pairs = 0, steps = 0;
    shoal_status st = begin(&c, ctx, SHOAL_STRATEGY_HYBRID);
    for (uint32_t step = 2; step <= CONTACT_STEPS && st == SHOAL_OK; step++) {
        st = bench_runner_step(&c, step, SHOAL_QUERY_PAIRS);
        const shoal_stats stats = shoal_scene_stats(c.scene);
        if (step < CONTACT_FROM || !stats.candidates)
            continue;
        ns[steps++] =
            1e9 * shoal_scene_seconds(c.scene, SHOAL_PHASE_LEAF) / (double)stats.candidates;
        leaf_s += shoal_scene_seconds(c.scene, SHOAL_PHASE_LEAF);
        candidates += stats.candidates;
        pairs += stats.pairs;
    }
    if (st == SHOAL_OK && steps) {
        bench_row(report,
                  json_pack("{s:s, s:I, s:I, s:f}", "leaves", "bumpy-2, steps 100 to 200",
                            "candidates", (json_int_t)candidates, "pairs", (json_int_t)pairs,
                            "mean_ns", 1e9 * leaf_s / (double)candidates));
        bench_gate(report, "leaf test, ns a candidate", bench_median(ns, steps), 30, 12,
                   BENCH_LOWER);
    }
    bench_runner_close(&c);
    return st;
}

static double worst(const bench_jobs_result *r)
{
    const double nodes[3] = {r->independent.median_ns, r->stencil.median_ns,
                             r->chain.median_ns};
    double most = 0;
    for (int i = 0; i < 3; i++)
        most = nodes[i] > most ? nodes[i] : most;
    return most;
}

static shoal_status time_executor(bench_report *report)
{
    const shoal_allocator memory = shl_allocator_libc();
    for (uint32_t workers = 1; workers <= 2; workers++) {
        bench_jobs_result r;
        if (!bench_jobs(&memory, workers, &r))
            return SHOAL_ERR_MEMORY;
        bench_row(report, json_pack("{s:s, s:i, s:f, s:f, s:f, s:f}", "executor", "ns a node",
                                    "threads", (int)workers, "independent",
                                    r.independent.median_ns, "stencil", r.stencil.median_ns,
                                    "chain", r.chain.median_ns, "chunk", r.chunk.median_ns));
        if (workers == 1)
            bench_gate(report, "executor, ns a node, 1 thread", worst(&r), 50, 20, BENCH_LOWER);
        else
            bench_gate(report, "executor, ns a node, 2 threads", worst(&r), 100, 40,
                       BENCH_LOWER);
    }
    return SHOAL_OK;
}

shoal_status bench_kernels(const bench_options *options, bench_report *report)
{
    time_bodies(report, options->repeat);
    shoal_status st = time_update(report, options->context, options->repeat);
    if (st == SHOAL_OK)
        st = time_leaves(report, options->context);
    return st == SHOAL_OK ? time_executor(report) : st;
}
