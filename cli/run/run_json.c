// SPDX-License-Identifier: MIT
#include "cli/run/run_json.h"

#include "cli/run/machine.h"
#include "cli/scene_file/file.h"
#include "io/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

// Looking for a GPU takes some tenths of a second: not worth it for a run that is shorter.
static const double gpu_after_s = 2;

uint64_t shl_input_hash(const shl_run_result *run)
{
    json_t *input = shl_input_json(run);
    char *text = json_dumps(input, JSON_COMPACT | JSON_SORT_KEYS);
    const uint64_t hash = text ? XXH3_64bits(text, strlen(text)) : 0;
    free(text);
    json_decref(input);
    return hash;
}

json_t *shl_input_json(const shl_run_result *run)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "scene", run->name, "parameters",
                     shl_run_params_json(run), "queries", shl_run_queries_json(run->queries),
                     "files", shl_json_hash(run->file ? run->file->inputs : 0), "output",
                     shl_results_json(run->results));
}

static json_t *command_json(const shl_args *args)
{
    json_t *out = json_array();
    json_array_append_new(out, json_string("shoal"));
    json_array_append_new(out, json_string(args->command->name));
    for (size_t i = 0; i < args->word_count; i++)
        json_array_append_new(out, shl_json_new_text(args->words[i]));
    for (size_t i = 0; i < args->given_count; i++) {
        const shl_given *g = &args->given[i];
        if (g->from_file)
            continue;
        json_array_append_new(
            out, shl_json_option(g->option->name, g->option->value ? g->value : NULL));
    }
    return out;
}

static json_t *gpu_json(const shl_session *s)
{
    if (s->run->totals.elapsed_s >= gpu_after_s)
        return shl_gpu_json(s->run->engine);
    return json_pack("{s:b, s:s}", "ready", 0, "reason", "not looked for in a run this short");
}

static void add(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        json_object_clear(object); // no memory; seen below
}

int shl_run_json_write(const shl_session *s, const char *state)
{
    const shl_run_result *run = s->run;
    char now[32];
    const time_t t = time(NULL);
    struct tm utc;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &utc));
    const bool steps = run->totals.steps > 0;
    json_t *out = steps ? shl_run_json(run) : json_object();
    add(out, "state", json_string(state));
    add(out, "steps_done", json_integer(run->totals.steps));
    add(out, "steps_wanted", json_integer(run->params.steps));
    add(out, "resumed", json_integer(s->resumed));
    add(out, "started", json_string(s->started));
    add(out, "written", json_string(now));
    add(out, "command", command_json(s->args));
    add(out, "input", shl_input_json(run));
    add(out, "hash_version", json_integer(SHOAL_HASH_VERSION));
    add(out, "input_hash", shl_json_hash(shl_input_hash(run)));
    add(out, "build", shl_build_json());
    add(out, "machine", shl_machine_json(run->engine));
    add(out, "kernels", shl_kernels_json(run->engine));
    add(out, "bind", json_string(shl_bind_name(run->engine->def.bind)));
    add(out, "bindings", shl_bindings_json(run->engine, steps ? run->totals.threads : 0));
    add(out, "environment", shl_environment_json());
    add(out, "gpu", gpu_json(s));
    char *text = json_dumps(out, JSON_INDENT(2));
    const bool whole = json_object_get(out, "gpu") && json_object_get(out, "state");
    json_decref(out);
    shl_output *file = malloc(sizeof *file);
    int code = ENOMEM;
    if (text && whole && file) {
        const shl_path path = shl_folder_path(&s->folder, SHL_RUN_JSON);
        shl_output_init(file, path.text);
        shl_put_bytes(file, text, strlen(text));
        shl_put_bytes(file, "\n", 1);
        code = shl_output_finish(file);
    }
    free(file);
    free(text);
    return code;
}

json_t *shl_run_json_read(const shl_folder *folder)
{
    json_error_t why;
    json_t *out = json_load_file(shl_folder_path(folder, SHL_RUN_JSON).text, 0, &why);
    if (json_is_string(json_object_get(out, "state")))
        return out;
    json_decref(out);
    return NULL;
}

// Runs of version 1 did not tell.
int shl_run_json_hash_version(const json_t *object)
{
    const json_t *version = json_object_get(object, "hash_version");
    return version ? (int)json_integer_value(version) : 1;
}
