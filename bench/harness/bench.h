// SPDX-License-Identifier: MIT
// Experiments: each compares contenders in one run and ends in gates, ratios that must hold.
#ifndef SHL_BENCH_HARNESS_BENCH_H
#define SHL_BENCH_HARNESS_BENCH_H

#include "bench/harness/clock.h"

#include <jansson.h>
#include <shoal/shoal.h>

typedef struct bench_options {
    uint32_t threads[32]; // as asked with -t; the default is 1 and 2
    uint32_t thread_count;
    uint32_t repeat;        // measurements per contender; as asked, 0: the experiment's own
    shoal_context *context; // for experiments that want one; made by bench_run()
    const char *scene;      // a built-in scene, NULL: the experiment's own
    const char *csv;        // files to write as well; NULL: none
    const char *plot;
} bench_options;

// Which way a gate's value is better.
typedef enum bench_better { BENCH_LOWER, BENCH_HIGHER } bench_better;

// What an experiment fills: {"id", "rows": [...], "gates": [...]}.
typedef struct bench_report {
    json_t *rows, *gates;
    bool pass;
} bench_report;

// Adds one line of the table; the report takes over `row`.
void bench_row(bench_report *report, json_t *row);

// Adds a gate; it passes if value is at least as good as need.
void bench_gate(bench_report *report, const char *name, double value, double need, double aim,
                bench_better better);

// The same with a name as printf() makes it.
void bench_gate_named(bench_report *report, double value, double need, double aim,
                      bench_better better, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

typedef shoal_status bench_fn(const bench_options *options, bench_report *report);

typedef struct bench_experiment {
    const char *id;
    const char *summary;
    bench_fn *run;
    uint32_t repeats; // unless asked for
    bool context;     // wants one
} bench_experiment;

// Ends with a row whose id is NULL.
extern const bench_experiment bench_experiments[];

// Runs one experiment. `*out` is its JSON object, to be released by the caller.
SHOAL_CHECK shoal_status bench_run(const bench_experiment *experiment,
                                   const bench_options *options, json_t **out, bool *pass);

// Prints an experiment's rows and gates as text for people.
void bench_print(const json_t *experiment);

bench_fn bench_kernels, bench_scaling, bench_l1, bench_l2, bench_l3, bench_trees, bench_broad,
    bench_tangle, bench_reduced, bench_b2, bench_b3, bench_b4, bench_b5, bench_b6, bench_m1,
    bench_m2, bench_m3, bench_m4, bench_list, bench_v1, bench_v3, bench_v4, bench_v5, bench_v6,
    bench_v7, bench_v8, bench_gpu, bench_output, bench_neighbour, bench_crowd;

// The part of bench_gpu that runs scenes.
shoal_status bench_gpu_counts(const bench_options *options, bench_report *report);

// The part of bench_broad that runs whole scenes.
SHOAL_CHECK shoal_status bench_broad_fat(shoal_context *ctx, bench_report *report);

#endif
