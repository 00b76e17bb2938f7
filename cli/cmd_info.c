// SPDX-License-Identifier: MIT
// shoal info: the version, the machine as shoal sees it, and what it will use; or what is in
// files.
#include "cli/commands.h"
#include "cli/engine.h"
#include "cli/file_report.h"

#include <inttypes.h>
#include <shoal/trace.h>
#include <stdio.h>
#include <stdlib.h>

static const shl_option options[] = {
    {"graph", 0, NULL, "the jobs of a step, the tables they touch, who waits for whom", false},
    {"dot", 0, NULL, "the same for Graphviz: shoal info --dot | dot -Tsvg", false},
    {0},
};
static const shl_option *const option_lists[] = {options, shl_engine_options, shl_json_options,
                                                 NULL};

#if defined __clang__
#define TEXT(x) #x
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
static const char compiler[] =
    "clang " DOTTED(__clang_major__, __clang_minor__, __clang_patchlevel__);
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

static const char *const variables[] = {"OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND",
                                        "OMP_WAIT_POLICY", "SHOAL_CPU",  "SHOAL_GPU",
                                        "SHOAL_GPU_MODULE"};
enum { VARIABLES = sizeof variables / sizeof *variables };

static json_t *environment_json(void)
{
    json_t *out = json_object();
    for (int i = 0; i < VARIABLES; i++) {
        const char *value = getenv(variables[i]);
        if (value)
            json_object_set_new(out, variables[i], shl_json_text(value));
    }
    return out;
}

static json_t *bindings_json(const shl_engine *e, uint32_t threads)
{
    json_t *out = json_array();
    for (uint32_t i = 0; i < threads; i++) {
        const shoal_binding b = shoal_scene_binding(e->scene, i);
        json_array_append_new(out, b.cpu < 0 ? json_null()
                                             : json_pack("{s:i, s:i, s:i}", "cpu", b.cpu,
                                                         "core", b.core, "numa", b.numa));
    }
    return out;
}

static json_t *gpu_json(const shl_engine *e)
{
    const shoal_gpu_info g = shoal_context_gpu(e->ctx);
    return json_pack("{s:b, s:b, s:o, s:o, s:o, s:o}", "ready", g.ready, "software", g.software,
                     "device", shl_json_text(g.device), "version", shl_json_text(g.version),
                     "driver", shl_json_text(g.driver), "reason", shl_json_text(g.reason));
}

static json_t *info_json(const shl_engine *e, uint32_t threads)
{
    const shoal_machine m = shoal_context_machine(e->ctx);
    json_t *kernels = json_object();
    for (uint32_t i = 0;; i++) {
        const shoal_kernel_info kernel = shoal_context_kernel(e->ctx, i);
        if (!kernel.name)
            break;
        json_object_set_new(kernels, kernel.name, json_string(kernel.body));
    }
    return json_pack(
        "{s:s, s:s, s:{s:o, s:I, s:I, s:I, s:I, s:I, s:[I, I, I]}, s:s, s:o,"
        " s:s, s:I, s:s, s:o, s:o, s:o}",
        "version", shoal_version(), "compiler", compiler, "machine", "cpu",
        shl_json_text(m.cpu), "packages", (json_int_t)m.packages, "numa_nodes",
        (json_int_t)m.numa_nodes, "cores", (json_int_t)m.cores, "cpus", (json_int_t)m.cpus,
        "allowed_cpus", (json_int_t)m.allowed_cpus, "cache_bytes", (json_int_t)m.cache_bytes[0],
        (json_int_t)m.cache_bytes[1], (json_int_t)m.cache_bytes[2], "cpu", shl_cpu_name(e->ctx),
        "kernels", kernels, "executor", shl_executor_name(e->def.executor), "threads",
        (json_int_t)threads, "bind", shl_bind_name(e->def.bind), "bindings",
        bindings_json(e, threads), "environment", environment_json(), "gpu", gpu_json(e));
}

static void print_cache(uint64_t bytes)
{
    if (bytes == 0)
        printf("   unknown");
    else if (bytes < 1 << 20)
        printf("   %" PRIu64 " KiB", bytes >> 10);
    else
        printf("   %.4g MiB", (double)bytes / (1 << 20));
}

// One line a thread, or one for all if none is bound.
static void print_bindings(const shl_engine *e, uint32_t threads)
{
    uint32_t bound = 0;
    for (uint32_t i = 0; i < threads; i++) {
        const shoal_binding b = shoal_scene_binding(e->scene, i);
        if (b.cpu >= 0)
            printf("%-10s thread %u: CPU %d, core %d, NUMA node %d\n", bound++ ? "" : "binding",
                   i, b.cpu, b.core, b.numa);
    }
    if (!bound)
        printf("binding    none\n");
}

static void print_gpu(const shl_engine *e)
{
    const shoal_gpu_info g = shoal_context_gpu(e->ctx);
    if (g.ready)
        printf("GPU        %s\n           %s, driver %s\n           ready: %s\n", g.device,
               g.version, g.driver, g.reason);
    else
        printf("GPU        not used: %s\n", g.reason);
}

static void print_info(const shl_engine *e, uint32_t threads)
{
    const shoal_machine m = shoal_context_machine(e->ctx);
    printf("shoal      %s, compiled by %s\n", shoal_version(), compiler);
    printf("CPU        %s\n", *m.cpu ? m.cpu : "unknown");
    printf("topology   packages %u, NUMA nodes %u, cores %u, CPUs %u, of which allowed %u\n",
           m.packages, m.numa_nodes, m.cores, m.cpus, m.allowed_cpus);
    printf("caches  ");
    for (int i = 0; i < 3; i++) {
        printf("   L%d", i + 1);
        print_cache(m.cache_bytes[i]);
    }
    printf("\nexecutor   %s, %u %s\n", shl_executor_name(e->def.executor), threads,
           threads == 1 ? "thread" : "threads");
    print_bindings(e, threads);
    for (int i = 0; i < VARIABLES; i++) {
        if (getenv(variables[i]))
            printf("           %s=%s\n", variables[i], getenv(variables[i]));
    }
    print_gpu(e);
    for (uint32_t i = 0;; i++) {
        const shoal_kernel_info kernel = shoal_context_kernel(e->ctx, i);
        if (!kernel.name)
            break;
        printf("%-10s %-16s %s\n", i ? "" : "kernels", kernel.name, kernel.body);
    }
}

static void write_text(void *user, const char *text, size_t length)
{
    fwrite(text, 1, length, user);
}

static int show_graph(const shl_args *args, const shl_engine *engine)
{
    const bool dot = shl_args_has(args, "dot");
    const shoal_status st = shoal_scene_write_graph(
        engine->scene, dot ? SHOAL_GRAPH_DOT : SHOAL_GRAPH_TEXT, write_text, stdout);
    return st == SHOAL_OK ? SHL_EXIT_OK : shl_engine_failed(engine, st);
}

static int show_info(const shl_args *args)
{
    const bool graph = shl_args_has(args, "graph") || shl_args_has(args, "dot");
    if (graph && args->word_count)
        return shl_usage_error(args->command, "'%s' has no graph", args->words[0]);
    if (args->word_count)
        return shl_file_info(args);
    if (graph && shl_args_has(args, "json"))
        return shl_usage_error(args->command, "a graph is text or DOT, not JSON");
    shl_engine engine;
    int code = shl_engine_start(args, &engine);
    if (code == SHL_EXIT_OK && graph)
        code = show_graph(args, &engine);
    else if (code == SHL_EXIT_OK) {
        // an empty step tells how many threads the real ones will have
        const shoal_status st = shoal_scene_step(engine.scene, SHOAL_QUERY_PAIRS);
        const uint32_t threads = shoal_scene_stats(engine.scene).workers;
        if (st != SHOAL_OK)
            code = shl_engine_failed(&engine, st);
        else if (shl_args_has(args, "json"))
            code = shl_json_print(info_json(&engine, threads));
        else
            print_info(&engine, threads);
    }
    shl_engine_finish(&engine);
    return code;
}

const shl_command shl_cmd_info = {
    .name = "info",
    .summary = "Show this machine and what shoal will use of it, or what files hold",
    .usage = "info [FILE...] [options]",
    .notes = "FILE is a mesh or a model file.\n",
    .options = option_lists,
    .run = show_info,
};
