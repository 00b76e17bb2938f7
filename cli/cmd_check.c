// SPDX-License-Identifier: MIT
// shoal check: whether a scene file is right, what it would run, and how much memory that
// takes.
#include "cli/commands.h"
#include "cli/run_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const shl_option *const option_lists[] = {shl_setting_options, shl_engine_options,
                                                 shl_json_options, NULL};

// One step tells what the others need.
static int try_step(const shl_args *args, shl_run_result *run)
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
        json_t *queries = shl_run_queries_json(run->queries);
        char *list = json_dumps(queries, JSON_COMPACT);
        if (shl_args_has(args, "json"))
            code = shl_json_print(json_pack(
                "{s:s, s:I, s:I, s:I, s:O, s:I, s:o}", "scene", run->name, "bodies",
                (json_int_t)run->bodies, "triangles", (json_int_t)run->triangles, "steps",
                (json_int_t)run->params.steps, "queries", queries, "memory_bytes",
                (json_int_t)bytes, "parameters", shl_run_params_json(run)));
        else
            printf("%s: %u bodies, %ju triangles, %u steps, queries %s\n"
                   "memory: %.1f MB in the first step\n",
                   run->name, run->bodies, (uintmax_t)run->triangles, run->params.steps,
                   list ? list : "", 1e-6 * (double)bytes);
        free(list);
        json_decref(queries);
    }
    shl_motion_destroy(motion);
    shl_engine_finish(&engine);
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
        code = try_step(&all, &run);
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
