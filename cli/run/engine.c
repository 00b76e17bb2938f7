// SPDX-License-Identifier: MIT
#include "cli/run/engine.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <shoal/study.h>
#include <shoal/trace.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 4096 };

const shl_option shl_engine_options[] = {
    {"threads", 't', "N", "threads to use; default: OMP_NUM_THREADS or all CPUs", false},
    {"executor", 0, "omp|serial|loops|guard", "who runs the jobs; default omp", false},
    {"strategy", 0, "hybrid|bottom-up|top-down|optimal|auto",
     "how trees are refreshed; default auto", false},
    {"broad", 0, "auto|brute|sweep|tree|incremental", "how bodies are paired; default auto",
     false},
    {"list-margin", 0, "S",
     "margin of the list of near triangles that steps reuse; default 0: none", false},
    {"coherence", 0, "none|lazy|eager",
     "boxes of reduced bodies that outlive a step; default none", false},
    {"engine", 0, "auto|trees|grid|plain", "how distances are searched; default auto", false},
    {"grid", 0, "N", "cells along the grid for distances; default by the scene", false},
    {"bind", 0, "auto|none|cores", "whether threads are bound to cores; default auto", false},
    {"cpu", 0, "ref|avx2|avx512", "instruction set; default the best", false},
    {0},
};

const shl_option shl_json_options[] = {
    {"json", 0, NULL, "print one JSON object", false},
    {0},
};

static const char *const executors[] = {"omp", "serial", "loops", "guard", NULL};
static const char *const strategies[] = {"hybrid",  "bottom-up", "top-down",
                                         "optimal", "auto",      NULL};
static const char *const broads[] = {"auto", "brute", "sweep", "tree", "incremental", NULL};
static const char *const coherences[] = {"none", "lazy", "eager", NULL};
static const char *const distances[] = {"auto", "trees", "grid", "plain", NULL};
static const char *const binds[] = {"auto", "none", "cores", NULL};
static const char *const cpus[] = {"ref", "avx2", "avx512", NULL};

const char *shl_executor_name(shoal_executor executor)
{
    return executors[executor];
}

const char *shl_strategy_name(shoal_strategy strategy)
{
    return strategies[strategy];
}

const char *shl_broad_name(shoal_broad broad)
{
    return broads[broad];
}

// The highest that any kernel uses; few have a body for each.
const char *shl_cpu_name(const shoal_context *ctx)
{
    uint32_t best = 0;
    for (uint32_t i = 0;; i++) {
        const shoal_kernel_info kernel = shoal_context_kernel(ctx, i);
        if (!kernel.name)
            return cpus[best];
        for (uint32_t k = best; cpus[k]; k++) {
            if (strcmp(kernel.body, cpus[k]) == 0)
                best = k;
        }
    }
}

const char *shl_bind_name(shoal_bind bind)
{
    return binds[bind];
}

static void keep_line(void *user, shoal_status status, const char *text)
{
    shl_engine *engine = user;
    if (status == SHOAL_OK)
        shl_say("shoal: warning: %s", text);
    else
        snprintf(engine->said, sizeof engine->said, "%s", text);
}

int shl_engine_failed(const shl_engine *engine, shoal_status status)
{
    shl_say("shoal: %s", *engine->said ? engine->said : shoal_status_text(status));
    switch (status) {
    case SHOAL_ERR_MEMORY:
        return SHL_EXIT_MEMORY;
    case SHOAL_ERR_LIMIT:
    case SHOAL_ERR_FILE:
    case SHOAL_ERR_FORMAT:
        return SHL_EXIT_INPUT;
    default:
        return SHL_EXIT_INTERNAL;
    }
}

// The scene that the guard watches; a signal handler has no other way to it.
static const shoal_scene *volatile guarded;

// Under the guard a fault has a name. Only what a signal handler may call is called.
static void name_fault(int signal)
{
    const char *job = guarded ? shoal_scene_running_job(guarded) : NULL;
    if (job) {
        const char *const parts[] = {"shoal: job '", job,
                                     "' touched memory that it did not declare\n"};
        for (int i = 0; i < 3; i++) {
            if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
                break;
        }
        _exit(SHL_EXIT_INTERNAL);
    }
    raise(signal); // by then the default action is back
}

static void watch_faults(const shl_engine *engine)
{
    if (engine->def.executor != SHOAL_EXECUTOR_GUARD)
        return;
    guarded = engine->scene;
    struct sigaction action = {.sa_handler = name_fault, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

static bool read_length(const shl_args *args, const char *name, double most, double *out)
{
    const char *text = shl_args_get(args, name);
    if (!text)
        return true;
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0 && value <= most)) {
        shl_usage_error(args->command, "--%s '%s' is not a length", name, text);
        return false;
    }
    *out = value;
    return true;
}

int shl_engine_start(const shl_args *args, shl_engine *out)
{
    memset(out, 0, sizeof *out);
    out->def = shoal_scene_def_default();
    shoal_context_def def = shoal_context_def_default();
    int executor = out->def.executor, strategy = out->def.strategy, broad = out->def.broad;
    int coherence = (int)out->def.coherence, bind = out->def.bind, cpu = -1;
    int distance = out->def.distance_engine;
    if (!shl_args_number(args, "threads", 1, THREADS_MAX, &out->def.threads) ||
        !shl_args_choice(args, "executor", executors, &executor) ||
        !shl_args_choice(args, "strategy", strategies, &strategy) ||
        !shl_args_choice(args, "broad", broads, &broad) ||
        !read_length(args, "list-margin", DBL_MAX, &out->def.list_margin) ||
        !read_length(args, "within", INFINITY, &out->def.within) ||
        !shl_args_choice(args, "coherence", coherences, &coherence) ||
        !shl_args_choice(args, "engine", distances, &distance) ||
        !shl_args_number(args, "grid", 1, 65536, &out->def.grid_resolution) ||
        !shl_args_choice(args, "bind", binds, &bind) ||
        !shl_args_choice(args, "cpu", cpus, &cpu))
        return SHL_EXIT_USAGE;
    out->def.executor = (shoal_executor)executor;
    out->def.strategy = (shoal_strategy)strategy;
    out->def.broad = (shoal_broad)broad;
    out->def.coherence = (uint32_t)coherence;
    out->def.bind = (shoal_bind)bind;
    out->def.distance_engine = (shoal_distance_engine)distance;
    if (cpu >= 0)
        def.cpu = (shoal_cpu)cpu;
    def.log = keep_line;
    def.log_user = out;
    shoal_status st = shoal_context_create(&def, &out->ctx);
    if (st == SHOAL_ERR_ARGUMENT) // only the environment is left to be wrong
        return shl_usage_error(args->command, "%s", out->said);
    if (st == SHOAL_OK)
        st = shoal_scene_create(out->ctx, &out->def, &out->scene);
    if (st == SHOAL_OK)
        watch_faults(out);
    return st == SHOAL_OK ? SHL_EXIT_OK : shl_engine_failed(out, st);
}

shoal_status shl_engine_renew(shl_engine *engine)
{
    guarded = NULL;
    shoal_scene_destroy(engine->scene);
    engine->scene = NULL;
    const shoal_status st = shoal_scene_create(engine->ctx, &engine->def, &engine->scene);
    if (st == SHOAL_OK)
        watch_faults(engine);
    return st;
}

void shl_engine_finish(shl_engine *engine)
{
    guarded = NULL;
    shoal_scene_destroy(engine->scene);
    shoal_context_destroy(engine->ctx);
}

uint64_t shl_hash_steps(uint64_t so_far, uint32_t step, uint64_t hash)
{
    if (step == 0)
        return hash;
    uint64_t h = (so_far ^ hash) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 29;
}

double shl_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

json_t *shl_json_option(const char *name, const char *value)
{
    char *text = NULL;
    if (asprintf(&text, "--%s%s%s", name, value ? "=" : "", value ? value : "") < 0)
        return NULL;
    json_t *out = shl_json_new_text(text);
    free(text);
    return out;
}

// The length of the UTF-8 character at `s`, 0 if there is none; jansson decides which are.
static size_t character(const char *s)
{
    const size_t left = strlen(s);
    for (size_t n = 1; n <= 4 && n <= left; n++) {
        json_t *one = json_stringn(s, n);
        json_decref(one);
        if (one)
            return n;
    }
    return 0;
}

json_t *shl_json_new_text(const char *text)
{
    json_t *whole = json_string(text);
    if (whole)
        return whole;
    char *copy = malloc(3 * strlen(text) + 1), *to = copy;
    if (!copy)
        return NULL;
    while (*text) {
        const size_t n = character(text);
        memcpy(to, n ? text : "\xef\xbf\xbd", n ? n : 3);
        to += n ? n : 3;
        text += n ? n : 1;
    }
    *to = '\0';
    whole = json_string(copy);
    free(copy);
    return whole;
}

json_t *shl_json_new_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *shl_json_hash(uint64_t hash)
{
    return json_sprintf("%016" PRIx64, hash);
}

int shl_json_errno;

int shl_json_print(json_t *object)
{
    if (!object) {
        shl_say("shoal: out of memory");
        return SHL_EXIT_MEMORY;
    }
    // a failed write shows when main() closes stdout
    const bool said = json_dumpf(object, stdout, JSON_INDENT(2)) == 0;
    shl_json_errno = ferror(stdout) ? errno : 0; // more than stdout holds back
    json_decref(object);
    if (said)
        putchar('\n');
    return said || ferror(stdout) ? SHL_EXIT_OK : SHL_EXIT_MEMORY;
}
