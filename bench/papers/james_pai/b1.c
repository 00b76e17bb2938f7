// SPDX-License-Identifier: MIT
// B1: what opening a node of a reduced body costs, a ball thrown at a plate, and a whole step
// of folded plates beside the same bodies done the usual way: every vertex deformed, every tree
// refreshed bottom-up.
#include "bench/harness/bench.h"
#include "bench/harness/case_time.h"
#include "bench/harness/runner.h"
#include "bench/papers/james_pai/b1_ball.h"
#include "runtime/context.h"
#include "scenes/plays/beams.h"

#include <stdlib.h>
#include <string.h>

// 12,008 triangles and 12 fields, as many as the paper's curtain has.
enum { ALONG = 76, ACROSS = 38, FIELDS = 12, BODIES = 64, STEPS = 10 };

static const char *const bounds_names[] = {"auto", "spheres", "boxes", "affine"};

// The least of many short measurements: the machine may be busy.
static double least_ns(const shl_case *c, const shl_kernels *kernels, uint32_t repeat)
{
    double least = bench_case_ns(c, kernels);
    for (uint32_t i = 0; i < 20 * repeat; i++) {
        const double ns = bench_case_ns(c, kernels);
        least = ns < least ? ns : least;
    }
    return least;
}

static void time_nodes(bench_report *report, uint32_t repeat)
{
    shl_kernels best;
    shl_kernels_init(&best, SHOAL_CPU_BEST);
    static const struct {
        const char *name;
        double need, aim;
    } rows[] = {
        {"reduced_spheres", 5, 2.5}, {"reduced_boxes", 8, 4}, {"reduced_affine", 10, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const shl_case *c = bench_case_named(rows[i].name);
        if (!c)
            continue;
        c->setup(c->bench_rows, 1);
        const double ns = least_ns(c, &best, repeat) / SHL_LANES;
        bench_row(report, json_pack("{s:s, s:f}", "node", rows[i].name, "ns", ns));
        bench_gate_named(report, ns, rows[i].need, rows[i].aim, BENCH_LOWER,
                         "%s, ns a node, M = 10", rows[i].name);
    }
}

typedef struct contender {
    shoal_scene *scene;
    shl_beams *beams;
    // the usual way: the same bodies, their vertices deformed here
    shoal_scene *usual;
    shoal_body *bodies;
    double *xyz;    // [BODIES][vertices][3]
    uint32_t *rows; // all vertices, for the evaluator
} contender;

static shoal_status begin_usual(contender *c)
{
    shoal_model *model = shl_beams_model(c->beams);
    const uint32_t n = shoal_model_get_info(model).vertex_count, padded = (n + 3) / 4 * 4;
    c->bodies = calloc(BODIES, sizeof *c->bodies);
    c->rows = malloc(padded * sizeof *c->rows);
    c->xyz = malloc((3 * (size_t)n * BODIES + 12) * sizeof *c->xyz);
    if (!c->bodies || !c->rows || !c->xyz)
        return SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < padded; i++)
        c->rows[i] = i < n ? i : n - 1;
    shoal_status st = SHOAL_OK;
    for (uint32_t b = 0; b < BODIES && st == SHOAL_OK; b++) {
        const shoal_positions p = shoal_positions_f64(c->xyz + 3 * (size_t)n * b, n);
        st = bench_add_borrowed(c->usual, model, p, &c->bodies[b]);
    }
    return st;
}

static shoal_status begin(contender *c, shoal_context *ctx, shoal_bounds bounds)
{
    const shl_beams_def def = {.along = ALONG,
                               .across = ACROSS,
                               .fields = FIELDS,
                               .bodies = BODIES,
                               .spacing = 0.75,
                               .amplitude = 0.04,
                               .seed = 1,
                               .bounds = bounds};
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = SHOAL_EXECUTOR_SERIAL;
    shoal_status st = shoal_scene_create(ctx, &sd, &c->scene);
    sd.strategy = SHOAL_STRATEGY_BOTTOM_UP;
    if (st == SHOAL_OK)
        st = shoal_scene_create(ctx, &sd, &c->usual);
    if (st == SHOAL_OK)
        st = shl_beams_create(&def, ctx, c->scene, &c->beams);
    return st == SHOAL_OK ? begin_usual(c) : st;
}

static void end(contender *c)
{
    shl_beams_destroy(c->beams);
    shoal_scene_destroy(c->scene);
    shoal_scene_destroy(c->usual);
    free(c->bodies);
    free(c->rows);
    free(c->xyz);
}

// Every vertex of every body, by the same kernel that leaves use.
static void deform(const contender *c, const shl_kernels *kernels)
{
    const shl_reduced *model = &shl_beams_model(c->beams)->reduced;
    size_t bytes;
    const double *state = shl_beams_state(c->beams, &bytes);
    for (uint32_t b = 0; b < BODIES; b++) {
        double own[12 + FIELDS];
        for (size_t e = 0; e < 12 + FIELDS; e++)
            own[e] = state[e * BODIES + b];
        const shl_reduced_ready ready = {
            .rotation = own, .translation = own + 9, .q = own + 12};
        const uint32_t n = model->vertex_count / 4 * 4;
        double *out = c->xyz + 3 * (size_t)model->vertex_count * b, last[12];
        kernels->reduced_eval(model, &ready, c->rows, n, out);
        if (n < model->vertex_count) {
            kernels->reduced_eval(model, &ready, c->rows + n, 4, last);
            memcpy(out + 3 * (size_t)n, last, 3 * (model->vertex_count - n) * sizeof *last);
        }
    }
}

typedef struct sums {
    double reduced_s, usual_s, deform_s;
    uint64_t opened, vertices, candidates, pairs;
    bool same;
} sums;

static shoal_status run_steps(contender *c, const shl_kernels *kernels, sums *out)
{
    *out = (sums){.same = true};
    for (uint32_t step = 1; step <= STEPS; step++) {
        shoal_status st = shl_beams_step(c->beams, step);
        if (st == SHOAL_OK)
            st = shoal_scene_step(c->scene, SHOAL_QUERY_PAIRS);
        if (st != SHOAL_OK)
            return st;
        const double start = bench_now_s();
        deform(c, kernels);
        const double deformed = bench_now_s();
        st = shoal_scene_step(c->usual, SHOAL_QUERY_PAIRS);
        if (st != SHOAL_OK)
            return st;
        const shoal_stats r = shoal_scene_stats(c->scene), u = shoal_scene_stats(c->usual);
        out->same &= shoal_scene_hash(c->scene) == shoal_scene_hash(c->usual);
        if (step == 1)
            continue; // new memory
        out->reduced_s += r.wall_s;
        out->deform_s += deformed - start;
        out->usual_s += u.wall_s;
        out->opened += r.opened_nodes;
        out->vertices += r.evaluated_vertices;
        out->candidates += r.candidates;
        out->pairs += r.pairs;
    }
    return SHOAL_OK;
}

static shoal_status time_steps(bench_report *report, shoal_context *ctx, shoal_bounds bounds,
                               uint32_t repeat)
{
    contender c = {0};
    sums best = {0}, s = {0};
    bool same = true;
    shoal_status st = begin(&c, ctx, bounds);
    for (uint32_t i = 0; i < repeat && st == SHOAL_OK; i++) {
        st = run_steps(&c, &ctx->kernels, &s);
        bench_keep_least(&best.reduced_s, s.reduced_s);
        bench_keep_least(&best.usual_s, s.usual_s);
        bench_keep_least(&best.deform_s, s.deform_s);
        same &= s.same;
    }
    if (st == SHOAL_OK) {
        const double steps = STEPS - 1, usual = best.deform_s + best.usual_s;
        bench_row(report,
                  json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "bounds",
                            bounds_names[bounds], "step_ms", 1e3 * best.reduced_s / steps,
                            "usual_ms", 1e3 * usual / steps, "deform_ms",
                            1e3 * best.deform_s / steps, "opened", (double)s.opened / steps,
                            "vertices", (double)s.vertices / steps, "candidates",
                            (double)s.candidates / steps, "pairs", (double)s.pairs / steps));
        bench_gate_named(report, usual / best.reduced_s, 5, 20, BENCH_HIGHER,
                         "usual step / step with %s", bounds_names[bounds]);
        bench_gate(report, "same pairs as the usual way", same, 1, 1, BENCH_HIGHER);
    }
    end(&c);
    return st;
}

shoal_status bench_reduced(const bench_options *options, bench_report *report)
{
    const uint32_t repeat = options->repeat;
    time_nodes(report, repeat);
    shoal_status st = bench_thrown_ball(report, &options->context->kernels, repeat);
    for (int bounds = SHOAL_BOUNDS_SPHERES; bounds <= SHOAL_BOUNDS_AFFINE && !st; bounds++)
        st = time_steps(report, options->context, (shoal_bounds)bounds, repeat);
    return st;
}
