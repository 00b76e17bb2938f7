// SPDX-License-Identifier: MIT
// From times to speed-ups, and those as JSON, CSV and a picture.
#include "bench/harness/chart.h"
#include "bench/scaling/scaling.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Karp and Flatt 1990: the serial fraction that would explain a speed-up.
static double serial_fraction(double speed_up, uint32_t threads)
{
    const double p = threads;
    return threads > 1 ? (1 / speed_up - 1 / p) / (1 - 1 / p) : NAN;
}

// Each step's median over the repeats, in the mean over the steps.
static double mean_step(const bench_scaling_row *row, bool compute, uint32_t repeat)
{
    double sum = 0, sorted[BENCH_REPEATS_MAX];
    for (uint32_t i = 0; i < row->steps; i++) {
        memcpy(sorted, compute ? row->compute[i] : row->step[i], repeat * sizeof *sorted);
        sum += bench_median(sorted, repeat);
    }
    return sum / row->steps;
}

void bench_scaling_rate(bench_scaling_row *row, const bench_scaling_row *base, uint32_t repeat)
{
    double speed[BENCH_REPEATS_MAX], ms[BENCH_REPEATS_MAX];
    const double work = (double)row->triangles / (double)base->triangles;
    for (uint32_t i = 0; i < repeat; i++)
        speed[i] = work * base->ms[i] / row->ms[i];
    (void)bench_median(speed, repeat); // sorts
    row->speed_up_min = speed[0];
    row->speed_up_max = speed[repeat - 1];
    memcpy(ms, row->ms, repeat * sizeof *ms);
    row->ms_median = bench_median(ms, repeat);
    row->ms_min = ms[0];
    row->ms_max = ms[repeat - 1];
    row->ms_step = mean_step(row, false, repeat);
    row->speed_up = work * mean_step(base, false, repeat) / row->ms_step;
    row->compute_speed_up = mean_step(base, true, repeat) / mean_step(row, true, repeat);
    // a loop that more threads make slower measures the machine's other work; nobody may pass
    // by being compared with that
    row->relative = row->speed_up / (row->compute_speed_up > 1 ? row->compute_speed_up : 1);
    row->efficiency = row->speed_up / row->threads;
    row->karp_flatt = serial_fraction(row->speed_up, row->threads);
}

json_t *bench_scaling_json(const bench_scaling_row *r)
{
    json_t *row =
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "study",
                  r->study, "threads", (json_int_t)r->threads, "bodies", (json_int_t)r->bodies,
                  "triangles", (json_int_t)r->triangles, "pairs", (json_int_t)r->pairs,
                  "ms_step", r->ms_step, "ms_min", r->ms_min, "ms_median", r->ms_median,
                  "ms_max", r->ms_max, "speed_up", r->speed_up, "efficiency", r->efficiency,
                  "compute_speed_up", r->compute_speed_up, "relative", r->relative);
    json_object_set_new(row, "karp_flatt",
                        r->threads > 1 ? json_real(r->karp_flatt) : json_null());
    json_object_set_new(row, "hash", json_sprintf("%016" PRIx64, r->hash));
    return row;
}

static void draw_csv(FILE *f, const void *what)
{
    const bench_scaling_table *t = what;
    fputs("scene,study,threads,bodies,triangles,steps,repeats,pairs,ms_step,ms_min,ms_median,"
          "ms_max,"
          "speed_up,speed_up_min,speed_up_max,efficiency,karp_flatt,compute_speed_up,relative,"
          "hash\n",
          f);
    for (uint32_t i = 0; i < t->count; i++) {
        const bench_scaling_row *r = &t->rows[i];
        fprintf(f, "%s,%s,%u,%u,%" PRIu64 ",%u,%u,%" PRIu64 ",%.6g,%.6g,%.6g,%.6g,", t->scene,
                r->study, r->threads, r->bodies, r->triangles, t->steps, t->repeat, r->pairs,
                r->ms_step, r->ms_min, r->ms_median, r->ms_max);
        fprintf(f, "%.5g,%.5g,%.5g,%.5g,", r->speed_up, r->speed_up_min, r->speed_up_max,
                r->efficiency);
        if (r->threads > 1)
            fprintf(f, "%.5g", r->karp_flatt);
        fprintf(f, ",%.5g,%.5g,%016" PRIx64 "\n", r->compute_speed_up, r->relative, r->hash);
    }
}

bool bench_scaling_csv(const char *path, const bench_scaling_table *table)
{
    return bench_file_write(path, draw_csv, table);
}

typedef struct columns {
    double x[BENCH_COUNTS_MAX], y[BENCH_COUNTS_MAX];
    double low[BENCH_COUNTS_MAX], high[BENCH_COUNTS_MAX];
    uint32_t count;
} columns;

static void add_point(columns *c, double x, double y, double low, double high)
{
    c->x[c->count] = x;
    c->y[c->count] = y;
    c->low[c->count] = low;
    c->high[c->count++] = high;
}

static void draw_plot(FILE *f, const void *what)
{
    const bench_scaling_table *t = what;
    columns ideal = {.count = 0}, loop = {.count = 0}, strong = {.count = 0},
            weak = {.count = 0};
    for (uint32_t i = 0; i < t->count; i++) {
        const bench_scaling_row *r = &t->rows[i];
        const bool is_strong = strcmp(r->study, "strong") == 0;
        add_point(is_strong ? &strong : &weak, r->threads, r->speed_up, r->speed_up_min,
                  r->speed_up_max);
        if (!is_strong)
            continue;
        add_point(&ideal, r->threads, r->threads, 0, 0);
        add_point(&loop, r->threads, r->compute_speed_up, 0, 0);
    }
    const bench_line lines[] = {
        {.name = "ideal",
         .colour = "#bbbbbb",
         .dashed = true,
         .count = ideal.count,
         .x = ideal.x,
         .y = ideal.y},
        {.name = "compute loop",
         .colour = "#4477aa",
         .dashed = true,
         .count = loop.count,
         .x = loop.x,
         .y = loop.y},
        {.name = "strong",
         .colour = "#228833",
         .count = strong.count,
         .x = strong.x,
         .y = strong.y,
         .low = strong.low,
         .high = strong.high},
        {.name = "weak, scaled",
         .colour = "#aa3377",
         .count = weak.count,
         .x = weak.x,
         .y = weak.y,
         .low = weak.low,
         .high = weak.high},
    };
    char title[160];
    snprintf(title, sizeof title, "shoal bench scaling, %s: %u steps, %u repeats", t->scene,
             t->steps, t->repeat);
    const bench_lines picture = {.title = title,
                                 .x_name = "threads",
                                 .y_name = "speed-up",
                                 .lines = lines,
                                 .count = weak.count ? 4 : 3};
    bench_lines_draw(f, &picture);
}

bool bench_scaling_plot(const char *path, const bench_scaling_table *table)
{
    return bench_file_write(path, draw_plot, table);
}
