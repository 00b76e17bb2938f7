// SPDX-License-Identifier: MIT
// shoal info: the version, the machine as shoal sees it, and what it will use; or what is in
// files.
#include "cli/commands/commands.h"
#include "cli/commands/file_info.h"
#include "cli/commands/layouts.h"
#include "cli/run/engine.h"
#include "cli/run/machine.h"
#include "io/plain.h"

#include <inttypes.h>
#include <shoal/trace.h>
#include <stdio.h>
#include <stdlib.h>

static const shl_option options[] = {
    {"graph", 0, NULL, "the jobs of a step, the tables they touch, who waits for whom", false},
    {"layouts", 0, NULL, "the columns of the library's tables, as Markdown", false},
    {"dot", 0, NULL, "the same for Graphviz: shoal info --dot | dot -Tsvg", false},
    {0},
};
static const shl_option *const option_lists[] = {options, shl_engine_options, shl_json_options,
                                                 NULL};

static const char *const variables[] = {"OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND",
                                        "OMP_WAIT_POLICY", "SHOAL_CPU",  "SHOAL_GPU",
                                        "SHOAL_GPU_MODULE"};
enum { VARIABLES = sizeof variables / sizeof *variables };

static json_t *info_json(const shl_engine *e, uint32_t threads)
{
    return json_pack("{s:s, s:s, s:o, s:s, s:o, s:s, s:I, s:s, s:o, s:o, s:o}", "version",
                     shoal_version(), "compiler", shl_compiler, "machine", shl_machine_json(e),
                     "cpu", shl_cpu_name(e->ctx), "kernels", shl_kernels_json(e), "executor",
                     shl_executor_name(e->def.executor), "threads", (json_int_t)threads, "bind",
                     shl_bind_name(e->def.bind), "bindings", shl_bindings_json(e, threads),
                     "environment", shl_environment_json(), "gpu", shl_gpu_json(e));
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
        shl_line(stdout, "GPU        %s", g.device);
    if (g.ready)
        shl_line(stdout, "           %s, driver %s", g.version, g.driver);
    shl_line(stdout, g.ready ? "           ready: %s" : "GPU        not used: %s", g.reason);
}

static void print_info(const shl_engine *e, uint32_t threads)
{
    const shoal_machine m = shoal_context_machine(e->ctx);
    printf("shoal      %s, compiled by %s\n", shoal_version(), shl_compiler);
    shl_line(stdout, "CPU        %s", *m.cpu ? m.cpu : "unknown");
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
        if (secure_getenv(variables[i]))
            shl_line(stdout, "           %s=%s", variables[i], secure_getenv(variables[i]));
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
    if (shl_args_has(args, "layouts")) {
        if (args->word_count || graph || shl_args_has(args, "json"))
            return shl_usage_error(args->command, "--layouts stands alone");
        shl_layouts_print();
        return SHL_EXIT_OK;
    }
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
        const uint32_t threads = shoal_scene_stats(engine.scene).threads;
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
