// SPDX-License-Identifier: MIT
#include "cli/run/run_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const shl_option shl_setting_options[] = {
    {"set", 's', "KEY=VALUE", "a parameter of the scene; see shoal scenes", true},
    {"steps", 0, "N", "short for -s steps=N", false},
    {"first", 0, NULL, "one pair for each two bodies that meet, instead of all", false},
    {"self", 0, NULL, "also pairs of triangles of one body that share no vertex", false},
    {"spheres", 0, "LEVEL",
     "contact spheres instead of pairs; short for -s spheres=LEVEL, 0 to 12", false},
    {0},
};

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
    static const char *const options_too[] = {"steps", "spheres"};
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
    const uint32_t more = shl_args_has(args, "self") ? SHOAL_QUERY_SELF : 0;
    if (shl_args_has(args, "spheres") && !shl_scene_is_reduced(run->id)) {
        shl_usage_error(args->command, "--spheres: %s has no reduced bodies",
                        shl_scene_name(run->id));
        return false;
    }
    uint32_t level = run->params.spheres - 1;
    if (!shl_args_number(args, "spheres", 0, SHOAL_SPHERE_LEVEL_MAX, &level))
        return false;
    run->params.spheres = level + 1;
    // what the scene's motion needs besides pairs stays
    const uint32_t first =
        SHOAL_QUERY_FIRST | (shl_scene_queries(run->id) & ~(uint32_t)SHOAL_QUERY_PAIRS);
    run->queries = shl_args_has(args, "first") ? first
                   : run->params.spheres       ? 0
                                               : shl_scene_queries(run->id);
    run->queries |= more;
    run->queries |= run->params.spheres ? SHOAL_QUERY_SPHERES : 0;
    return true;
}

static bool is_file(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

// Settings in the order in which they were given, --steps among them.
static size_t list_settings(const shl_args *args, const char **out, char **steps)
{
    size_t count = 0;
    for (size_t i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[i].option->name, "set") == 0)
            out[count++] = args->given[i].value;
    }
    if (shl_args_has(args, "steps")) {
        if (asprintf(steps, "steps=%s", shl_args_get(args, "steps")) < 0)
            *steps = NULL;
        else
            out[count++] = *steps;
    }
    return count;
}

static int read_file(const shl_args *args, shl_run_result *run, shl_scene_file *file)
{
    const char *path = args->words[0];
    char *steps = NULL;
    const char **settings = calloc(args->given_count + 1, sizeof *settings);
    if (!settings)
        return SHL_EXIT_MEMORY;
    shoal_io_error error;
    const size_t count = list_settings(args, settings, &steps);
    if (shl_args_has(args, "steps") && !steps) {
        free(settings);
        return SHL_EXIT_MEMORY;
    }
    const bool good = shl_scene_file_read(path, settings, count, file, &error);
    free(settings);
    free(steps);
    if (!good) {
        shl_say("shoal %s: %s", args->command->name, error.text);
        return SHL_EXIT_INPUT;
    }
    run->name = file->name;
    run->params = file->params;
    if (file->built_in) {
        run->id = file->id;
        if (!read_queries(args, run))
            return SHL_EXIT_USAGE;
    } else {
        run->file = file;
        if (shl_args_has(args, "spheres"))
            return shl_usage_error(args->command,
                                   "--spheres: a scene file tells it body by body");
        run->queries = SHOAL_QUERY_PAIRS;
    }
    if (file->queries)
        run->queries = file->queries;
    if (shl_args_has(args, "first"))
        run->queries = (run->queries & ~(uint32_t)SHOAL_QUERY_PAIRS) | SHOAL_QUERY_FIRST;
    if (shl_args_has(args, "self"))
        run->queries |= SHOAL_QUERY_SELF;
    return SHL_EXIT_OK;
}

static void say_line(const char *line)
{
    shl_say("shoal run: %s", line);
}

static bool read_built_in(const shl_args *args, shl_run_result *run)
{
    const char *name = args->word_count ? args->words[0] : "chairs";
    if (!shl_scene_find(name, &run->id)) {
        shl_usage_error(args->command, "unknown scene '%s'; shoal scenes lists them", name);
        return false;
    }
    run->params = shl_scene_defaults(run->id);
    run->params.say = shl_args_has(args, "quiet") ? NULL : say_line;
    for (size_t i = 0; i < args->given_count; i++) {
        const shl_given *given = &args->given[i];
        if (strcmp(given->option->name, "set") != 0)
            continue;
        if (!set_one(args, given->value, run))
            return false;
    }
    return shl_args_number(args, "steps", 1, 1000000000, &run->params.steps) &&
           read_queries(args, run);
}

int shl_run_read_scene(const shl_args *args, shl_run_result *run, shl_scene_file *file)
{
    if (args->word_count > 1)
        return shl_usage_error(args->command, "one scene at a time, not also '%s'",
                               args->words[1]);
    for (size_t i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[i].option->name, "set") == 0 && twice(args, i))
            return shl_usage_error(args->command, "-s '%s': it is given twice",
                                   args->given[i].value);
    }
    if (args->word_count && is_file(args->words[0]))
        return read_file(args, run, file);
    if (!read_built_in(args, run))
        return SHL_EXIT_USAGE;
    run->name = shl_scene_name(run->id);
    return SHL_EXIT_OK;
}

void shl_run_args(const shl_args *args, const shl_scene_file *file, shl_args *out)
{
    shl_args_copy(args, out);
    for (size_t i = 0; i < file->outputs.count; i++)
        shl_args_default(out, file->outputs.rows[i].option, file->outputs.rows[i].value);
}

double shl_run_floor(const shl_run_result *run)
{
    if (!run->file)
        return shl_scene_floor(run->id) ? 0 : NAN;
    const double level = run->file->own.law.level;
    return shl_own_falls(&run->file->own) && isfinite(level) ? level : NAN;
}

shoal_status shl_run_motion(const shl_run_result *run, shl_motion **out)
{
    const shl_engine *e = run->engine;
    return run->file ? shl_own_create(&run->file->own, e->ctx, e->scene, out)
                     : shl_motion_create(run->id, &run->params, e->ctx, e->scene, out);
}
