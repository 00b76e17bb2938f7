// SPDX-License-Identifier: MIT
// A run's folder as report, render and run --resume read it: the folder of a true run in which
// an input changes values of run.json and of the checkpoint's head, lines of metrics.jsonl and
// bytes of the state. Checksums and hashes are set right unless the input itself changes them.
// Every command ends with an exit code of its own.
//
// An input has the command in its first byte, the scene in its second, then lines:
//   rWAY=JSON, hWAY=JSON   a value of run.json or the head: "machine/cpu", "command/2"
//   RTEXT, HTEXT           all of it
//   mTEXT                  a line of metrics.jsonl, the first one instead of those of the run
//   sPLACE=NUMBER          8 bytes of the state, a double
#include "cli/commands/commands.h"
#include "cli/run/checkpoint.h"
#include "cli/run/engine.h"
#include "cli/run/run_scene.h"
#include "cli/run/video.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <shoal/picture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

// No picture needs to be drawn, and no film to be made.
shoal_status shoal_scene_picture(shoal_scene *scene, const shoal_picture_def *def, uint8_t *rgb)
{
    (void)scene;
    memset(rgb, 99, 3 * (size_t)def->width * def->height);
    return SHOAL_OK;
}

shl_film shl_video_write(const char *folder, const shl_picture_list *list, const char *path,
                         char *why, size_t room)
{
    (void)folder;
    (void)list;
    (void)path;
    snprintf(why, room, "none here");
    return SHL_FILM_NO_TOOL;
}

enum { SCENES = 2, WORDS = 16 };
static const char *const scenes[SCENES] = {"./free.json", "./falls.json"};
static const char *const texts[SCENES] = {
    "{\"shoal\": 1, \"scene\": \"bumpy-2\", \"parameters\": {\"k\": 0}}",
    "{\"shoal\": 1, \"bodies\": [{\"generator\": \"icosphere\", \"k\": 0, \"kind\": \"rigid\", "
    "\"spheres\": 1, \"dynamics\": {\"mass\": 2}, \"list\": [[0, 0, 1], [0, 0, 3]]}], "
    "\"dynamics\": {\"floor\": 0}}"};
static int outside, inside; // folders: where it was started, and where runs are

// What a true run left.
typedef struct truth {
    json_t *run, *head;
    char *metrics, *state;
    size_t state_size;
    shl_engine engine; // to find the hash of a changed state
    shl_run_result result;
    shl_scene_file file;
    shl_motion *motion;
} truth;
static truth truths[SCENES];

static void must(bool good)
{
    if (!good)
        abort();
}

static int command(const shl_command *c, const char *const *given)
{
    char *words[WORDS];
    int count = 0;
    for (; given[count]; count++)
        words[count] = (char *)given[count];
    shl_args args;
    const int code = shl_args_parse(c, count, words, &args) ? c->run(&args) : SHL_EXIT_USAGE;
    shl_args_finish(&args);
    return code;
}

static int run(int which, const char *folder, bool resume)
{
    const char *const words[] = {scenes[which],
                                 "--steps",
                                 "3",
                                 "-q",
                                 "--executor",
                                 "serial",
                                 "--frames",
                                 "0",
                                 "--plot",
                                 "plot.svg",
                                 "-o",
                                 folder,
                                 resume ? "--resume" : NULL,
                                 NULL};
    return command(&shl_cmd_run, words);
}

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    must(f && getdelim(&text, &room, 0, f) > 0);
    fclose(f);
    return text;
}

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    must(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void learn(int which, truth *t)
{
    char folder[8], path[64];
    json_error_t error;
    shl_checkpoint c;
    shl_checkpoint_error why;
    put_file(scenes[which], texts[which]);
    snprintf(folder, sizeof folder, "true%d", which);
    must(mkdir(folder, 0777) == 0);
    snprintf(path, sizeof path, "%s/stop", folder);
    put_file(path, "");
    must(run(which, folder, false) == SHL_EXIT_STOPPED);
    snprintf(path, sizeof path, "%s/run.json", folder);
    t->run = json_load_file(path, 0, &error);
    snprintf(path, sizeof path, "%s/metrics.jsonl", folder);
    t->metrics = slurp(path);
    snprintf(path, sizeof path, "%s/checkpoint-000001.shc", folder);
    must(t->run && shl_checkpoint_read(path, 1 << 20, &c, &why));
    t->head = c.head;
    t->state = c.state;
    t->state_size = c.state_size;
    char *words[] = {(char *)scenes[which], "--steps=3", "--executor=serial"};
    shl_args args;
    must(shl_args_parse(&shl_cmd_run, 3, words, &args));
    must(shl_run_read_scene(&args, &t->result, &t->file) == SHL_EXIT_OK);
    must(shl_engine_start(&args, &t->engine) == SHL_EXIT_OK);
    t->result.engine = &t->engine;
    must(shl_run_motion(&t->result, &t->motion) == SHOAL_OK);
    shl_args_finish(&args);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    char folder[PATH_MAX];
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/shoal-fuzz-XXXXXX", parent ? parent : "/tmp");
    outside = open(".", O_RDONLY | O_DIRECTORY);
    must(outside >= 0 && mkdtemp(folder) && chdir(folder) == 0);
    inside = open(".", O_RDONLY | O_DIRECTORY);
    setenv("OMP_NUM_THREADS", "1", 1);
    for (int i = 0; i < SCENES; i++)
        learn(i, &truths[i]);
    must(inside >= 0 && fchdir(outside) == 0);
    return 0;
}

// Puts a value at a way; what is not on the way is made.
static void change(json_t *at, char *way, json_t *value)
{
    for (char *part; (part = strsep(&way, "/"));) {
        json_t *next = NULL;
        const size_t index = strtoul(part, NULL, 10);
        if (json_is_array(at) && !way)
            (void)json_array_set(at, index, value);
        else if (json_is_array(at))
            next = json_array_get(at, index);
        else if (!way)
            (void)json_object_set(at, part, value);
        else
            next = json_object_get(at, part);
        at = next;
    }
    json_decref(value);
}

typedef struct folder {
    json_t *run, *head; // NULL: a text instead
    const char *run_text, *head_text;
    FILE *metrics; // NULL: those of the run
    char *state;
    bool marked, hashed; // by the input
} folder;

static void read_line(folder *f, const truth *t, char *line)
{
    json_error_t error;
    char *equals = strchr(line, '=');
    json_t **at = line[0] == 'r' ? &f->run : &f->head;
    if (line[0] == 'R' || line[0] == 'H') {
        *(line[0] == 'R' ? &f->run_text : &f->head_text) = line + 1;
    } else if (line[0] == 'm') {
        if (!f->metrics)
            f->metrics = fopen("f/metrics.jsonl", "w");
        must(f->metrics && fprintf(f->metrics, "%s\n", line + 1) > 0);
    } else if ((line[0] == 'r' || line[0] == 'h') && equals) {
        json_t *value = json_loads(equals + 1, JSON_DECODE_ANY, &error);
        *equals = '\0';
        f->marked |= line[0] == 'h' && strncmp(line + 1, "outputs", 7) == 0;
        f->hashed |= line[0] == 'h' && strcmp(line + 1, "step_hash") == 0;
        change(*at, line + 1, value ? value : json_string(equals + 1));
    } else if (line[0] == 's' && equals) {
        const double number = strtod(equals + 1, NULL);
        const size_t place = strtoul(line + 1, NULL, 10);
        memcpy(f->state + 8 * place % (t->state_size - 7), &number, 8);
    }
}

// The hash of the step that the tool will do again.
static void set_hash(folder *f, truth *t)
{
    if (shl_motion_restore(t->motion, 1, f->state, t->state_size) != SHOAL_OK ||
        shoal_scene_step(t->engine.scene, t->result.queries) != SHOAL_OK)
        return;
    json_object_set_new(f->head, "step_hash", shl_json_hash(shoal_scene_hash(t->engine.scene)));
}

static void write_folder(folder *f, truth *t)
{
    json_error_t error;
    if (!f->metrics) {
        put_file("f/metrics.jsonl", t->metrics);
    } else if (fclose(f->metrics) != 0) {
        abort();
    }
    char *metrics = slurp("f/metrics.jsonl");
    if (!f->marked)
        json_object_set_new(json_object_get(f->head, "outputs"), "metrics.jsonl",
                            json_pack("{s:I, s:o}", "bytes", (json_int_t)strlen(metrics),
                                      "xxh3",
                                      shl_json_hash(XXH3_64bits(metrics, strlen(metrics)))));
    free(metrics);
    if (!f->hashed)
        set_hash(f, t);
    char *text = f->run_text ? strdup(f->run_text) : json_dumps(f->run, 0);
    put_file("f/run.json", text ? text : "");
    free(text);
    json_t *head = f->head_text ? json_loads(f->head_text, 0, &error) : json_incref(f->head);
    const shl_checkpoint c = {head, f->state, t->state_size};
    if (head)
        must(shl_checkpoint_write("f/checkpoint-000001.shc", &c) == 0);
    json_decref(head);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

static int call(int which, char name)
{
    static const char *const report[] = {"f", NULL};
    static const char *const render[] = {"f", "-q",     "-t",    "1", "--frames",
                                         "2", "--size", "16x16", NULL};
    if (name == 'p')
        return command(&shl_cmd_report, report);
    return name == 'd' ? command(&shl_cmd_render, render) : run(which, "f", true);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return 0;
    const int which = bytes[1] % SCENES;
    truth *t = &truths[which];
    char *text = strndup((const char *)bytes + 2, size - 2), *rest = text;
    folder f = {.run = json_deep_copy(t->run), .head = json_deep_copy(t->head)};
    f.state = malloc(t->state_size);
    must(text && f.run && f.head && f.state && fchdir(inside) == 0 && mkdir("f", 0777) == 0);
    memcpy(f.state, t->state, t->state_size);
    for (char *line; (line = strsep(&rest, "\n"));)
        read_line(&f, t, line);
    write_folder(&f, t);
    const int code = call(which, "pdg"[bytes[0] % 3]);
    static const int codes[] = {SHL_EXIT_OK, SHL_EXIT_GATE, SHL_EXIT_USAGE, SHL_EXIT_INPUT};
    bool known = false;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        known |= code == codes[i];
    must(known);
    must(nftw("f", remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0 && fchdir(outside) == 0);
    json_decref(f.run);
    json_decref(f.head);
    free(f.state);
    free(text);
    return 0;
}
