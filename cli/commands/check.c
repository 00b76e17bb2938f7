// SPDX-License-Identifier: MIT
// shoal check: whether a scene file is right, what it would run, and how much memory that
// takes.
#include "cli/commands/commands.h"
#include "cli/run/run_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static const shl_option *const option_lists[] = {shl_setting_options, shl_engine_options,
                                                 shl_json_options, NULL};

static const char *kind_of(const shl_own_group *g)
{
    return g->kind == SHL_OWN_FREE      ? "free"
           : g->kind == SHL_OWN_SKINNED ? "skinned"
           : g->field_count             ? "reduced"
                                        : "rigid";
}

// Where the shape of a group comes from.
static const char *source_of(const shl_scene_file *file, uint32_t group)
{
    static const char *const keys[] = {"mesh", "model", "generator"};
    const json_t *body = json_array_get(json_object_get(file->json, "bodies"), group);
    for (int i = 0; i < 3; i++) {
        const char *text = json_string_value(json_object_get(body, keys[i]));
        if (text)
            return text;
    }
    return "";
}

static void print_groups(const shl_scene_file *file)
{
    for (uint32_t i = 0; i < file->own.group_count; i++) {
        const shl_own_group *g = &file->own.groups[i];
        printf("  %6u of %s: %s, %u triangles", g->count, source_of(file, i), kind_of(g),
               g->rest.triangle_count);
        if (g->field_count)
            printf(", %u fields", g->field_count);
        if (g->kind == SHL_OWN_SKINNED)
            printf(", %u control points", g->controls.count);
        if (g->sphere_level >= 0)
            printf(", contact spheres of level %d", g->sphere_level);
        if (g->falls)
            printf(", falls, %g kg", g->mass);
        if (g->filter.group != 1 || g->filter.mask != UINT32_MAX)
            printf(", group %u, mask %u", g->filter.group, g->filter.mask);
        if (g->filter.is_static)
            printf(", static");
        putchar('\n');
    }
}

static json_t *groups_json(const shl_scene_file *file)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < file->own.group_count; i++) {
        const shl_own_group *g = &file->own.groups[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:b, s:I, s:I, s:b}", "source",
                      source_of(file, i), "kind", kind_of(g), "count", (json_int_t)g->count,
                      "triangles", (json_int_t)g->rest.triangle_count, "fields",
                      (json_int_t)g->field_count, "controls", (json_int_t)g->controls.count,
                      "falls", (int)g->falls, "group", (json_int_t)g->filter.group, "mask",
                      (json_int_t)g->filter.mask, "static", (int)g->filter.is_static));
    }
    return list;
}

static json_t *outputs_json(const shl_scene_file *file)
{
    json_t *all = json_object();
    for (size_t i = 0; i < file->outputs.count; i++)
        json_object_set_new(all, file->outputs.rows[i].option,
                            json_string(file->outputs.rows[i].value));
    return all;
}

// The most that the process ever held: the library, the scene and what made it.
static uint64_t peak_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024 * (uint64_t)usage.ru_maxrss : 0;
}

static void print_plan(const shl_run_result *run, const shl_scene_file *file, uint64_t bytes)
{
    json_t *queries = shl_run_queries_json(run->queries);
    char *list = json_dumps(queries, JSON_COMPACT);
    printf("%s: %u bodies, %ju triangles, %u steps, queries %s\n", run->name, run->bodies,
           (uintmax_t)run->triangles, run->params.steps, list ? list : "");
    if (run->file)
        print_groups(run->file);
    for (size_t i = 0; i < file->outputs.count; i++)
        printf("%s--%s%s%s", i == 0 ? "as if given: " : " ", file->outputs.rows[i].option,
               file->outputs.rows[i].value[0] ? "=" : "", file->outputs.rows[i].value);
    printf("%smemory: %.1f MB in the first step, %.1f MB of the whole process\n",
           file->outputs.count ? "\n" : "", 1e-6 * (double)bytes, 1e-6 * (double)peak_bytes());
    free(list);
    json_decref(queries);
}

static int print_json(const shl_run_result *run, const shl_scene_file *file, uint64_t bytes)
{
    return shl_json_print(
        json_pack("{s:s, s:I, s:I, s:I, s:o, s:I, s:I, s:o, s:o, s:o}", "scene", run->name,
                  "bodies", (json_int_t)run->bodies, "triangles", (json_int_t)run->triangles,
                  "steps", (json_int_t)run->params.steps, "queries",
                  shl_run_queries_json(run->queries), "memory_bytes", (json_int_t)bytes,
                  "process_bytes", (json_int_t)peak_bytes(), "groups", groups_json(file),
                  "outputs", outputs_json(file), "parameters", shl_run_params_json(run)));
}

// One step tells what the others need.
static int try_step(const shl_args *args, const shl_scene_file *file, shl_run_result *run)
{
    shl_engine engine;
    shl_motion *motion = NULL;
    int code = shl_engine_start(args, &engine);
    run->engine = &engine;
    if (code == SHL_EXIT_OK) {
        shoal_status st = shl_run_motion(run, &motion);
        if (st == SHOAL_OK)
            st = shl_motion_step(motion, 1);
        if (st == SHOAL_OK)
            st = shoal_scene_step(engine.scene, run->queries);
        code = st == SHOAL_OK ? SHL_EXIT_OK : shl_engine_failed(&engine, st);
    }
    if (code == SHL_EXIT_OK) {
        const uint64_t bytes = shoal_scene_stats(engine.scene).bytes;
        run->bodies = shl_motion_body_count(motion);
        run->triangles = shl_motion_triangle_count(motion);
        if (shl_args_has(args, "json"))
            code = print_json(run, file, bytes);
        else
            print_plan(run, file, bytes);
    }
    shl_motion_destroy(motion);
    shl_engine_finish(&engine);
    run->engine = NULL;
    return code;
}

static int check(const shl_args *args)
{
    if (args->word_count != 1)
        return shl_usage_error(args->command, "it takes one scene file");
    shl_run_result run = {0};
    shl_scene_file file = {0};
    shl_args all;
    int code = shl_run_read_scene(args, &run, &file);
    shl_run_args(args, &file, &all);
    if (code == SHL_EXIT_OK)
        code = try_step(&all, &file, &run);
    shl_args_finish(&all);
    shl_scene_file_finish(&file);
    return code;
}

const shl_command shl_cmd_check = {
    .name = "check",
    .summary = "Tell whether a scene file is right, what it would run, and in how much memory",
    .usage = "check SCENE.json [options]",
    .notes = "Every key is checked; an error names file, line, column and key. All meshes are\n"
             "read and one step is done.\n",
    .options = option_lists,
    .run = check,
};
