// SPDX-License-Identifier: MIT
#include "cli/run/session.h"

#include "cli/run/checkpoint.h"
#include "cli/run/metrics.h"
#include "cli/run/resume.h"
#include "cli/run/run_json.h"
#include "cli/run/totals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const shl_option shl_session_options[] = {
    {"output", 'o', "DIR", "folder of the run; default runs/SCENE-N", false},
    {"resume", 0, NULL, "go on with the run that is in the folder", false},
    {0},
};

static const double flush_every_s = 0.25; // so that others can watch
enum { KEPT = 2, LISTED = 64 };           // checkpoints

int shl_cannot_write(const char *path, int code)
{
    shl_say("shoal run: %s: %s", path,
            code == EWOULDBLOCK ? "another process runs in this folder" : strerror(code));
    return code == ENOMEM ? SHL_EXIT_MEMORY : SHL_EXIT_IO;
}

static void remove_checkpoints(const shl_session *s)
{
    uint32_t steps[LISTED];
    const uint32_t count = shl_folder_checkpoints(&s->folder, steps, LISTED);
    for (uint32_t i = 0; i < count; i++)
        unlink(shl_folder_checkpoint(&s->folder, steps[i]).text);
    shl_folder_sweep(&s->folder);
}

static int check_old_run(shl_session *s)
{
    json_t *old = s->folder.resume ? shl_run_json_read(&s->folder) : NULL;
    if (!old)
        return SHL_EXIT_OK;
    json_t *hash = shl_json_hash(shl_input_hash(s->run));
    const char *state = json_string_value(json_object_get(old, "state"));
    const char *started = json_string_value(json_object_get(old, "started"));
    int code = SHL_EXIT_OK;
    if (!json_equal(hash, json_object_get(old, "input_hash")))
        code = shl_usage_error(s->args->command,
                               "--resume: '%s' holds a run of another scene, parameters or "
                               "outputs; " SHL_RUN_JSON " tells its command line",
                               s->folder.path);
    else if (state && strcmp(state, "finished") == 0)
        s->finished = true;
    else if (shl_run_json_hash_version(old) != SHOAL_HASH_VERSION)
        code =
            shl_usage_error(s->args->command,
                            "--resume: the hashes of the run in '%s' have version %d, those "
                            "of this shoal have version %d",
                            s->folder.path, shl_run_json_hash_version(old), SHOAL_HASH_VERSION);
    if (s->finished) // it may have been killed before it did
        remove_checkpoints(s);
    if (started)
        snprintf(s->started, sizeof s->started, "%.31s", started);
    if (s->finished && shl_args_has(s->args, "json"))
        code = shl_json_print(json_incref(old));
    else if (s->finished)
        shl_say("shoal run: the run in %s is finished", s->folder.path);
    json_decref(hash);
    json_decref(old);
    return code;
}

int shl_session_open(shl_session *s, const shl_args *args, shl_run_result *run)
{
    *s = (shl_session){.args = args, .run = run, .metrics = SHL_STREAM_CLOSED};
    run->results = &s->results;
    int code = shl_results_read(args, &s->results);
    if (code != SHL_EXIT_OK || !shl_stop_read(args, &s->stop))
        return SHL_EXIT_USAGE;
    const time_t now = time(NULL);
    struct tm utc;
    strftime(s->started, sizeof s->started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    code = shl_folder_open(args, run->name, &s->folder);
    return code == SHL_EXIT_OK ? check_old_run(s) : code;
}

int shl_session_begin(shl_session *s, shl_motion *motion)
{
    s->motion = motion;
    s->begin_s = s->flushed_s = shl_now_s();
    if (s->folder.resume) {
        const int code = shl_session_resume(s);
        if (code != SHL_EXIT_OK)
            return code;
    }
    if (s->done == 0) {
        const shl_path path = shl_folder_path(&s->folder, SHL_METRICS);
        int code = shl_stream_create(&s->metrics, path.text);
        if (code != 0)
            return shl_cannot_write(path.text, code);
        code = shl_results_begin(&s->results, &s->folder, s->run->params.steps, 0, NULL);
        if (code != SHL_EXIT_OK)
            return code;
    }
    shl_folder_sweep(&s->folder);
    s->before_s = s->run->totals.elapsed_s;
    const int code = shl_run_json_write(s, "running");
    if (code != 0)
        return shl_cannot_write(shl_folder_path(&s->folder, SHL_RUN_JSON).text, code);
    shl_stop_begin(&s->stop, s->folder.path);
    return SHL_EXIT_OK;
}

// Takes over `outputs`.
static json_t *head_json(const shl_session *s, uint32_t step, json_t *outputs)
{
    return json_pack("{s:s, s:s, s:o, s:I, s:o, s:o, s:I, s:o}", "version", shoal_version(),
                     "scene", s->run->name, "input_hash", shl_json_hash(shl_input_hash(s->run)),
                     "step", (json_int_t)step, "step_hash", shl_json_hash(s->step_hash),
                     "totals", shl_totals_save(s->run), "resumed", (json_int_t)s->resumed,
                     "outputs", outputs);
}

// Outputs reach the disk first: a checkpoint never speaks of bytes that are not there.
static int make_checkpoint(shl_session *s, uint32_t step)
{
    int code = shl_stream_sync(&s->metrics);
    if (code != 0)
        return shl_cannot_write(s->metrics.path, code);
    s->run->totals.elapsed_s = s->before_s + shl_now_s() - s->begin_s;
    json_t *outputs = json_object();
    code = shl_results_mark(&s->results, step, outputs);
    if (code != SHL_EXIT_OK) {
        json_decref(outputs);
        return code;
    }
    shl_checkpoint c = {.state_size = shl_motion_save(s->motion, NULL)};
    const bool marked = shl_mark_put(outputs, SHL_METRICS, shl_stream_where(&s->metrics));
    c.head = head_json(s, step, outputs);
    c.state = malloc(c.state_size ? c.state_size : 1);
    const shl_path path = shl_folder_checkpoint(&s->folder, step);
    code = ENOMEM;
    if (marked && c.head && c.state) {
        shl_motion_save(s->motion, c.state);
        code = shl_checkpoint_write(path.text, &c);
    }
    shl_checkpoint_finish(&c);
    if (code != 0)
        return shl_cannot_write(path.text, code);
    uint32_t steps[LISTED];
    const uint32_t count = shl_folder_checkpoints(&s->folder, steps, LISTED);
    for (uint32_t i = KEPT; i < count; i++)
        unlink(shl_folder_checkpoint(&s->folder, steps[i]).text);
    shl_folder_sweep(&s->folder);
    shl_stop_made(&s->stop);
    return SHL_EXIT_OK;
}

int shl_session_step(shl_session *s, uint32_t step, const shoal_scene *scene,
                     const shoal_stats *stats, double deform_s)
{
    const int shown = shl_results_step(&s->results, step, s->motion, scene);
    if (shown != SHL_EXIT_OK)
        return shown;
    shl_metrics_put(&s->metrics, step, scene, stats, deform_s);
    s->step_hash = shoal_scene_hash(scene);
    const double now = shl_now_s();
    if (now - s->flushed_s > flush_every_s || step == s->run->params.steps) {
        s->flushed_s = now;
        shl_stream_flush(&s->metrics);
    }
    if (s->metrics.code != 0)
        return shl_cannot_write(s->metrics.path, s->metrics.code);
    if (step == s->run->params.steps)
        return SHL_EXIT_OK;
    const shl_wish wish = shl_stop_ask(&s->stop, step);
    if (wish == SHL_GO_ON)
        return SHL_EXIT_OK;
    const int code = make_checkpoint(s, step);
    s->stopped = code == SHL_EXIT_OK && wish == SHL_STOP;
    return code;
}

int shl_session_end(shl_session *s, int code)
{
    if (code != SHL_EXIT_OK)
        return code;
    s->run->totals.elapsed_s = s->before_s + shl_now_s() - s->begin_s;
    int failed = shl_stream_sync(&s->metrics);
    if (failed != 0)
        return shl_cannot_write(s->metrics.path, failed);
    code = shl_results_end(&s->results, true);
    if (code != SHL_EXIT_OK)
        return code;
    failed = shl_run_json_write(s, s->stopped ? "stopped" : "finished");
    if (failed != 0)
        return shl_cannot_write(shl_folder_path(&s->folder, SHL_RUN_JSON).text, failed);
    if (s->stopped) {
        shl_say("shoal run: %s: stopped after step %u of %u, by %s; --resume goes on",
                s->folder.path, s->run->totals.steps, s->run->params.steps, s->stop.why);
        return SHL_EXIT_STOPPED;
    }
    remove_checkpoints(s);
    return SHL_EXIT_OK;
}

void shl_session_close(shl_session *s)
{
    shl_stop_end();
    (void)shl_results_end(&s->results, false); // nothing, after shl_session_end()
    (void)shl_stream_close(&s->metrics);       // what it held was synced, or the run has failed
}
