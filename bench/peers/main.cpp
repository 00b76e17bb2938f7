// SPDX-License-Identifier: MIT
// peers [ID...] [--json] [--repeat N]: whole steps of shoal beside Embree, FCL and CGAL, in one
// process.
#include "bench/peers/experiments.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <embree3/rtcore_config.h>
#include <exception>
#include <fcl/config.h>
#include <shoal/shoal.h>
#include <vector>

#include "bench/peers/check.h"
#include <CGAL/version.h>

enum { EXIT_GATE = 1, EXIT_USAGE = 64, EXIT_INTERNAL = 70 };

static json_t *machine_json()
{
    const shoal_context_def def = shoal_context_def_default();
    shoal_context *ctx;
    check(shoal_context_create(&def, &ctx));
    const shoal_machine m = shoal_context_machine(ctx);
    shoal_context_destroy(ctx);
    return json_pack("{s:s, s:i, s:i, s:s, s:s, s:s, s:s, s:s}", "cpu", m.cpu, "cores",
                     (int)m.cores, "allowed_cpus", (int)m.allowed_cpus, "compiler", __VERSION__,
                     "version", shoal_version(), "embree", RTC_VERSION_STRING, "fcl",
                     FCL_VERSION, "cgal", CGAL_VERSION_STR);
}

struct id {
    bench_experiment experiment;
    std::vector<const char *> numbers; // columns of its table
    bool wanted;
};

static id ids[] = {
    {{"peers", "", run_peers, 5, false},
     {"steps", "repeats", "update_us", "query_us", "whole_us", "cpu_us", "pairs", "candidates",
      "embree_ratio", "fcl_ratio"},
     false},
    {{"reduced", "", run_reduced, 5, false},
     {"bodies", "steps", "repeats", "whole_us", "cpu_us", "vertices_us", "nodes_us", "broad_us",
      "traverse_us", "triangles_us", "sort_us", "pairs", "ratio", "memory_mb"},
     false},
    {{"distance", "", run_distance, 5, false},
     {"steps", "repeats", "update_us", "query_us", "whole_us", "cpu_us", "ratio"},
     false},
};

static void print_rows(const json_t *rows, const std::vector<const char *> &numbers)
{
    printf("%-13s %7s  %-38s", "scene", "threads", "contender");
    for (const char *name : numbers)
        printf(" %12s", name);
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        printf("\n%-13s %7d  %-38s", json_string_value(json_object_get(row, "scene")),
               (int)json_integer_value(json_object_get(row, "threads")),
               json_string_value(json_object_get(row, "contender")));
        for (const char *name : numbers) {
            const json_t *value = json_object_get(row, name);
            if (!value)
                printf(" %12s", "");
            else if (json_is_integer(value))
                printf(" %12d", (int)json_integer_value(value));
            else
                printf(" %12.1f", json_number_value(value));
        }
    }
    printf("\n");
}

// Without an id all are wanted.
static bool read_arguments(int argc, char **argv, bool *json, uint32_t *repeat)
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        char *end = nullptr;
        bool known = false;
        if (strcmp(argv[i], "--json") == 0) {
            *json = known = true;
        } else if (strcmp(argv[i], "--repeat") == 0 && i + 1 < argc) {
            const unsigned long n = strtoul(argv[++i], &end, 10);
            known = !*end && n >= 1 && n <= 1000;
            *repeat = (uint32_t)n;
        }
        for (id &one : ids) {
            if (!known && strcmp(argv[i], one.experiment.id) == 0)
                one.wanted = any = known = true;
        }
        if (!known)
            return false;
    }
    for (id &one : ids)
        one.wanted |= !any;
    return true;
}

static bool run_all(const bench_options &options, bool json)
{
    json_t *all = json_array();
    bool pass = true;
    for (const id &one : ids) {
        if (!one.wanted)
            continue;
        json_t *experiment;
        bool own = false;
        check(bench_run(&one.experiment, &options, &experiment, &own));
        pass = pass && own;
        if (!json) {
            print_rows(json_object_get(experiment, "rows"), one.numbers);
            json_array_clear(json_object_get(experiment, "rows"));
            bench_print(experiment);
            fflush(stdout);
        }
        json_array_append_new(all, experiment);
    }
    json_t *whole = json_pack("{s:o, s:o}", "machine", machine_json(), "experiments", all);
    if (json) {
        json_dumpf(whole, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(whole);
    return pass;
}

int main(int argc, char **argv)
{
    bool json = false;
    bench_options options = {};
    if (!read_arguments(argc, argv, &json, &options.repeat)) {
        fprintf(stderr,
                "usage: ./dev bench peers [peers|reduced|distance] [--json] [--repeat N]   "
                "N from 1 to 1000\n");
        return EXIT_USAGE;
    }
    try {
        if (ids[1].wanted)
            weigh_plates();
        return run_all(options, json) ? 0 : EXIT_GATE;
    } catch (const std::exception &e) {
        fprintf(stderr, "peers: %s\n", e.what());
        return EXIT_INTERNAL;
    }
}
