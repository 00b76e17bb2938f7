// SPDX-License-Identifier: MIT
// shoal run: a scene, step by step, and what it cost.
#include "cli/commands.h"
#include "cli/frames.h"
#include "cli/plot.h"
#include "cli/run_report.h"
#include "cli/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const shl_option options[] = {
    {"set", 's', "KEY=VALUE", "a parameter of the scene; see shoal scenes", true},
    {"steps", 0, "N", "short for -s steps=N", false},
    {"first", 0, NULL, "one pair for each two bodies that meet, instead of all", false},
    {"self", 0, NULL, "also pairs of triangles of one body that share no vertex", false},
    {"proxies", 0, "LEVEL",
     "contact spheres instead of pairs; short for -s proxies=LEVEL, 0 to 12", false},
    {"plot", 0, "FILE", "draw time and pairs of each step as SVG", false},
    {"trace", 0, "FILE", "write what each thread did when, for chrome://tracing", false},
    {"ply", 0, "N", "write every N-th step as SCENE-STEP.ply, with its contacts", false},
    {"ply-dir", 0, "DIR", "where to, instead of here", false},
    {"quiet", 'q', NULL, "no progress on stderr", false},
    {0},
};
static const shl_option *const option_lists[] = {options, shl_engine_options, shl_json_options,
                                                 NULL};

static bool set_one(const shl_args *args, const char *setting, shl_run_result *run)
{
    const char *equals = strchr(setting, '=');
    char key[32];
    const size_t length = equals ? (size_t)(equals - setting) : 0;
    if (length == 0 || length >= sizeof key) {
        shl_usage_error(args->command, "-s '%s' is not KEY=VALUE", setting);
        return false;
    }
    memcpy(key, setting, length);
    key[length] = '\0';
    shl_setting_error error;
    if (shl_scene_set(run->id, &run->params, key, equals + 1, &error))
        return true;
    shl_usage_error(args->command, "-s '%s': %s", setting, error.text);
    return false;
}

// The order of arguments means nothing, so a key may not come twice.
static bool twice(const shl_args *args, size_t index)
{
    const char *setting = args->given[index].value;
    const size_t length = strcspn(setting, "=");
    static const char *const options_too[] = {"steps", "proxies"};
    for (int i = 0; i < 2; i++) {
        if (length == strlen(options_too[i]) && memcmp(setting, options_too[i], length) == 0 &&
            shl_args_has(args, options_too[i]))
            return true;
    }
    for (size_t i = 0; i < index; i++) {
        const shl_given *other = &args->given[i];
        if (strcmp(other->option->name, "set") == 0 && strcspn(other->value, "=") == length &&
            memcmp(other->value, setting, length) == 0)
            return true;
    }
    return false;
}

static bool read_queries(const shl_args *args, shl_run_result *run)
{
    if (shl_args_has(args, "proxies") && !shl_scene_is_reduced(run->id)) {
        shl_usage_error(args->command, "--proxies: %s has no reduced bodies",
                        shl_scene_name(run->id));
        return false;
    }
    uint32_t level = run->params.spheres - 1;
    if (!shl_args_number(args, "proxies", 0, SHOAL_PROXY_LEVEL_MAX, &level))
        return false;
    run->params.spheres = level + 1;
    run->queries = shl_args_has(args, "first") ? SHOAL_QUERY_FIRST
                   : run->params.spheres       ? 0
                                               : SHOAL_QUERY_PAIRS;
    run->queries |= shl_args_has(args, "self") ? SHOAL_QUERY_SELF : 0;
    run->queries |= run->params.spheres ? SHOAL_QUERY_PROXIES : 0;
    return true;
}

static bool read_scene(const shl_args *args, shl_run_result *run)
{
    if (args->word_count > 1) {
        shl_usage_error(args->command, "one scene at a time, not also '%s'", args->words[1]);
        return false;
    }
    const char *name = args->word_count ? args->words[0] : "bumpy-27";
    if (!shl_scene_find(name, &run->id)) {
        shl_usage_error(args->command, "unknown scene '%s'; shoal scenes lists them", name);
        return false;
    }
    run->params = shl_scene_defaults(run->id);
    for (size_t i = 0; i < args->given_count; i++) {
        const shl_given *given = &args->given[i];
        if (strcmp(given->option->name, "set") != 0)
            continue;
        if (twice(args, i)) {
            shl_usage_error(args->command, "-s '%s': it is given twice", given->value);
            return false;
        }
        if (!set_one(args, given->value, run))
            return false;
    }
    return shl_args_number(args, "steps", 1, 1000000000, &run->params.steps) &&
           read_queries(args, run);
}

// Where a run is, on stderr: one line that is rewritten on a terminal, else a line for every
// tenth of the way, and none for runs that are over before anyone would look.
typedef struct progress {
    bool quiet, terminal;
    double begin_s, last_s;
    uint32_t last_step;
} progress;

static void show_progress(progress *p, const shl_run_result *run)
{
    const shl_run_totals *t = &run->totals;
    const uint32_t steps = run->params.steps;
    const bool spheres = run->queries & SHOAL_QUERY_PROXIES;
    const double now = shl_now_s(), gone = now - p->begin_s;
    const bool due = p->terminal ? now - p->last_s > 0.1
                                 : now - p->last_s > 1 && t->steps - p->last_step >= steps / 10;
    if (p->quiet || !due)
        return;
    p->last_s = now;
    p->last_step = t->steps;
    const uint64_t eta = (uint64_t)(gone / t->steps * (steps - t->steps) + 0.5);
    fprintf(stderr, "%sstep %u of %u  %3.0f %%  %ju %s  %.1f steps/s  %ju:%02ju left%s",
            p->terminal ? "\r" : "", t->steps, steps, 100.0 * t->steps / steps,
            (uintmax_t)(spheres ? t->contacts.last : t->pairs.last),
            spheres ? "contacts" : "pairs", t->steps / gone, (uintmax_t)(eta / 60),
            (uintmax_t)(eta % 60), p->terminal ? "\033[K" : "\n");
}

static shl_plot_step plot_step(const shoal_stats *s, uint64_t pairs)
{
    return (shl_plot_step){{1e3 * (s->gather_s + s->refit_s + s->rebuild_s), 1e3 * s->broad_s,
                            1e3 * s->traverse_s, 1e3 * (s->leaf_s + s->contact_s),
                            1e3 * s->sort_s},
                           pairs};
}

// What a run leaves behind besides its report.
typedef struct traces {
    shl_plot_step *plot; // [steps] to fill, or NULL
    shl_trace trace;     // file NULL: none
    shl_frames frames;
    shoal_io_error error; // of a frame that could not be written
} traces;

static shoal_status run_steps(const shl_args *args, shl_run_result *run, shl_motion *motion,
                              shoal_scene *scene, traces *left)
{
    const double begin = shl_now_s();
    progress p = {shl_args_has(args, "quiet"), isatty(STDERR_FILENO) == 1, begin, begin, 0};
    shl_run_totals *t = &run->totals;
    shoal_status st = SHOAL_OK;
    shoal_scene_set_trace(scene, left->trace.file != NULL);
    for (uint32_t step = 1; step <= run->params.steps && st == SHOAL_OK; step++) {
        const double start = shl_now_s();
        st = shl_motion_step(motion, step);
        const double moved = shl_now_s();
        if (st == SHOAL_OK)
            st = shoal_scene_step(scene, run->queries);
        if (st != SHOAL_OK)
            break;
        const shoal_stats stats = shoal_scene_stats(scene);
        const shoal_results found = shoal_scene_results(scene);
        shl_run_add(t, &stats, &found, moved - start);
        if (left->plot)
            left->plot[step - 1] =
                plot_step(&stats, t->pairs.last + t->self_pairs.last + t->contacts.last);
        if (left->trace.file)
            shl_trace_step(&left->trace, scene, step, start, moved, moved + stats.wall_s);
        st = shl_dynamics_add(&run->dynamics, step, run->params.steps, motion, &found);
        if (st == SHOAL_OK)
            st = shl_frames_step(&left->frames, step, motion, &found, &left->error);
        show_progress(&p, run);
    }
    t->elapsed_s = shl_now_s() - begin;
    if (p.terminal && !p.quiet)
        fputs("\r\033[K", stderr);
    return st;
}

static int cannot_write(const char *path)
{
    shl_say("shoal run: %s: %s", path, strerror(errno));
    return SHL_EXIT_IO;
}

static int write_plot(const char *path, const shl_run_result *run, const shl_plot_step *steps)
{
    char title[128];
    snprintf(title, sizeof title, "shoal run %s: %u bodies, %ju triangles, %u thread%s",
             shl_scene_name(run->id), run->bodies, (uintmax_t)run->triangles,
             run->totals.workers, run->totals.workers == 1 ? "" : "s");
    return shl_plot_write(path, title, steps, run->totals.steps) ? SHL_EXIT_OK
                                                                 : cannot_write(path);
}

// Makes room for what --plot and --trace ask for, before the run: a wrong path shows at once.
static int open_traces(const shl_args *args, const shl_run_result *run,
                       const shl_engine *engine, traces *left)
{
    const char *trace_path = shl_args_get(args, "trace");
    if (trace_path && !shl_trace_open(&left->trace, trace_path))
        return cannot_write(trace_path);
    uint32_t every = 0;
    if (!shl_args_number(args, "ply", 1, 1000000000, &every))
        return SHL_EXIT_USAGE;
    const char *folder = shl_args_get(args, "ply-dir");
    const shoal_status st =
        shl_frames_init(&left->frames, every, folder ? folder : ".", run->id, &run->params);
    if (st != SHOAL_OK)
        return shl_engine_failed(engine, st);
    if (shl_args_has(args, "plot"))
        left->plot = calloc(run->params.steps, sizeof *left->plot);
    return shl_args_has(args, "plot") && !left->plot
               ? shl_engine_failed(engine, SHOAL_ERR_MEMORY)
               : SHL_EXIT_OK;
}

static int close_traces(const shl_args *args, const shl_run_result *run, traces *left, int code)
{
    if (!shl_trace_close(&left->trace, code == SHL_EXIT_OK) && code == SHL_EXIT_OK)
        code = cannot_write(shl_args_get(args, "trace"));
    if (code == SHL_EXIT_OK && left->plot)
        code = write_plot(shl_args_get(args, "plot"), run, left->plot);
    free(left->plot);
    shl_frames_finish(&left->frames);
    return code;
}

static int run_failed(const shl_engine *engine, shoal_status st, const shoal_io_error *error)
{
    if (!error->text[0])
        return shl_engine_failed(engine, st);
    shl_say("shoal run: %s", error->text);
    return SHL_EXIT_IO;
}

static int run_scene(const shl_args *args)
{
    shl_run_result run = {0};
    if (!read_scene(args, &run))
        return SHL_EXIT_USAGE;
    shl_engine engine;
    int code = shl_engine_start(args, &engine);
    shl_motion *motion = NULL;
    traces left = {0};
    if (code == SHL_EXIT_OK)
        code = open_traces(args, &run, &engine, &left);
    if (code == SHL_EXIT_OK) {
        run.engine = &engine;
        shoal_status st =
            shl_motion_create(run.id, &run.params, engine.ctx, engine.scene, &motion);
        if (st == SHOAL_OK) {
            run.bodies = shl_motion_body_count(motion);
            run.triangles = (uint64_t)run.bodies * shl_motion_model(motion).triangle_count;
            run.proxies = shl_motion_model(motion).proxy_count;
            st = run_steps(args, &run, motion, engine.scene, &left);
        }
        code = st == SHOAL_OK ? SHL_EXIT_OK : run_failed(&engine, st, &left.error);
    }
    code = close_traces(args, &run, &left, code);
    if (code == SHL_EXIT_OK && shl_args_has(args, "json"))
        code = shl_json_print(shl_run_json(&run));
    else if (code == SHL_EXIT_OK)
        shl_run_print(&run);
    shl_motion_destroy(motion);
    shl_engine_finish(&engine);
    return code;
}

const shl_command shl_cmd_run = {
    .name = "run",
    .summary = "Run a built-in scene and report contacts, time and memory",
    .usage = "run [SCENE] [options]",
    .notes = "SCENE is a name that shoal scenes lists; without one it is bumpy-27.\n"
             "The hash covers the results of all steps: it is the same for any number of\n"
             "threads, executor, strategy, instruction set and vertex order.\n",
    .options = option_lists,
    .run = run_scene,
};
