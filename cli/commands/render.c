// SPDX-License-Identifier: MIT
// shoal render: pictures of a run that is over or was stopped, from its folder. The run is done
// again as far as needed, and has to find what it found.
#include "cli/commands/commands.h"
#include "cli/report/page.h"
#include "cli/run/contact_sheet.h"
#include "cli/run/pictures.h"
#include "cli/run/progress.h"
#include "cli/run/run_json.h"
#include "cli/run/run_scene.h"
#include "io/plain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const shl_option options[] = {
    {"at", 0, "STEPS", "which, as 1,50,100-200/10, instead of --frames", false},
    {"output", 'o', "DIR", "where to, instead of DIR/" SHL_PICTURES, false},
    {"threads", 't', "N", "worker threads", false},
    {"quiet", 'q', NULL, "no progress on stderr", false},
    {0},
};
static const shl_option *const option_lists[] = {options, shl_picture_options, NULL};

enum { AT_MAX = 100000 };

// The command line of a run, as its run.json tells it.
typedef struct again {
    json_t *json;
    char **texts;
    shl_args args, all; // as given; with what the scene file says
    shl_run_result run;
    shl_scene_file file;
    shl_results results;
    uint32_t steps; // that were done
    uint32_t *at;   // [at_count] to draw, ascending
    uint32_t at_count;
    FILE *metrics;
} again;

static int not_so(const char *folder, const char *what)
{
    shl_say("shoal render: %s: %s", folder, what);
    return SHL_EXIT_INPUT;
}

static int read_run(const char *path, again *a)
{
    shl_folder folder = {.resume = true};
    if (!shl_folder_name(path, &folder))
        return not_so(path, strerror(ENAMETOOLONG));
    a->json = shl_run_json_read(&folder);
    const json_t *command = json_object_get(a->json, "command");
    const size_t count = json_array_size(command);
    if (count < 2)
        return not_so(path, "there is no " SHL_RUN_JSON " of a run in it");
    if (shl_run_json_hash_version(a->json) != SHOAL_HASH_VERSION)
        return not_so(path, "its hashes have another version than those of this shoal");
    a->texts = calloc(count, sizeof *a->texts);
    if (!a->texts)
        return SHL_EXIT_MEMORY;
    for (size_t i = 2; i < count; i++) {
        a->texts[i - 2] = (char *)json_string_value(json_array_get(command, i));
        if (!a->texts[i - 2])
            return not_so(path, SHL_RUN_JSON " tells no command line");
    }
    if (!shl_args_parse(&shl_cmd_run, (int)count - 2, a->texts, &a->args))
        return SHL_EXIT_INPUT;
    const int code = shl_run_read_scene(&a->args, &a->run, &a->file);
    if (code != SHL_EXIT_OK)
        return code == SHL_EXIT_USAGE ? SHL_EXIT_INPUT : code;
    shl_run_args(&a->args, &a->file, &a->all);
    if (shl_results_read(&a->all, &a->results) != SHL_EXIT_OK)
        return SHL_EXIT_INPUT;
    a->run.results = &a->results;
    json_t *hash = shl_json_hash(shl_input_hash(&a->run));
    const bool same = json_equal(hash, json_object_get(a->json, "input_hash"));
    json_decref(hash);
    return same ? SHL_EXIT_OK
                : not_so(path, "its scene file, meshes or this tool are no longer those of "
                               "the run");
}

// Steps whose results are in metrics.jsonl.
static int count_steps(const char *path, again *a)
{
    char *line = NULL;
    size_t room = 0;
    char name[PATH_MAX + 32];
    snprintf(name, sizeof name, "%s/" SHL_METRICS, path);
    a->metrics = fopen(name, "r");
    if (!a->metrics)
        return not_so(name, strerror(errno));
    for (ssize_t n; (n = getline(&line, &room, a->metrics)) > 0 && line[n - 1] == '\n';)
        a->steps++;
    free(line);
    rewind(a->metrics);
    return a->steps ? SHL_EXIT_OK : not_so(path, "the run did no step yet");
}

static int by_number(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

// One number, or a range with a stride.
static bool read_item(const char **text, unsigned long out[3])
{
    char *end;
    out[0] = out[1] = strtoul(*text, &end, 10);
    out[2] = 1;
    if (**text < '0' || **text > '9')
        return false;
    if (*end == '-') {
        out[1] = strtoul(end + 1, &end, 10);
        if (*end == '/')
            out[2] = strtoul(end + 1, &end, 10);
    }
    *text = *end == ',' ? end + 1 : end;
    return (*end == '\0' || (*end == ',' && end[1])) && out[2] > 0 && out[0] > 0 &&
           out[1] >= out[0];
}

static int read_at(const shl_args *args, again *a)
{
    const char *text = shl_args_get(args, "at"), *at = text;
    a->at = text ? calloc(AT_MAX, sizeof *a->at) : NULL;
    if (text && !a->at)
        return SHL_EXIT_MEMORY;
    while (at && *at) {
        unsigned long range[3];
        if (!read_item(&at, range))
            return shl_usage_error(args->command,
                                   "--at '%s' is not a list of steps, as "
                                   "1,50,100-200/10",
                                   text);
        if (range[1] > a->steps)
            return shl_usage_error(args->command, "--at '%s': the run has only %u steps", text,
                                   a->steps);
        for (unsigned long s = range[0]; s <= range[1]; s += range[2]) {
            if (a->at_count == AT_MAX)
                return shl_usage_error(args->command, "--at '%s': too many steps", text);
            a->at[a->at_count++] = (uint32_t)s;
        }
    }
    if (text && a->at_count == 0)
        return shl_usage_error(args->command, "--at names no step");
    if (a->at)
        qsort(a->at, a->at_count, sizeof *a->at, by_number);
    return SHL_EXIT_OK;
}

// Whether a step found what it did in the run; lines are read one after the other.
static bool found_the_same(again *a, uint32_t *line_step, uint32_t step, uint64_t hash)
{
    char *line = NULL;
    size_t room = 0;
    bool same = false;
    while (*line_step < step && getline(&line, &room, a->metrics) > 0)
        ++*line_step;
    if (line && *line_step == step) {
        json_error_t why;
        json_t *row = json_loads(line, 0, &why), *now = shl_json_hash(hash);
        same = json_equal(json_object_get(row, "hash"), now);
        json_decref(row);
        json_decref(now);
    }
    free(line);
    return same;
}

static int draw(const shl_args *args, again *a, shl_motion *motion, shl_pictures *pictures)
{
    shoal_scene *scene = a->run.engine->scene;
    const bool jump = shl_motion_save(motion, NULL) == 0; // places are functions of the step
    uint32_t last = a->at ? a->at[a->at_count - 1] : a->steps, line = 0;
    shl_progress p = shl_progress_begin(shl_args_has(args, "quiet"), 0, last);
    int code = SHL_EXIT_OK;
    for (uint32_t step = 1; step <= last && code == SHL_EXIT_OK && !pictures->none; step++) {
        if (jump && !shl_pictures_due(pictures, step))
            continue;
        shoal_status st =
            jump ? shl_motion_restore(motion, step, NULL, 0) : shl_motion_step(motion, step);
        if (st == SHOAL_OK)
            st = shoal_scene_step(scene, a->run.queries);
        if (st != SHOAL_OK)
            return shl_engine_failed(a->run.engine, st);
        const shoal_pairs found_pairs = shoal_scene_pairs(scene);
        const shoal_sphere_contacts found_contacts = shoal_scene_sphere_contacts(scene);
        const uint64_t found_hash = shoal_scene_hash(scene);
        if (!found_the_same(a, &line, step, found_hash)) {
            shl_say("shoal render: step %u has the hash %016" PRIx64
                    ", which is not that of the run",
                    step, found_hash);
            code = SHL_EXIT_GATE;
        } else {
            code = shl_pictures_step(pictures, step, a->run.engine);
        }
        const bool spheres = a->run.queries & SHOAL_QUERY_SPHERES;
        shl_progress_step(&p, step, spheres ? found_contacts.count : found_pairs.count,
                          spheres ? "contacts" : "pairs");
    }
    shl_progress_end(&p);
    return code;
}

// Pictures of earlier calls would be mixed with the new ones on the sheet and in the report.
static void remove_others(const shl_pictures *pictures, const shl_picture_list *before)
{
    for (size_t i = 0; i < before->count; i++) {
        const unsigned long step = strtoul(before->names[i] + 5, NULL, 10);
        char path[PATH_MAX + 40];
        snprintf(path, sizeof path, "%s/%s", pictures->folder, before->names[i]);
        if (step == 0 || step > pictures->steps || !shl_pictures_due(pictures, (uint32_t)step))
            unlink(path);
    }
    static const char *const of_all[] = {"sheet.png", "video.mp4"};
    for (size_t i = 0; i < 2; i++) { // made anew if there are enough pictures
        char path[PATH_MAX + 40];
        snprintf(path, sizeof path, "%s/%s", pictures->folder, of_all[i]);
        unlink(path);
    }
}

// What the run said of its camera holds, unless this command line says more.
static void take_camera(again *a, shl_args *mine)
{
    static const char *const names[] = {"size", "eye", "target", "up", "angle"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (shl_args_has(&a->all, names[i]))
            shl_args_default(mine, names[i], shl_args_get(&a->all, names[i]));
    }
}

static int render_run(const shl_args *args, const char *folder, again *a)
{
    char to[PATH_MAX];
    const char *output = shl_args_get(args, "output");
    if (snprintf(to, sizeof to, "%s%s", output ? output : folder,
                 output ? "" : "/" SHL_PICTURES) >= PATH_MAX)
        return not_so(output ? output : folder, strerror(ENAMETOOLONG));
    shl_pictures pictures;
    shl_engine engine;
    shl_motion *motion = NULL;
    shl_picture_list before = {0};
    shl_args mine;
    shl_args_copy(args, &mine);
    take_camera(a, &mine);
    int code = shl_pictures_init(&pictures, &mine, to, shl_run_floor(&a->run), a->steps);
    shl_args_finish(&mine);
    if (code == SHL_EXIT_OK && pictures.wanted == 0)
        code = shl_usage_error(args->command, "no pictures are wanted: --frames 0 or "
                                              "SHOAL_GPU=off");
    if (code != SHL_EXIT_OK)
        return code;
    pictures.at = a->at;
    pictures.at_count = a->at_count;
    if (!output && shl_picture_list_read(to, &before) != 0)
        return SHL_EXIT_MEMORY;
    code = shl_engine_start(&a->all, &engine);
    a->run.engine = &engine;
    if (code == SHL_EXIT_OK) {
        const shoal_status st = shl_run_motion(&a->run, &motion);
        code =
            st == SHOAL_OK ? draw(args, a, motion, &pictures) : shl_engine_failed(&engine, st);
    }
    if (code == SHL_EXIT_OK && pictures.none && !pictures.drawn)
        code = SHL_EXIT_IO; // the library said why
    if (code == SHL_EXIT_OK) {
        remove_others(&pictures, &before);
        code = shl_pictures_end(&pictures);
    }
    if (code == SHL_EXIT_OK && !output)
        code = shl_report_write("shoal render", folder);
    if (code == SHL_EXIT_OK)
        shl_line(stdout, "%u %s in %s", pictures.drawn,
                 pictures.drawn == 1 ? "picture" : "pictures", to);
    shl_picture_list_free(&before);
    shl_pictures_finish(&pictures);
    shl_motion_destroy(motion);
    shl_engine_finish(&engine);
    a->run.engine = NULL;
    return code;
}

// The run's own number of threads does not matter.
static void take_threads(const shl_args *args, again *a)
{
    const char *threads = shl_args_get(args, "threads");
    for (size_t i = 0; threads && i < a->all.given_count; i++) {
        if (strcmp(a->all.given[i].option->name, "threads") == 0)
            a->all.given[i].value = threads;
    }
    if (threads)
        shl_args_default(&a->all, "threads", threads);
}

static int render(const shl_args *args)
{
    if (args->word_count != 1)
        return shl_usage_error(args->command, "it takes the folder of a run");
    if (shl_args_has(args, "at") && shl_args_has(args, "frames"))
        return shl_usage_error(args->command, "--at and --frames exclude each other");
    again a = {0};
    const char *folder = args->words[0];
    int code = read_run(folder, &a);
    if (code == SHL_EXIT_OK)
        code = count_steps(folder, &a);
    if (code == SHL_EXIT_OK)
        code = read_at(args, &a);
    if (code == SHL_EXIT_OK) {
        take_threads(args, &a);
        code = render_run(args, folder, &a);
    }
    if (a.metrics)
        fclose(a.metrics);
    free(a.at);
    shl_args_finish(&a.all);
    shl_args_finish(&a.args);
    shl_scene_file_finish(&a.file);
    free(a.texts);
    json_decref(a.json);
    return code;
}

const shl_command shl_cmd_render = {
    .name = "render",
    .summary = "Draw pictures of a run that is over or was stopped",
    .usage = "render DIR [options]",
    .notes =
        "The run in DIR is done again as far as needed, and each step has to find what it\n"
        "found before; where places are functions of the step's number, only the steps that\n"
        "are drawn. A scene file is looked for where the run's command line names it.\n"
        "Pictures go to DIR/" SHL_PICTURES ", and DIR/" SHL_REPORT " shows them.\n",
    .options = option_lists,
    .run = render,
};
