// SPDX-License-Identifier: MIT
#include "cli/run/resume.h"

#include "cli/run/checkpoint.h"
#include "cli/run/run_json.h"
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

static bool mark_of(const json_t *head, const char *name, shl_stream_mark *out)
{
    const json_t *row = json_object_get(json_object_get(head, "outputs"), name);
    const json_int_t size = json_integer_value(json_object_get(row, "bytes"));
    out->size = (uint64_t)size;
    return size >= 0 && hash_of(row, "xxh3", &out->sum);
}

// Whether it is of this run and step.
static bool fits(const shl_session *s, const json_t *head, uint32_t step)
{
    uint64_t input;
    return hash_of(head, "input_hash", &input) && input == shl_input_hash(s->run) &&
           json_integer_value(json_object_get(head, "step")) == step &&
           step < s->run->params.steps;
}

// Opens the outputs where they were. INPUT: one of them is not what it was.
static int open_outputs(shl_session *s, const json_t *head, uint32_t step)
{
    const shl_path path = shl_folder_path(&s->folder, SHL_METRICS);
    shl_stream_mark mark;
    int code = EILSEQ;
    if (mark_of(head, SHL_METRICS, &mark))
        code = shl_stream_reopen(&s->metrics, path.text, mark);
    if (code == 0)
        return SHL_EXIT_OK;
    (void)shl_stream_close(&s->metrics);
    if (code != EILSEQ && code != ENOENT)
        return shl_cannot_write(path.text, code);
    shl_say("shoal run: %s is not what the checkpoint of step %u remembers", path.text, step);
    return SHL_EXIT_INPUT;
}

// Brings everything to where it was. Failures beyond this point are not of the checkpoint.
static int go_there(shl_session *s, const shl_checkpoint *c, uint32_t step)
{
    shoal_scene *scene = s->run->engine->scene;
    shoal_status st = shl_motion_restore(s->motion, step, c->state, c->state_size);
    if (st == SHOAL_OK)
        st = shoal_scene_step(scene, s->run->queries);
    if (st != SHOAL_OK)
        return shl_engine_failed(s->run->engine, st);
    uint64_t hash = 0;
    (void)hash_of(c->head, "step_hash", &hash);
    s->step_hash = shoal_scene_results(scene).hash;
    if (hash != s->step_hash) {
        shl_say("shoal run: step %u has the hash %016" PRIx64 ", but had %016" PRIx64
                " before the interruption",
                step, s->step_hash, hash);
        return SHL_EXIT_GATE;
    }
    s->done = step;
    s->resumed = 1 + (uint32_t)json_integer_value(json_object_get(c->head, "resumed"));
    return SHL_EXIT_OK;
}

// True: the matter is settled, with *code. False: this one cannot be used.
static bool try_one(shl_session *s, uint32_t step, int *code)
{
    const shl_path path = shl_folder_checkpoint(&s->folder, step);
    shl_checkpoint c;
    shl_checkpoint_error why;
    if (!shl_checkpoint_read(path.text, state_most + 64 * shl_motion_save(s->motion, NULL), &c,
                             &why)) {
        shl_say("shoal run: %s cannot be used: %s", path.text, why.text);
        return false;
    }
    *code = SHL_EXIT_INPUT;
    if (!fits(s, c.head, step))
        shl_say("shoal run: %s cannot be used: it is of another run", path.text);
    else if (!shl_totals_restore(json_object_get(c.head, "totals"), s->run))
        shl_say("shoal run: %s cannot be used: its sums are incomplete", path.text);
    else
        *code = open_outputs(s, c.head, step);
    const bool usable = *code != SHL_EXIT_INPUT;
    if (*code == SHL_EXIT_OK)
        *code = go_there(s, &c, step);
    shl_checkpoint_finish(&c);
    return usable;
}

int shl_session_resume(shl_session *s)
{
    uint32_t steps[LISTED];
    const uint32_t count = shl_folder_checkpoints(&s->folder, steps, LISTED);
    int code = SHL_EXIT_OK;
    for (uint32_t i = 0; i < count; i++) {
        if (!try_one(s, steps[i], &code))
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
