// SPDX-License-Identifier: MIT
// M3 and M4: skinned bodies swing and swim into each other, after table 2 of
// Steinemann et al. 2007 and its fish. Shoal on one thread beside the usual way on one thread,
// which evaluates every vertex and refreshes every box.
#include "bench/harness/bench.h"
#include "bench/papers/steinemann/skinned_film.h"

#include <math.h>
#include <stdio.h>

enum { FRAMES = 16, UNCOUNTED = 2 };

// One row of the table, with what the paper has for it.
typedef struct row {
    shl_scene_id scene;
    uint32_t vertices, nodes, contact, from;
    double paper_refit, paper_total, paper_query; // the latter: of ours by the usual query
} row;

static const row ring_rows[] = {
    {SHL_SCENE_RING, 2857, 115, 0, 100, 37.1 / 1.83, 5.2, 5.72 / 2.12},
    {SHL_SCENE_RING, 2857, 550, 0, 100, 37.1 / 2.36, 4.9, 5.60 / 2.12},
    {SHL_SCENE_RING, 45682, 115, 0, 100, 575.7 / 4.54, 27.5, 16.6 / 5.89},
    {SHL_SCENE_RING, 45682, 550, 0, 100, 575.7 / 5.77, 23.7, 18.7 / 5.89},
    {SHL_SCENE_RING, 2857, 115, 1, 100, 37.9 / 3.38, 3.0, 10.0 / 2.48},
    {SHL_SCENE_RING, 2857, 550, 1, 100, 37.9 / 3.26, 3.2, 9.28 / 2.48},
    {SHL_SCENE_RING, 45682, 115, 1, 100, 569.7 / 6.87, 18.4, 24.5 / 8.84},
    {SHL_SCENE_RING, 45682, 550, 1, 100, 569.7 / 8.23, 15.4, 29.3 / 8.84},
};
static const row fish_row = {SHL_SCENE_FISH_24, 8000, 96,         0, 60,
                             401.7 / 5.3,       13.2, 26.3 / 16.6};

// Means over the frames, of each frame's best; ratios are the usual way's time by shoal's.
typedef struct result {
    double refit, total, query;          // at equal care; the query is shoal's by the usual one
    double literal_refit, literal_total; // the usual way literally, by shoal
    double relative;                     // speed-up of two threads by that of the compute loop
    double touching;
    bool same;
} result;

static void keep_time(skinned_time *best, skinned_time t)
{
    // the frame as a whole decides, so that both parts are of one run
    const double now = t.refit_s + t.query_s, before = best->refit_s + best->query_s;
    if (now > 0 && (before == 0 || now < before))
        *best = t;
}

static shoal_status measure(bench_skinned *c, uint32_t repeat, skinned_times *best, bool *same)
{
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < repeat && st == SHOAL_OK; i++) {
        for (uint32_t f = 0; f < c->frame_count && st == SHOAL_OK; f++) {
            skinned_times t;
            st = bench_skinned_frame(c, f, i == 0, &t);
            *same = *same && t.same;
            keep_time(&best[f].shoal, t.shoal);
            keep_time(&best[f].usual, t.usual);
            keep_time(&best[f].literal, t.literal);
            for (int k = 0; k < SKINNED_THREADS; k++) {
                bench_keep_least(&best[f].both_s[k], t.both_s[k]);
                bench_keep_least(&best[f].loop_s[k], t.loop_s[k]);
                best[f].nodes_tested[k] = t.nodes_tested[k];
            }
            best[f].opened = t.opened;
            best[f].vertices = t.vertices;
            best[f].pairs = t.pairs;
        }
    }
    return st;
}

static void add_time(skinned_time *to, skinned_time t)
{
    to->refit_s += t.refit_s;
    to->query_s += t.query_s;
}

static double whole(skinned_time t)
{
    return t.refit_s + t.query_s;
}

// Frames after the first ones, whose boxes come from another place in the film.
static skinned_times sum_of(const skinned_times *best, uint32_t frames)
{
    skinned_times sum = {0};
    for (uint32_t f = UNCOUNTED; f < frames; f++) {
        add_time(&sum.shoal, best[f].shoal);
        add_time(&sum.usual, best[f].usual);
        add_time(&sum.literal, best[f].literal);
        for (int k = 0; k < SKINNED_THREADS; k++) {
            sum.both_s[k] += best[f].both_s[k];
            sum.loop_s[k] += best[f].loop_s[k];
            sum.nodes_tested[k] += best[f].nodes_tested[k];
        }
        sum.opened += best[f].opened;
        sum.vertices += best[f].vertices;
        sum.pairs += best[f].pairs;
    }
    return sum;
}

static void add_row(bench_report *report, const row *r, const skinned_times *s,
                    const result *out)
{
    const double n = FRAMES - UNCOUNTED, ms = 1e3 / n;
    json_t *json = json_pack(
        "{s:i, s:i, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "vertices",
        (int)r->vertices, "nodes", (int)r->nodes, "contact", r->contact ? "large" : "small",
        "touching_%", 100 * out->touching, "usual_refit_ms", ms * s->usual.refit_s,
        "usual_query_ms", ms * s->usual.query_s, "refit_ms", ms * s->shoal.refit_s, "query_ms",
        ms * s->shoal.query_s, "refit_x", out->refit, "total_x", out->total, "query_x",
        out->query, "paper_refit_x", r->paper_refit, "paper_total_x", r->paper_total);
    json_t *more = json_pack(
        "{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "paper_query_x", r->paper_query,
        "literal_ms", ms * whole(s->literal), "literal_refit_x", out->literal_refit,
        "literal_total_x", out->literal_total, "two_threads_x", s->both_s[0] / s->both_s[1],
        "loop_two_threads_x", s->loop_s[0] / s->loop_s[1], "opened", s->opened / n,
        "evaluated_vertices", s->vertices / n, "pairs", s->pairs / n, "box_pairs_x",
        s->nodes_tested[0] / fmax(1, s->nodes_tested[1]));
    if (json && more)
        json_object_update(json, more);
    json_decref(more);
    bench_row(report, json);
}

static shoal_status run_row(const row *r, uint32_t repeat, bench_report *report, result *out)
{
    shl_scene_params params = shl_scene_defaults(r->scene);
    params.vertices = r->vertices;
    params.controls = r->nodes;
    params.contact = r->contact;
    bench_skinned c;
    shoal_status st =
        bench_skinned_create(shl_scene_play(r->scene), &params, r->from, FRAMES, &c);
    if (st != SHOAL_OK)
        return st;
    skinned_times best[FRAMES] = {0};
    *out = (result){.same = true, .touching = c.touching};
    st = measure(&c, repeat, best, &out->same);
    bench_skinned_finish(&c);
    const skinned_times s = sum_of(best, FRAMES);
    out->refit = s.usual.refit_s / s.shoal.refit_s;
    out->total = whole(s.usual) / whole(s.shoal);
    out->query = s.shoal.query_s / s.usual.query_s;
    out->literal_refit = s.literal.refit_s / s.shoal.refit_s;
    out->literal_total = whole(s.literal) / whole(s.shoal);
    // a loop that does not gain by a second thread has met other work
    out->relative = s.both_s[0] / s.both_s[1] / fmax(1, s.loop_s[0] / s.loop_s[1]);
    if (st == SHOAL_OK)
        add_row(report, r, &s, out);
    return st;
}

shoal_status bench_m3(const bench_options *options, bench_report *report)
{
    const uint32_t repeat = options->repeat;
    shoal_status st = SHOAL_OK;
    bool same = true;
    result worst = {.refit = INFINITY, .total = INFINITY, .relative = INFINITY};
    for (size_t i = 0; i < sizeof ring_rows / sizeof *ring_rows && st == SHOAL_OK; i++) {
        result r = {0};
        st = run_row(&ring_rows[i], repeat, report, &r);
        same = same && r.same;
        if (ring_rows[i].vertices < 10000 || ring_rows[i].contact)
            continue;
        worst.refit = fmin(worst.refit, r.refit);
        worst.total = fmin(worst.total, r.total);
        worst.query = fmax(worst.query, r.query);
        worst.relative = fmin(worst.relative, r.relative);
    }
    if (st != SHOAL_OK)
        return st;
    bench_gate(report, "usual refit / refit, 45 K, small contact", worst.refit, 35, 150,
               BENCH_HIGHER);
    bench_gate(report, "usual step / step, 45 K, small contact", worst.total, 8, 30,
               BENCH_HIGHER);
    bench_gate(report, "query / query with optimal boxes, 45 K, small contact", worst.query, 2,
               1.5, BENCH_LOWER);
    bench_gate(report, "2-thread speed-up / compute-loop speed-up", worst.relative, 0.85, 0.95,
               BENCH_HIGHER);
    bench_gate(report, "same pairs as the usual way, 1 and 2 threads", same, 1, 1,
               BENCH_HIGHER);
    return SHOAL_OK;
}

shoal_status bench_m4(const bench_options *options, bench_report *report)
{
    result r;
    const shoal_status st = run_row(&fish_row, options->repeat, report, &r);
    if (st != SHOAL_OK)
        return st;
    bench_gate(report, "usual step / step", r.total, 6, 25, BENCH_HIGHER);
    bench_gate(report, "2-thread speed-up / compute-loop speed-up", r.relative, 0.85, 0.95,
               BENCH_HIGHER);
    bench_gate(report, "same pairs as the usual way, 1 and 2 threads", r.same, 1, 1,
               BENCH_HIGHER);
    return SHOAL_OK;
}
