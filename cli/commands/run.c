// SPDX-License-Identifier: MIT
// shoal run: a scene, step by step, and what it cost.
#include "cli/commands/commands.h"
#include "cli/report/page.h"
#include "cli/report/plot.h"
#include "cli/run/metrics.h"
#include "cli/run/pictures.h"
#include "cli/run/progress.h"
#include "cli/run/run_scene.h"
#include "cli/run/session.h"
#include "cli/run/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const shl_option options[] = {
    {"plot", 0, "FILE", "draw time and pairs of each step as SVG", false},
    {"trace", 0, "FILE", "write what each thread did when, for chrome://tracing", false},
    {"quiet", 'q', NULL, "no progress on stderr", false},
    {0},
};
static const shl_option *const option_lists[] = {shl_setting_options,
                                                 options,
                                                 shl_results_options,
                                                 shl_picture_options,
                                                 shl_session_options,
                                                 shl_stop_options,
                                                 shl_engine_options,
                                                 shl_json_options,
                                                 NULL};

// What a run leaves behind besides its report.
typedef struct traces {
    shl_plot_step *plot;  // [steps] to fill, or NULL
    shl_draft plot_draft; // where it goes
    shl_trace trace;      // file NULL: none
    shl_pictures pictures;
} traces;

// One step and all that is kept of it. Returns an exit code.
static int run_step(shl_run_result *run, shl_session *session, uint32_t step, traces *left)
{
    shoal_scene *scene = run->engine->scene;
    const double start = shl_now_s();
    shoal_status st = shl_motion_step(session->motion, step);
    const double moved = shl_now_s();
    if (st == SHOAL_OK)
        st = shoal_scene_step(scene, run->queries);
    const double stepped = shl_now_s();
    if (st != SHOAL_OK)
        return shl_engine_failed(run->engine, st);
    const shoal_stats stats = shoal_scene_stats(scene);
    shl_run_add(&run->totals, &stats, scene, moved - start);
    if (!shl_threads_add(&run->threads, scene, &stats))
        return shl_engine_failed(run->engine, SHOAL_ERR_MEMORY);
    if (left->plot)
        left->plot[step - 1] = shl_metrics_plot(scene);
    if (left->trace.file)
        shl_trace_step(&left->trace, scene, step, start, moved, stepped);
    st = shl_dynamics_add(&run->dynamics, step, run->params.steps, session->motion, scene);
    if (st != SHOAL_OK)
        return shl_engine_failed(run->engine, st);
    const int code = shl_pictures_step(&left->pictures, step, run->engine);
    return code == SHL_EXIT_OK ? shl_session_step(session, step, scene, &stats, moved - start)
                               : code;
}

static void show_progress(shl_progress *p, const shl_run_result *run)
{
    const bool spheres = run->queries & SHOAL_QUERY_SPHERES;
    const shl_run_totals *t = &run->totals;
    shl_progress_step(p, t->steps, spheres ? t->contacts.last : t->pairs.last,
                      spheres ? "contacts" : "pairs");
}

static int run_steps(const shl_args *args, shl_run_result *run, shl_session *session,
                     traces *left)
{
    shl_progress p =
        shl_progress_begin(shl_args_has(args, "quiet"), session->done, run->params.steps);
    const char *metrics = session->metrics.path;
    if (left->plot && session->done && !shl_metrics_read(metrics, session->done, left->plot)) {
        shl_say("shoal run: %s does not hold the steps to plot", metrics);
        return SHL_EXIT_INPUT;
    }
    int code = SHL_EXIT_OK;
    shoal_scene_set_trace(run->engine->scene, left->trace.file != NULL);
    for (uint32_t step = session->done + 1;
         step <= run->params.steps && code == SHL_EXIT_OK && !session->stopped; step++) {
        code = run_step(run, session, step, left);
        if (code == SHL_EXIT_OK)
            show_progress(&p, run);
    }
    shl_progress_end(&p);
    return code;
}

static int cannot_write(const char *path)
{
    char text[PATH_MAX];
    shl_say("shoal run: %s: %s", path, shl_write_reason(path, errno, text));
    return SHL_EXIT_IO;
}

static int write_plot(const char *path, const shl_run_result *run, const shl_plot_step *steps,
                      shl_draft *draft)
{
    char title[256]; // a name has up to 63 bytes
    snprintf(title, sizeof title, "shoal run %s: %u bodies, %ju triangles, %u thread%s",
             run->name, run->bodies, (uintmax_t)run->triangles, run->totals.threads,
             run->totals.threads == 1 ? "" : "s");
    if (!shl_plot_write(draft->file, title, steps, run->totals.steps))
        return shl_engine_failed(run->engine, SHOAL_ERR_MEMORY);
    return shl_draft_close(draft, true) ? SHL_EXIT_OK : cannot_write(path);
}

// Makes room for what --plot and --trace ask for, before the run: a wrong path shows at once.
static int open_traces(const shl_args *args, const shl_run_result *run,
                       const shl_engine *engine, traces *left)
{
    const char *trace_path = shl_args_get(args, "trace");
    if (trace_path && !shl_trace_open(&left->trace, trace_path))
        return cannot_write(trace_path);
    const char *plot_path = shl_args_get(args, "plot");
    if (plot_path && !shl_draft_open(&left->plot_draft, plot_path))
        return cannot_write(plot_path);
    if (plot_path)
        left->plot = calloc(run->params.steps, sizeof *left->plot);
    return plot_path && !left->plot ? shl_engine_failed(engine, SHOAL_ERR_MEMORY) : SHL_EXIT_OK;
}

static int close_traces(const shl_args *args, const shl_run_result *run, traces *left, int code)
{
    if (!shl_trace_close(&left->trace, code == SHL_EXIT_OK) && code == SHL_EXIT_OK)
        code = cannot_write(shl_args_get(args, "trace"));
    if (code == SHL_EXIT_OK && left->plot)
        code = write_plot(shl_args_get(args, "plot"), run, left->plot, &left->plot_draft);
    (void)shl_draft_close(&left->plot_draft, false); // after a failure
    free(left->plot);
    shl_pictures_finish(&left->pictures);
    return code;
}

// All that needs the library.
static int run_here(const shl_args *args, shl_run_result *run, shl_session *session)
{
    shl_engine engine;
    int code = shl_engine_start(args, &engine);
    shl_motion *motion = NULL;
    traces left = {0};
    run->engine = &engine;
    if (code == SHL_EXIT_OK)
        code = open_traces(args, run, &engine, &left);
    const shl_path pictures = shl_folder_path(&session->folder, SHL_PICTURES);
    if (code == SHL_EXIT_OK)
        code = shl_pictures_init(&left.pictures, args, pictures.text, shl_run_floor(run),
                                 run->params.steps);
    if (code == SHL_EXIT_OK) {
        const shoal_status st = shl_run_motion(run, &motion);
        code = st == SHOAL_OK ? SHL_EXIT_OK : shl_engine_failed(&engine, st);
    }
    if (code == SHL_EXIT_OK) {
        run->bodies = shl_motion_body_count(motion);
        run->triangles = shl_motion_triangle_count(motion);
        run->spheres = shl_motion_model(motion).sphere_count;
        code = shl_session_begin(session, motion);
        motion = session->motion;
    }
    if (code == SHL_EXIT_OK)
        code = run_steps(args, run, session, &left);
    if (code == SHL_EXIT_OK && !session->stopped)
        code = shl_pictures_end(&left.pictures);
    code = shl_session_end(session, code);
    if (code == SHL_EXIT_OK)
        code = shl_report_write("shoal run", session->folder.path);
    code = close_traces(args, run, &left, code);
    if (code == SHL_EXIT_OK && shl_args_has(args, "json"))
        code = shl_json_print(shl_run_json(run));
    else if (code == SHL_EXIT_OK)
        shl_run_print(run);
    (void)shl_results_end(&session->results, false); // after a failure it still works with it
    shl_motion_destroy(motion);
    shl_engine_finish(&engine);
    run->engine = NULL;
    return code;
}

static int run_scene(const shl_args *args)
{
    shl_run_result run = {0};
    shl_scene_file file = {0};
    shl_session session;
    shl_args all; // with what the scene file says
    int code = shl_run_read_scene(args, &run, &file);
    shl_run_args(args, &file, &all);
    if (code == SHL_EXIT_OK) {
        code = shl_session_open(&session, &all, &run);
        run.folder = session.folder.path;
        if (code == SHL_EXIT_OK && !session.finished)
            code = run_here(&all, &run, &session);
        shl_session_close(&session);
        if (code != SHL_EXIT_OK)
            shl_folder_drop(&session.folder);
    }
    shl_threads_finish(&run.threads);
    shl_args_finish(&all);
    shl_scene_file_finish(&file);
    return code;
}

const shl_command shl_cmd_run = {
    .name = "run",
    .summary = "Run a scene and report contacts, time and memory",
    .usage = "run [SCENE] [options]",
    .notes = "SCENE is a name that shoal scenes lists, or a scene file, which ends in .json;\n"
             "without one it is chairs.\n"
             "The hash covers the results of all steps: it is the same for any number of\n"
             "threads, executor, strategy, instruction set and vertex order, and after any\n"
             "interruption. The folder gets metrics.jsonl, a line a step, and run.json, which\n"
             "tells what ran where. USR1 makes a checkpoint; USR2, TERM, INT or a file named\n"
             "stop in the folder end the run after its step with a checkpoint and exit code\n"
             "75; the same command with --resume goes on, with any number of threads.\n",
    .options = option_lists,
    .run = run_scene,
};
