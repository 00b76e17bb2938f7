// SPDX-License-Identifier: MIT
#include "cli/run/resume.h"

#include "cli/run/checkpoint.h"
#include "cli/run/run_json.h"
#include "cli/run/run_scene.h"
#include "cli/run/totals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LISTED = 64 };
static const size_t state_most = 1 << 28; // a scene in which bodies come may grow

static bool hash_of(const json_t *object, const char *key, uint64_t *out)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return false;
    *out = strtoull(text, NULL, 16);
    return true;
}

// Whether it is of this run and step.
static bool fits(const shl_session *s, const json_t *head, uint32_t step)
{
    uint64_t input;
    return hash_of(head, "input_hash", &input) && input == shl_input_hash(s->run) &&
           json_integer_value(json_object_get(head, "step")) == step &&
           step < s->run->params.steps;
}

static void close_outputs(shl_session *s)
{
    (void)shl_results_end(&s->results, false);
    (void)shl_stream_close(&s->metrics);
}

// Opens the outputs where they were. INPUT: one of them is not what it was.
static int open_outputs(shl_session *s, const json_t *head, uint32_t step)
{
    const shl_path path = shl_folder_path(&s->folder, SHL_METRICS);
    shl_stream_mark mark;
    int code = EILSEQ;
    const json_t *outputs = json_object_get(head, "outputs");
    if (shl_mark_get(outputs, SHL_METRICS, &mark))
        code = shl_stream_reopen(&s->metrics, path.text, mark);
    if (code == 0) {
        code = shl_results_begin(&s->results, &s->folder, s->run->params.steps, step, outputs);
        if (code != SHL_EXIT_OK)
            close_outputs(s);
        return code;
    }
    (void)shl_stream_close(&s->metrics);
    if (code != EILSEQ && code != ENOENT)
        return shl_cannot_write(path.text, code);
    shl_say("shoal run: %s is not what the checkpoint of step %u remembers", path.text, step);
    return SHL_EXIT_INPUT;
}

// Another checkpoint left its traces in the motion and in the scene: both are made anew.
static int make_anew(shl_session *s)
{
    shl_motion_destroy(s->motion);
    s->motion = NULL;
    shoal_status st = shl_engine_renew(s->run->engine);
    if (st == SHOAL_OK)
        st = shl_run_motion(s->run, &s->motion);
    return st == SHOAL_OK ? SHL_EXIT_OK : shl_engine_failed(s->run->engine, st);
}

// Brings everything to where it was. INPUT: the state is not what it says it is.
static int go_there(shl_session *s, const shl_checkpoint *c, uint32_t step)
{
    shoal_scene *scene = s->run->engine->scene;
    const shl_path path = shl_folder_checkpoint(&s->folder, step);
    shoal_status st = shl_motion_restore(s->motion, step, c->state, c->state_size);
    if (st == SHOAL_OK)
        st = shoal_scene_step(scene, s->run->queries);
    if (st == SHOAL_ERR_MEMORY || st == SHOAL_ERR_DEVICE) // not of the checkpoint
        return shl_engine_failed(s->run->engine, st);
    if (st != SHOAL_OK) {
        shl_say("shoal run: %s cannot be used: its state is not one of this scene", path.text);
        return SHL_EXIT_INPUT;
    }
    uint64_t hash = 0;
    (void)hash_of(c->head, "step_hash", &hash);
    s->step_hash = shoal_scene_hash(scene);
    if (hash != s->step_hash) {
        shl_say("shoal run: %s cannot be used: step %u has the hash %016" PRIx64
                ", but had %016" PRIx64 " before the interruption",
                path.text, step, s->step_hash, hash);
        return SHL_EXIT_INPUT;
    }
    s->done = step;
    s->resumed = 1 + (uint32_t)json_integer_value(json_object_get(c->head, "resumed"));
    return SHL_EXIT_OK;
}

// INPUT: this one cannot be used, it said why. `touched`: the motion is no longer new.
static int try_one(shl_session *s, uint32_t step, bool *touched)
{
    const shl_path path = shl_folder_checkpoint(&s->folder, step);
    shl_checkpoint c;
    shl_checkpoint_error why;
    int code = *touched ? make_anew(s) : SHL_EXIT_OK;
    *touched = false;
    if (code != SHL_EXIT_OK)
        return code;
    code = SHL_EXIT_INPUT;
    if (!shl_checkpoint_read(path.text, state_most + 64 * shl_motion_save(s->motion, NULL), &c,
                             &why))
        shl_say("shoal run: %s cannot be used: %s", path.text, why.text);
    else if (!fits(s, c.head, step))
        shl_say("shoal run: %s cannot be used: it is of another run", path.text);
    else if (!shl_totals_restore(json_object_get(c.head, "totals"), s->run) ||
             s->run->totals.steps != step)
        shl_say("shoal run: %s cannot be used: its sums are incomplete", path.text);
    else
        code = open_outputs(s, c.head, step);
    if (code == SHL_EXIT_OK) {
        *touched = true;
        code = go_there(s, &c, step);
        if (code != SHL_EXIT_OK)
            close_outputs(s);
    }
    shl_checkpoint_finish(&c);
    return code;
}

int shl_session_resume(shl_session *s)
{
    uint32_t steps[LISTED];
    const uint32_t count = shl_folder_checkpoints(&s->folder, steps, LISTED);
    bool touched = false;
    for (uint32_t i = 0; i < count; i++) {
        const int code = try_one(s, steps[i], &touched);
        if (code == SHL_EXIT_INPUT)
            continue;
        // outputs no longer reach as far as the later ones
        for (uint32_t k = 0; code == SHL_EXIT_OK && k < i; k++)
            unlink(shl_folder_checkpoint(&s->folder, steps[k]).text);
        return code;
    }
    if (count == 0)
        return SHL_EXIT_OK;
    shl_say("shoal run: no checkpoint in %s can be used; remove the folder to begin anew",
            s->folder.path);
    return SHL_EXIT_INPUT;
}
