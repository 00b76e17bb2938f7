// SPDX-License-Identifier: MIT
// B2: how the time of a step with contact spheres grows: not with the triangles of a body, and
// no faster than the number of bodies.
#include "bench/harness/bench.h"
#include "scenes/plays/beams.h"

#include <stdlib.h>

enum { LEVEL = 10, FIELDS = 10, TURNS_MAX = 100, STEPS = 4, WARM_UP = 2 };

// Squares along and across a plate of the wanted triangles.
typedef struct size {
    uint32_t along, across;
} size;

static const size few = {48, 22}, middle = {94, 46}, many = {189, 94}; // 4.5K, 17.9K, 72K

typedef struct crowd {
    shoal_scene *scene;
    shl_beams *beams;
    uint32_t bodies;
    double seconds[TURNS_MAX * STEPS], step_s; // of the steps that count, and their median
    uint32_t timed;
    size_t contacts;
} crowd;

static shoal_status begin(crowd *c, shoal_context *ctx, size plate, uint32_t bodies)
{
    *c = (crowd){.bodies = bodies};
    const shl_beams_def def = {.along = plate.along,
                               .across = plate.across,
                               .fields = FIELDS,
                               .bodies = bodies,
                               .spacing = 0.75,
                               .amplitude = 0.04,
                               .seed = 1,
                               .spheres = 1 + LEVEL};
    const shoal_scene_def sd = shoal_scene_def_default();
    const shoal_status st = shoal_scene_create(ctx, &sd, &c->scene);
    return st == SHOAL_OK ? shl_beams_create(&def, ctx, c->scene, &c->beams) : st;
}

static void end(crowd *c)
{
    shl_beams_destroy(c->beams);
    shoal_scene_destroy(c->scene);
}

// Steps in which every body has moved; those that only find memory do not count.
static shoal_status run(crowd *c, uint32_t turn)
{
    for (uint32_t step = 1; step <= STEPS; step++) {
        shoal_status st = shl_beams_step(c->beams, turn * STEPS + step);
        if (st == SHOAL_OK)
            st = shoal_scene_step(c->scene, SHOAL_QUERY_SPHERES);
        if (st != SHOAL_OK)
            return st;
        const double s = shoal_scene_stats(c->scene).wall_s;
        if (turn > 0 || step > WARM_UP)
            c->seconds[c->timed++] = s;
        c->contacts = shoal_scene_sphere_contacts(c->scene).count;
    }
    return SHOAL_OK;
}

// Crowds take turns, so that whatever else the machine does falls on all of them.
static shoal_status run_all(crowd *c, uint32_t count, uint32_t repeat)
{
    shoal_status st = SHOAL_OK;
    for (uint32_t turn = 0; turn < repeat && turn < TURNS_MAX; turn++) {
        for (uint32_t i = 0; i < count && st == SHOAL_OK; i++)
            st = run(&c[i], turn);
    }
    for (uint32_t i = 0; i < count && st == SHOAL_OK; i++)
        c[i].step_s = bench_median(c[i].seconds, c[i].timed);
    return st;
}

static void report_crowd(bench_report *report, const crowd *c)
{
    const shoal_model_info model = shoal_model_get_info(shl_beams_model(c->beams));
    bench_row(report, json_pack("{s:i, s:i, s:i, s:f, s:f, s:I, s:f}", "bodies", (int)c->bodies,
                                "triangles", (int)model.triangle_count, "spheres",
                                (int)model.sphere_count, "step_ms", 1e3 * c->step_s,
                                "us_per_body", 1e6 * c->step_s / c->bodies, "contacts",
                                (json_int_t)c->contacts, "resident_gb", bench_resident_gb()));
}

// The same bodies, made of few triangles or of many.
static shoal_status over_triangles(bench_report *report, shoal_context *ctx, uint32_t repeat)
{
    enum { SIZES = 3, BODIES = 1000 };
    const size sizes[SIZES] = {few, middle, many};
    crowd c[SIZES] = {0};
    shoal_status st = SHOAL_OK;
    double least = 1e9, most = 0;
    for (int i = 0; i < SIZES && st == SHOAL_OK; i++)
        st = begin(&c[i], ctx, sizes[i], BODIES);
    if (st == SHOAL_OK)
        st = run_all(c, SIZES, repeat);
    for (int i = 0; i < SIZES; i++) {
        if (st == SHOAL_OK)
            report_crowd(report, &c[i]);
        least = c[i].step_s < least ? c[i].step_s : least;
        most = c[i].step_s > most ? c[i].step_s : most;
        end(&c[i]);
    }
    if (st == SHOAL_OK)
        bench_gate(report, "slowest / fastest, 4.5K to 72K triangles", most / least, 1.2, 1.05,
                   BENCH_LOWER);
    return st;
}

// More of the same bodies, as far from each other.
static shoal_status over_bodies(bench_report *report, shoal_context *ctx, uint32_t repeat)
{
    enum { CROWDS = 3 };
    static const uint32_t counts[CROWDS] = {1000, 10000, 100000};
    crowd c[CROWDS] = {0};
    shoal_status st = SHOAL_OK;
    for (int i = 0; i < CROWDS && st == SHOAL_OK; i++)
        st = begin(&c[i], ctx, middle, counts[i]);
    if (st == SHOAL_OK)
        st = run_all(c, CROWDS, repeat);
    for (int i = 0; i < CROWDS; i++) {
        if (st == SHOAL_OK)
            report_crowd(report, &c[i]);
        end(&c[i]);
    }
    if (st != SHOAL_OK)
        return st;
    bench_gate(report, "time a body, 100,000 / 1,000 bodies",
               c[2].step_s / counts[2] / (c[0].step_s / counts[0]), 1.3, 1, BENCH_LOWER);
    bench_gate(report, "resident memory, GB", bench_resident_gb(), 8, 1, BENCH_LOWER);
    return SHOAL_OK;
}

shoal_status bench_b2(const bench_options *options, bench_report *report)
{
    const shoal_status st = over_triangles(report, options->context, options->repeat);
    return st == SHOAL_OK ? over_bodies(report, options->context, options->repeat) : st;
}
