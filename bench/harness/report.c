// SPDX-License-Identifier: MIT
#include "bench/harness/bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const bench_experiment bench_experiments[] = {
    {"kernels", "each kernel's bodies, the update of two bodies, leaf tests, the executor",
     bench_kernels, 15, true},
    {"scaling", "speed-up over threads, strong and weak, beside a pure-compute loop",
     bench_scaling, 5, true},
    {"crowd", "100,000 bodies: at rest on two threads, and the nearest of each", bench_crowd, 1,
     true},
    {"neighbour", "one thread and two beside processes that use up all CPUs", bench_neighbour,
     1, true},
    {"L1", "two bodies meet: the paper's update strategies, literal and within shoal", bench_l1,
     5, true},
    {"L2", "how first contact and worst step of L1 grow with the triangles", bench_l2, 7,
     false},
    {"L3", "crowds of 27 bodies and a pile of 1,000 plates, the same contenders", bench_l3, 5,
     false},
    {"L4", "trees: builders and arities, steps in turns, on one thread", bench_trees, 3, true},
    {"L5", "overlapping boxes, up to 10^6: four broad phases, same pairs", bench_broad, 1,
     true},
    {"tangle", "bodies whose trees decay: built anew or never", bench_tangle, 1, true},
    {"B1", "reduced bodies: opening a node, and a step beside deforming every vertex",
     bench_reduced, 5, true},
    {"B2", "contact spheres: steps of bodies of many triangles, and of many bodies", bench_b2,
     5, true},
    {"B3", "3,601 chairs that push each other: deformable and rigid, one thread and two",
     bench_b3, 5, true},
    {"B4", "12,000 fish on a bridge: memory, and where the time goes", bench_b4, 1, true},
    {"B5", "reduced bodies: how much bounds grow, level by level", bench_b5, 1, false},
    {"B6", "reduced bodies: radii of a bent plate, wrapped and layered", bench_b6, 1, false},
    {"M1", "point-based bodies: the box of the whole beside that of all vertices", bench_m1, 1,
     false},
    {"M2", "point-based bodies: how tight boxes are, level by level", bench_m2, 1, false},
    {"M3", "skinned figures on a ring, beside evaluating every vertex", bench_m3, 3, false},
    {"M4", "a swarm of skinned fish, the same", bench_m4, 3, false},
    {"neighbour_list",
     "steps that reuse a neighbour list of near triangles against steps that do not",
     bench_list, 3, true},
    {"V1", "distances within a skirt: trees with and without a memory", bench_v1, 1, false},
    {"V3", "distances of letters in a bowl, by all engines", bench_v3, 1, false},
    {"V4", "distances of 200 letters in a funnel and on a ramp, by all engines", bench_v4, 1,
     false},
    {"V5", "distances of bodies that break", bench_v5, 1, false},
    {"V6", "how many triangle tests the engines leave, on all scenes", bench_v6, 1, false},
    {"V7", "how fine the grid for distances is: a curve like a U", bench_v7, 1, false},
    {"V8", "small scenes of contact, slivers, specks and band edges, against brute force",
     bench_v8, 1, false},
    {"gpu", "the GPU's grid: same answers, overlap with the CPU, cost beside a CPU scan",
     bench_gpu, 1, false},
    {"output", "what frames for viewers cost a run of chairs", bench_output, 7, false},
    {NULL, NULL, NULL, 0, false},
};

void bench_row(bench_report *report, json_t *row)
{
    json_array_append_new(report->rows, row);
}

void bench_gate(bench_report *report, const char *name, double value, double need, double aim,
                bench_better better)
{
    const bool pass = better == BENCH_HIGHER ? value >= need : value <= need;
    report->pass = report->pass && pass;
    json_array_append_new(report->gates,
                          json_pack("{s:s, s:f, s:f, s:f, s:s, s:b}", "name", name, "value",
                                    value, "need", need, "aim", aim, "better",
                                    better == BENCH_HIGHER ? "higher" : "lower", "pass", pass));
}

void bench_gate_named(bench_report *report, double value, double need, double aim,
                      bench_better better, const char *format, ...)
{
    char name[160];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    bench_gate(report, name, value, need, aim, better);
}

shoal_status bench_run(const bench_experiment *experiment, const bench_options *options,
                       json_t **out, bool *pass)
{
    bench_report report = {json_array(), json_array(), true};
    bench_options own = *options;
    const shoal_context_def def = shoal_context_def_default();
    own.repeat = own.repeat ? own.repeat : experiment->repeats;
    shoal_status st = experiment->context ? shoal_context_create(&def, &own.context) : SHOAL_OK;
    if (st == SHOAL_OK)
        st = experiment->run(&own, &report);
    shoal_context_destroy(own.context);
    *pass = st == SHOAL_OK && report.pass;
    *out = json_pack("{s:s, s:s, s:o, s:o}", "id", experiment->id, "summary",
                     experiment->summary, "rows", report.rows, "gates", report.gates);
    return st == SHOAL_OK && !*out ? SHOAL_ERR_MEMORY : st;
}

static void print_value(const json_t *value)
{
    if (json_is_string(value))
        printf("%s", json_string_value(value));
    else if (json_is_integer(value))
        printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        printf("%.4g", json_real_value(value));
    else if (json_is_boolean(value))
        printf("%s", json_is_true(value) ? "yes" : "no");
    else if (json_is_array(value)) {
        size_t i;
        const json_t *part;
        json_array_foreach(value, i, part)
        {
            printf(i ? " / " : "");
            print_value(part);
        }
    } else
        printf("-");
}

void bench_print(const json_t *experiment)
{
    printf("%s\n", json_string_value(json_object_get(experiment, "id")));
    size_t i;
    const json_t *row, *gate, *value;
    const char *key;
    json_array_foreach(json_object_get(experiment, "rows"), i, row)
    {
        printf(" ");
        json_object_foreach((json_t *)row, key, value)
        {
            printf(" %s ", key);
            print_value(value);
            printf(" ");
        }
        printf("\n");
    }
    json_array_foreach(json_object_get(experiment, "gates"), i, gate)
    {
        const bool lower =
            strcmp(json_string_value(json_object_get(gate, "better")), "lower") == 0;
        printf("  %s  %-40s %10.4g   need %s %.4g, aim %.4g\n",
               json_is_true(json_object_get(gate, "pass")) ? "pass" : "FAIL",
               json_string_value(json_object_get(gate, "name")),
               json_real_value(json_object_get(gate, "value")),
               lower ? "<=" : ">=", json_real_value(json_object_get(gate, "need")),
               json_real_value(json_object_get(gate, "aim")));
    }
}
