// SPDX-License-Identifier: MIT
// shoal bench: experiments whose gates must hold.
#include "bench/harness/bench.h"
#include "cli/commands/commands.h"
#include "cli/report/bench_page.h"
#include "cli/run/engine.h"
#include "io/draft.h"
#include "scenes/scene.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const shl_option options[] = {
    {"threads", 't', "LIST", "thread counts for experiments that compare them, as 1,2,4",
     false},
    {"repeat", 0, "N", "measurements of each contender", false},
    {"scene", 0, "NAME", "scaling, L4: a scene of shoal scenes; scaling's default is bumpy-27",
     false},
    {"csv", 0, "FILE", "scaling: write the table as CSV", false},
    {"plot", 0, "FILE", "scaling, L1, M2: draw speed-ups, times, tightness, as SVG", false},
    {"html", 0, "FILE", "write rows, gates and drawings as a page that needs no other file",
     false},
    {"add", 0, "FILE", "for --html: what another bench printed with --json, as that of peers",
     true},
    {0},
};
static const shl_option *const option_lists[] = {options, shl_json_options, NULL};

static const bench_experiment *find(const char *id)
{
    for (const bench_experiment *e = bench_experiments; e->id; e++) {
        if (strcmp(e->id, id) == 0)
            return e;
    }
    return NULL;
}

static bool read_threads(const shl_args *args, bench_options *out)
{
    const char *text = shl_args_get(args, "threads");
    const uint32_t most = sizeof out->threads / sizeof *out->threads;
    while (text) {
        char *end;
        const unsigned long n = strtoul(text, &end, 10);
        const bool number = *text >= '0' && *text <= '9' && (*end == ',' || !*end);
        if (!number || n == 0 || n > 4096 || out->thread_count == most) {
            shl_usage_error(args->command, "-t '%s' is not a list of thread counts",
                            shl_args_get(args, "threads"));
            return false;
        }
        out->threads[out->thread_count++] = (uint32_t)n;
        text = *end ? end + 1 : NULL;
    }
    return true;
}

static bool read_ids(const shl_args *args)
{
    if (args->word_count == 0) {
        shl_usage_error(args->command, "name an experiment");
        return false;
    }
    for (size_t i = 0; i < args->word_count; i++) {
        if (!find(args->words[i])) {
            shl_usage_error(args->command, "unknown experiment '%s'", args->words[i]);
            return false;
        }
    }
    return true;
}

// Whether one of the experiments named is in the list.
static bool any_of(const shl_args *args, const char *const *list)
{
    for (; *list; list++) {
        for (size_t i = 0; i < args->word_count; i++) {
            if (strcmp(args->words[i], *list) == 0)
                return true;
        }
    }
    return false;
}

static json_t *machine_json(void)
{
    const shoal_context_def def = shoal_context_def_default();
    shoal_context *ctx;
    if (shoal_context_create(&def, &ctx) != SHOAL_OK)
        return json_object();
    const shoal_machine m = shoal_context_machine(ctx);
    json_t *object =
        json_pack("{s:o, s:i, s:i, s:s, s:s, s:s}", "cpu", shl_json_new_text(m.cpu), "cores",
                  (int)m.cores, "allowed_cpus", (int)m.allowed_cpus, "body", shl_cpu_name(ctx),
                  "compiler", __VERSION__, "version", shoal_version());
    shoal_context_destroy(ctx);
    return object;
}

// Experiments of other runs, after those of this one.
static int add_others(const shl_args *args, json_t *experiments)
{
    for (size_t i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[i].option->name, "add") != 0)
            continue;
        json_error_t why;
        json_t *other = json_load_file(args->given[i].value, 0, &why);
        json_t *list = json_object_get(other, "experiments");
        const bool good = json_is_array(list) && json_array_extend(experiments, list) == 0;
        const bool parsed = other != NULL;
        json_decref(other);
        if (!good) {
            shl_say("shoal bench: %s:%d:%d: %s", args->given[i].value,
                    parsed || why.line < 1 ? 1 : why.line,
                    parsed || why.column < 1 ? 1 : why.column,
                    parsed ? "expected what shoal bench --json prints" : why.text);
            return SHL_EXIT_INPUT;
        }
    }
    return SHL_EXIT_OK;
}

static int write_page(const shl_args *args, const json_t *bench)
{
    const char *path = shl_args_get(args, "html");
    json_t *command = json_pack("[s, s]", "shoal", "bench");
    for (size_t i = 0; i < args->word_count; i++)
        json_array_append_new(command, shl_json_new_text(args->words[i]));
    for (size_t i = 0; i < args->given_count; i++) {
        const shl_given *g = &args->given[i];
        json_array_append_new(
            command, shl_json_option(g->option->name, g->option->value ? g->value : NULL));
    }
    const int code = shl_bench_page_write(path, bench, command);
    json_decref(command);
    char text[PATH_MAX];
    if (code)
        shl_say("shoal bench: %s: %s", path, shl_write_reason(path, code, text));
    return code == 0 ? SHL_EXIT_OK : code == ENOMEM ? SHL_EXIT_MEMORY : SHL_EXIT_IO;
}

// Runs what the words name, one after the other.
static int run_all(const shl_args *args, const bench_options *o, json_t *experiments, bool *all)
{
    for (size_t i = 0; i < args->word_count; i++) {
        json_t *experiment = NULL;
        bool pass = false;
        const shoal_status st = bench_run(find(args->words[i]), o, &experiment, &pass);
        if (st != SHOAL_OK) {
            if (st != SHOAL_ERR_FILE) // that has been said, with the file's name
                fprintf(stderr, "shoal bench: %s: %s\n", args->words[i], shoal_status_text(st));
            json_decref(experiment);
            return st == SHOAL_ERR_MEMORY ? SHL_EXIT_MEMORY
                   : st == SHOAL_ERR_FILE ? SHL_EXIT_IO
                                          : SHL_EXIT_INTERNAL;
        }
        *all = *all && pass;
        if (!shl_args_has(args, "json"))
            bench_print(experiment);
        json_array_append_new(experiments, experiment);
    }
    return SHL_EXIT_OK;
}

static int run_bench(const shl_args *args)
{
    bench_options o = {0};
    if (!read_ids(args) || !read_threads(args, &o) ||
        !shl_args_number(args, "repeat", 1, 1000, &o.repeat))
        return SHL_EXIT_USAGE;
    o.scene = shl_args_get(args, "scene");
    o.csv = shl_args_get(args, "csv");
    o.plot = shl_args_get(args, "plot");
    shl_scene_id id;
    if (o.scene && !shl_scene_find(o.scene, &id))
        return shl_usage_error(args->command, "unknown scene '%s'; shoal scenes lists them",
                               o.scene);
    if (o.csv && !any_of(args, (const char *[]){"scaling", NULL}))
        return shl_usage_error(args->command, "--csv needs scaling");
    if (o.plot && !any_of(args, (const char *[]){"scaling", "L1", "M2", NULL}))
        return shl_usage_error(args->command, "--plot needs scaling, L1 or M2");
    if (shl_args_has(args, "add") && !shl_args_has(args, "html"))
        return shl_usage_error(args->command, "--add needs --html");
    if (o.thread_count == 0) {
        o.thread_count = 2;
        o.threads[0] = 1;
        o.threads[1] = 2;
    }
    json_t *experiments = json_array(), *others = json_array();
    bool all = true;
    int code = add_others(args, others); // a wrong file is told before hours of work
    if (code == SHL_EXIT_OK)
        code = run_all(args, &o, experiments, &all);
    json_t *bench =
        json_pack("{s:o, s:o}", "machine", machine_json(), "experiments", experiments);
    if (code == SHL_EXIT_OK && shl_args_has(args, "html")) {
        json_t *both = json_copy(bench);
        json_t *list = json_copy(experiments);
        if (json_array_extend(list, others) != 0 ||
            json_object_set_new(both, "experiments", list) != 0)
            code = SHL_EXIT_MEMORY;
        else
            code = write_page(args, both);
        json_decref(both);
    }
    json_decref(others);
    if (code == SHL_EXIT_OK && shl_args_has(args, "json"))
        code = shl_json_print(bench);
    else
        json_decref(bench);
    return code == SHL_EXIT_OK && !all ? SHL_EXIT_GATE : code;
}

const shl_command shl_cmd_bench = {
    .name = "bench",
    .summary = "Measure contenders in turns and check the ratios that must hold",
    .usage = "bench ID... [options]",
    .notes =
        "Experiments:\n"
        "  kernels   each kernel's bodies, the update of two bodies, leaf tests, executor\n"
        "  scaling   speed-up over threads, strong and weak, beside a pure-compute loop\n"
        "  crowd     100,000 bodies: at rest on two threads, and the nearest of each\n"
        "  neighbour one thread and two beside processes that use up all CPUs\n"
        "  L1        two bodies meet: the paper's strategies, literal and within shoal\n"
        "  L2        how first contact and worst step of L1 grow with the triangles\n"
        "  L3        crowds of 27 bodies and a pile of 1,000 plates\n"
        "  L4        trees: builders and arities, steps in turns, on one thread\n"
        "  L5        overlapping boxes, up to 10^6: four broad phases, same pairs\n"
        "  tangle    bodies whose trees decay: built anew (auto) or never (optimal)\n"
        "  neighbour_list lists of near triangles that outlive a step, where they pay and "
        "where "
        "not\n"
        "  V1 V3 V4 V5  distances: scenes of Sud et al. 2006 by trees and by the grid\n"
        "  V6 V7 V8  what is left to test; how fine the grid is; small hard scenes\n"
        "  gpu       the GPU's grid: answers, overlap, cost\n"
        "  output    what frames for viewers cost a run of chairs\n"
        "Exit code 1: a gate did not hold.\n",
    .options = option_lists,
    .run = run_bench,
};
