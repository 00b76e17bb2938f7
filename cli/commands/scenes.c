// SPDX-License-Identifier: MIT
// shoal scenes: what shoal run can run.
#include "cli/commands/commands.h"
#include "cli/run/engine.h"
#include "cli/scene_file/file.h"
#include "scenes/scene.h"

#include <stdio.h>

static const shl_option options[] = {
    {"show", 0, "NAME", "print a scene as a scene file, for shoal run and shoal check", false},
    {0},
};
static const shl_option *const option_lists[] = {options, shl_json_options, NULL};

static json_t *scene_json(shl_scene_id id)
{
    const shl_scene_params defaults = shl_scene_defaults(id);
    json_t *list = json_array();
    for (uint32_t i = 0;; i++) {
        const shl_scene_param p = shl_scene_param_at(id, &defaults, i);
        if (!p.key)
            break;
        json_error_t error;
        json_t *value =
            p.number ? json_loads(p.text, JSON_DECODE_ANY, &error) : json_string(p.text);
        if (json_array_append_new(list, json_pack("{s:s, s:o, s:s}", "key", p.key, "default",
                                                  value, "summary", p.summary)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return json_pack("{s:s, s:s, s:o}", "name", shl_scene_name(id), "summary",
                     shl_scene_summary(id), "parameters", list);
}

static json_t *all_json(void)
{
    json_t *list = json_array();
    for (int i = 0; i < SHL_SCENE_COUNT; i++) {
        if (json_array_append_new(list, scene_json((shl_scene_id)i)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return json_pack("{s:o}", "scenes", list);
}

static int show(const shl_args *args)
{
    shl_scene_id id;
    const char *name = shl_args_get(args, "show");
    if (!shl_scene_find(name, &id))
        return shl_usage_error(args->command, "there is no scene '%s'", name);
    const shl_scene_params defaults = shl_scene_defaults(id);
    return shl_json_print(shl_scene_file_of(id, &defaults));
}

static int list_scenes(const shl_args *args)
{
    if (args->word_count)
        return shl_usage_error(args->command, "'%s' is not needed", args->words[0]);
    if (shl_args_has(args, "show"))
        return show(args);
    if (shl_args_has(args, "json"))
        return shl_json_print(all_json());
    for (int i = 0; i < SHL_SCENE_COUNT; i++) {
        const shl_scene_id id = (shl_scene_id)i;
        const shl_scene_params defaults = shl_scene_defaults(id);
        printf("%s%s: %s\n", i ? "\n" : "", shl_scene_name(id), shl_scene_summary(id));
        for (uint32_t j = 0;; j++) {
            const shl_scene_param p = shl_scene_param_at(id, &defaults, j);
            if (!p.key)
                break;
            char setting[64];
            snprintf(setting, sizeof setting, "%s=%s", p.key, p.text);
            printf("    -s %-14s %s\n", setting, p.summary);
        }
    }
    return SHL_EXIT_OK;
}

const shl_command shl_cmd_scenes = {
    .name = "scenes",
    .summary = "List the built-in scenes with their parameters and defaults",
    .usage = "scenes [--show NAME] [--json]",
    .options = option_lists,
    .run = list_scenes,
};
