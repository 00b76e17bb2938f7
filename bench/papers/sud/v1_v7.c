// SPDX-License-Identifier: MIT
// V1 to V7: the scenes of Sud et al. 2006. Trees that know nothing but boxes, trees that begin
// with what was nearest in the last step, and the grid, on the same bodies in turns.
#include "bench/harness/bench.h"
#include "bench/harness/chart.h"
#include "bench/harness/mirror.h"
#include "bench/papers/sud/grid_stage.h"
#include "runtime/queries/distance/distance.h"
#include "runtime/scene/scene.h"

#include <shoal/shoal.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

enum { PLAIN, TREES, GRID, AUTO, CONTENDERS, WARM_UP = 6, STEPS_MOST = 32 };

static const char *const names[CONTENDERS] = {"plain", "trees", "grid", "auto"};
static const shoal_distance_engine engines[CONTENDERS] = {
    SHOAL_DISTANCE_PLAIN, SHOAL_DISTANCE_TREES, SHOAL_DISTANCE_GRID, SHOAL_DISTANCE_AUTO};

typedef struct subject {
    const char *id;
    shl_scene_id scene;
    uint32_t queries;
    uint32_t skip, steps; // before the measurement; of it
    bool grid;            // takes part
    double fewer, faster; // gates; 0: none
    bool forget;          // the grid begins each step without what the last one found
} subject;

enum {
    Q1 = SHOAL_QUERY_NEAREST,
    Q2 = SHOAL_QUERY_NEAREST_TRIANGLES,
    Q3 = SHOAL_QUERY_NEAREST_SELF,
};

static const subject subjects[] = {
    {"V1", SHL_SCENE_SKIRT, Q3, 40, 6, false, 5, 0, false},
    {"V3", SHL_SCENE_LETTERS_BOWL, Q1 | Q2 | Q3, 60, 8, true, 5, 0, false},
    {"V4", SHL_SCENE_LETTERS_RAMP, Q1 | Q2, 30, 5, true, 10, 5, false},
    {"V5", SHL_SCENE_BREAKING, Q1 | Q2, 60, 8, true, 5, 0, false},
};

typedef struct contender {
    bench_mirror mirror;
    double ms[STEPS_MOST];
    double distances; // a step
    double box_pairs; // what boxes leave of them
    double grid_ms, gpu_jobs;
    uint64_t hash;
} contender;

typedef struct outcome {
    contender c[CONTENDERS];
    double triangles, bodies;
    bool same;
} outcome;

// As the paper has it: bounds come from the grid alone.
static void forget(shoal_scene *scene)
{
    for (uint32_t i = 0; i < shl_query_count; i++) {
        if (shl_queries[i] != &shl_distance_query)
            continue;
        shl_distance *d = scene->queries[i];
        d->known[0] = d->known[1] = false;
        d->witness_count = 0;
    }
}

static shoal_status turn(contender *c, bench_leader *leader, uint32_t queries, uint32_t at,
                         uint32_t steps)
{
    shoal_status st = bench_mirror_follow(&c->mirror, leader);
    if (st == SHOAL_OK)
        st = shoal_scene_step(c->mirror.scene, queries);
    if (st != SHOAL_OK || at >= STEPS_MOST)
        return st;
    const shoal_stats t = shoal_scene_stats(c->mirror.scene);
    c->ms[at] = 1e3 * t.wall_s;
    c->distances += (double)t.distances / steps;
    c->box_pairs += (double)t.candidates / steps;
    c->grid_ms += 1e3 * shoal_scene_seconds(c->mirror.scene, SHOAL_PHASE_GRID) / steps;
    c->gpu_jobs += (double)t.gpu_jobs;
    c->hash = (c->hash ^ shoal_scene_hash(c->mirror.scene)) * 0x9e3779b97f4a7c15u;
    return SHOAL_OK;
}

// All see each step; who needs no past joins for the measured ones only.
static shoal_status observe(const subject *s, uint32_t threads, uint32_t resolution,
                            uint32_t who, outcome *out)
{
    *out = (outcome){.same = true};
    bench_leader leader;
    shoal_status st = bench_leader_start(s->scene, threads, &leader);
    for (int i = 0; i < CONTENDERS && st == SHOAL_OK; i++) {
        shoal_scene_def def = shoal_scene_def_default();
        def.threads = threads;
        def.distance_engine = engines[i];
        def.grid_resolution = i == GRID ? resolution : 0;
        if (who >> i & 1)
            st = bench_mirror_start(&leader, &def, &out->c[i].mirror);
    }
    for (uint32_t step = 0; step < s->skip + s->steps && st == SHOAL_OK; step++) {
        st = bench_leader_step(&leader);
        for (int k = 0; k < CONTENDERS && st == SHOAL_OK; k++) {
            const int i = (k + (int)step) % CONTENDERS;
            const uint32_t from = i == PLAIN ? s->skip : s->skip - WARM_UP;
            if (who >> i & 1 && i == GRID && s->forget)
                forget(out->c[i].mirror.scene);
            if (who >> i & 1 && step >= from)
                st = turn(&out->c[i], &leader, s->queries,
                          step >= s->skip ? step - s->skip : STEPS_MOST, s->steps);
        }
    }
    out->triangles = st == SHOAL_OK ? (double)shl_motion_triangle_count(leader.motion) : 0;
    out->bodies = st == SHOAL_OK ? shl_motion_body_count(leader.motion) : 0;
    for (int i = 0; i < CONTENDERS; i++) {
        if (who >> i & 1)
            out->same = out->same && out->c[i].hash == out->c[TREES].hash;
        bench_mirror_finish(&out->c[i].mirror);
    }
    bench_leader_finish(&leader);
    return st;
}

static double ms_of(contender *c, uint32_t steps)
{
    double copy[STEPS_MOST];
    memcpy(copy, c->ms, sizeof copy);
    return bench_median(copy, steps);
}

static void gate(bench_report *report, const char *id, const char *what, double value,
                 double need, double aim)
{
    bench_gate_named(report, value, need, aim, BENCH_HIGHER, "%s: %s", id, what);
}

// One scene; with `all`, its times are gates too.
static shoal_status contest(const subject *s, const bench_options *options,
                            bench_report *report, bool all)
{
    const uint32_t threads = options->threads[options->thread_count - 1];
    const uint32_t who = 1u << PLAIN | 1u << TREES | (s->grid ? 1u << GRID | 1u << AUTO : 0);
    outcome o;
    const shoal_status st = observe(s, threads, 0, who, &o);
    if (st != SHOAL_OK)
        return st;
    const double plain = o.c[PLAIN].box_pairs; // it tests what its boxes leave
    for (int i = 0; i < CONTENDERS; i++) {
        if (!(who >> i & 1))
            continue;
        const double ms = ms_of(&o.c[i], s->steps);
        bench_row(report,
                  json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "id",
                            s->id, "scene", shl_scene_name(s->scene), "engine", names[i],
                            "bodies", o.bodies, "triangles", o.triangles, "ms_per_step", ms,
                            "grid_ms", o.c[i].grid_ms, "triangle_tests", o.c[i].distances,
                            "tests_per_triangle", o.c[i].distances / o.triangles, "box_pairs",
                            o.c[i].box_pairs, "fewer", plain / o.c[i].distances));
    }
    gate(report, s->id, "same bytes by every engine", o.same, 1, 1);
    gate(report, s->id, "triangle tests, plain / trees", plain / o.c[TREES].distances, s->fewer,
         4 * s->fewer);
    if (s->grid)
        gate(report, s->id, "triangle tests, plain / grid", plain / o.c[GRID].distances,
             s->fewer, 4 * s->fewer);
    if (all && s->faster > 0)
        gate(report, s->id, "whole step, plain / auto",
             ms_of(&o.c[PLAIN], s->steps) / ms_of(&o.c[AUTO], s->steps), s->faster,
             2 * s->faster);
    return SHOAL_OK;
}

static shoal_status one(const char *id, const bench_options *options, bench_report *report)
{
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        if (strcmp(subjects[i].id, id) == 0)
            return contest(&subjects[i], options, report, true);
    }
    return SHOAL_ERR_ARGUMENT;
}

shoal_status bench_v1(const bench_options *options, bench_report *report)
{
    return one("V1", options, report);
}

shoal_status bench_v3(const bench_options *options, bench_report *report)
{
    return one("V3", options, report);
}

shoal_status bench_v4(const bench_options *options, bench_report *report)
{
    return one("V4", options, report);
}

shoal_status bench_v5(const bench_options *options, bench_report *report)
{
    return one("V5", options, report);
}

// How much is culled, on all scenes; few steps of each. And what the grid itself costs.
shoal_status bench_v6(const bench_options *options, bench_report *report)
{
    shoal_status st = bench_grid_stage(report);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects && st == SHOAL_OK; i++) {
        subject s = subjects[i];
        s.id = shl_scene_name(s.scene);
        s.steps = 2;
        s.fewer = 5; // the paper's range begins here
        st = contest(&s, options, report, false);
    }
    return st;
}

// --- V7: how fine the grid is. ---

enum { SIZES = 7 };

typedef struct sweep {
    double x[SIZES], total[SIZES], bounds[SIZES], exact[SIZES];
} sweep;

static void draw(FILE *f, const void *what)
{
    const sweep *s = what;
    const bench_line lines[] = {
        {.name = "whole step", .colour = "#204080", .count = SIZES, .x = s->x, .y = s->total},
        {.name = "grid", .colour = "#c04020", .count = SIZES, .x = s->x, .y = s->bounds},
        {.name = "exact search",
         .colour = "#408040",
         .dashed = true,
         .count = SIZES,
         .x = s->x,
         .y = s->exact},
    };
    const bench_lines picture = {.title = "V7: letters-ramp, time over the grid's resolution",
                                 .x_name = "cells along the longest side",
                                 .y_name = "ms a step",
                                 .lines = lines,
                                 .count = 3};
    bench_lines_draw(f, &picture);
}

shoal_status bench_v7(const bench_options *options, bench_report *report)
{
    static const uint32_t sizes[SIZES] = {6, 12, 25, 50, 100, 200, 400};
    const uint32_t threads = options->threads[options->thread_count - 1];
    subject s = {"V7", SHL_SCENE_LETTERS_RAMP, Q1 | Q2, 30, 4, true, 0, 0, true};
    sweep w;
    bool same = true;
    int best = 0;
    for (int i = 0; i < SIZES; i++) {
        outcome o;
        const shoal_status st = observe(&s, threads, sizes[i], 1u << TREES | 1u << GRID, &o);
        if (st != SHOAL_OK)
            return st;
        w.x[i] = sizes[i];
        w.total[i] = ms_of(&o.c[GRID], s.steps);
        w.bounds[i] = o.c[GRID].grid_ms / threads;
        w.exact[i] = w.total[i] - w.bounds[i];
        best = w.total[i] < w.total[best] ? i : best;
        same = same && o.same;
        bench_row(report,
                  json_pack("{s:i, s:f, s:f, s:f, s:f}", "resolution", (int)sizes[i],
                            "ms_per_step", w.total[i], "grid_ms", w.bounds[i], "triangle_tests",
                            o.c[GRID].distances, "trees_tests", o.c[TREES].distances));
    }
    if (options->plot && !bench_file_write(options->plot, draw, &w))
        return SHOAL_ERR_FILE;
    bench_gate(report, "same bytes at every resolution", same, 1, 1, BENCH_HIGHER);
    const double ends = w.total[0] < w.total[SIZES - 1] ? w.total[0] : w.total[SIZES - 1];
    bench_gate(report, "U shape: the lower end / the least", ends / w.total[best], 1.05, 1.5,
               BENCH_HIGHER);
    return SHOAL_OK;
}

// --- The GPU's grid beside the CPU's. ---

// Who is counted: V7 is V4's scene with resolutions of its own; V6 counts on all of them.
typedef struct counted {
    int subject;
    uint32_t more; // queries; V1's alone stay within the body, where no grid is used
    uint32_t resolution;
} counted;

static const counted counts[] = {{0, Q1 | Q2, 0}, {1, 0, 0},  {2, 0, 0},
                                 {3, 0, 0},       {2, 0, 50}, {2, 0, 200}};

// Whether both leave the same work and give the same bytes. SHOAL_GPU is read by contexts.
shoal_status bench_gpu_counts(const bench_options *options, bench_report *report)
{
    const uint32_t threads = options->threads[options->thread_count - 1];
    double most = 0;
    bool same = true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        subject s = subjects[counts[i].subject];
        s.queries |= counts[i].more;
        s.steps = 3;
        outcome o[2];
        for (int gpu = 0; gpu < 2; gpu++) {
            setenv("SHOAL_GPU", gpu ? "force" : "off", 1);
            const shoal_status st =
                observe(&s, threads, counts[i].resolution, 1u << TREES | 1u << GRID, &o[gpu]);
            if (st != SHOAL_OK)
                return st;
        }
        const double ratio = o[1].c[GRID].distances / o[0].c[GRID].distances;
        const double off = ratio > 1 ? ratio - 1 : 1 - ratio;
        most = off > most ? off : most;
        same = same && o[0].same && o[1].same && o[0].c[GRID].hash == o[1].c[GRID].hash;
        same = same && o[1].c[GRID].gpu_jobs >= s.steps;
        bench_row(report,
                  json_pack("{s:s, s:i, s:f, s:f, s:f}", "scene", shl_scene_name(s.scene),
                            "resolution", (int)counts[i].resolution, "gpu_jobs",
                            o[1].c[GRID].gpu_jobs, "tests_cpu_grid", o[0].c[GRID].distances,
                            "tests_gpu_grid", o[1].c[GRID].distances));
    }
    bench_gate(report, "triangle tests, GPU's grid and CPU's differ by", most, 0.02, 0.001,
               BENCH_LOWER);
    bench_gate(report, "same bytes with the GPU", same, 1, 1, BENCH_HIGHER);
    return SHOAL_OK;
}
