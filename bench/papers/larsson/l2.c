// SPDX-License-Identifier: MIT
// L2: how the time of L1's first contact and of its worst step grow with the number of
// triangles (table 1 of the paper, whose numbers cannot be read in the scan we know).
#include "bench/papers/larsson/larsson.h"

#include <math.h>
#include <stdio.h>

enum { LEAST_K = 3, SIZES = 4, REPEATS_LEAST = 3 };
enum { FROM = L_HYBRID, COUNT = L_SHOAL_HYBRID - L_HYBRID + 1 };

static const double patience_s = 20; // of each size

// Microseconds of one contender.
typedef struct moments {
    double first_us[SIZES], worst_us[SIZES];
} moments;

static uint32_t first_hit(const bench_film *f)
{
    uint32_t frame = 0;
    while (frame + 1 < f->frame_count && !f->pairs[frame].count)
        frame++;
    return frame;
}

static uint32_t worst(const bench_times *t, uint32_t frames)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < frames; i++)
        at = t->frames[i].s[BENCH_WHOLE] > t->frames[at].s[BENCH_WHOLE] ? i : at;
    return at;
}

static shoal_status measure(uint32_t size, uint32_t repeat, moments m[COUNT], bool *same,
                            bench_report *report)
{
    shl_scene_params params = shl_scene_defaults(SHL_SCENE_BUMPY_2);
    params.k = LEAST_K + size;
    params.steps = L_STEPS;
    bench_film film;
    shoal_status st = bench_film_create(SHL_SCENE_BUMPY_2, &params, 1, &film);
    if (st != SHOAL_OK)
        return st;
    bench_contest c = {.film = &film,
                       .contenders = bench_l_contenders + FROM,
                       .count = COUNT,
                       .repeat = repeat,
                       .least = REPEATS_LEAST,
                       .patience_s = patience_s};
    st = bench_contest_run(&c);
    for (uint32_t i = 0; i < COUNT && st == SHOAL_OK; i++) {
        const uint32_t hit = first_hit(&film), hard = worst(&c.times[i], c.frame_count);
        m[i].first_us[size] = 1e6 * c.times[i].frames[hit].s[BENCH_WHOLE];
        m[i].worst_us[size] = 1e6 * c.times[i].frames[hard].s[BENCH_WHOLE];
        bench_row(report,
                  json_pack("{s:i, s:s, s:i, s:f, s:i, s:f, s:I}", "triangles",
                            (int)film.rest.triangle_count, "contender", c.contenders[i].name,
                            "first_hit_step", (int)film.steps[hit], "first_hit_us",
                            m[i].first_us[size], "worst_step", (int)film.steps[hard],
                            "worst_us", m[i].worst_us[size], "worst_pairs",
                            (json_int_t)film.pairs[hard].count));
        *same = *same && c.times[i].same;
    }
    bench_contest_finish(&c);
    bench_film_finish(&film);
    return st;
}

// By least squares, of the logarithms; each size has four times the triangles of the one
// before.
static double slope(const double us[SIZES])
{
    double top = 0, bottom = 0;
    for (int i = 0; i < SIZES; i++) {
        const double x = i - 0.5 * (SIZES - 1);
        top += x * log(us[i]) / log(4);
        bottom += x * x;
    }
    return top / bottom;
}

shoal_status bench_l2(const bench_options *options, bench_report *report)
{
    const uint32_t repeat = options->repeat;
    moments m[COUNT];
    bool same = true;
    shoal_status st = SHOAL_OK;
    for (uint32_t size = 0; size < SIZES && st == SHOAL_OK; size++)
        st = measure(size, repeat, m, &same, report);
    for (uint32_t i = 0; i < COUNT && st == SHOAL_OK; i++) {
        const char *who = bench_l_contenders[FROM + i].name;
        const double slopes[2] = {slope(m[i].first_us), slope(m[i].worst_us)};
        bench_row(report, json_pack("{s:s, s:f, s:f}", "slope", who, "first_hit", slopes[0],
                                    "worst", slopes[1]));
        if (FROM + i == L_BERGEN)
            continue;
        bench_gate_named(report, slopes[0], 1.15, 1, BENCH_LOWER,
                         "%s, log-log slope of the first hit", who);
        bench_gate_named(report, slopes[1], 1.15, 1, BENCH_LOWER,
                         "%s, log-log slope of the worst step", who);
    }
    if (st == SHOAL_OK)
        bench_gate(report, "all contenders report the same pairs", same, 1, 1, BENCH_HIGHER);
    return st;
}
