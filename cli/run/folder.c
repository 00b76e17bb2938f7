// SPDX-License-Identifier: MIT
#include "cli/run/folder.h"

#include "io/plain.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 64 }; // for a name in a folder
static const char runs[] = "runs", mark[] = "checkpoint-", end[] = ".shc";

shl_path shl_folder_path(const shl_folder *folder, const char *name)
{
    shl_path p;
    // shl_folder_name() left room for the names
    snprintf(p.text, sizeof p.text, "%.*s/%s", PATH_MAX - NAME_ROOM, folder->path, name);
    return p;
}

bool shl_folder_name(const char *path, shl_folder *out)
{
    const size_t length = strlen(path);
    if (length >= sizeof out->path - NAME_ROOM)
        return false;
    memcpy(out->path, path, length + 1);
    return true;
}

shl_path shl_folder_checkpoint(const shl_folder *folder, uint32_t step)
{
    char name[40];
    snprintf(name, sizeof name, "%s%06u%s", mark, step, end);
    return shl_folder_path(folder, name);
}

// The number between two texts, or 0.
static uint32_t number_in(const char *name, const char *front, const char *back)
{
    const size_t length = strlen(front);
    if (strncmp(name, front, length) != 0 || name[length] < '0' || name[length] > '9')
        return 0;
    char *rest;
    const unsigned long value = strtoul(name + length, &rest, 10);
    return strcmp(rest, back) == 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

uint32_t shl_folder_checkpoints(const shl_folder *folder, uint32_t *steps, uint32_t capacity)
{
    uint32_t count = 0;
    DIR *dir = opendir(folder->path);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        const uint32_t step = number_in(e->d_name, mark, end);
        if (!step)
            continue;
        uint32_t at = count < capacity ? count++ : capacity; // insertion, the latest first
        if (at == capacity && steps[capacity - 1] < step)
            at = capacity - 1;
        for (; at < capacity && at > 0 && steps[at - 1] < step; at--)
            steps[at] = steps[at - 1];
        if (at < capacity)
            steps[at] = step;
    }
    if (dir)
        closedir(dir);
    return count;
}

void shl_folder_sweep(const shl_folder *folder)
{
    DIR *dir = opendir(folder->path);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        const size_t length = strlen(e->d_name);
        if (strncmp(e->d_name, ".shoal-", 7) == 0 && length > 4 &&
            strcmp(e->d_name + length - 4, ".tmp") == 0)
            unlinkat(dirfd(dir), e->d_name, 0);
        const uint32_t step = number_in(e->d_name, SHL_KEEP, SHL_KEEP_END);
        if (step && access(shl_folder_checkpoint(folder, step).text, F_OK) != 0)
            unlinkat(dirfd(dir), e->d_name, 0);
    }
    if (dir)
        closedir(dir);
}

static int refuse(const char *path, int code)
{
    shl_say("shoal run: %s: %s", path, strerror(code));
    return SHL_EXIT_IO;
}

// With all folders above it. The errno.
static int make(const char *path, bool *made)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *c = part + 1; *c; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return errno;
        *c = '/';
    }
    struct stat about;
    *made = mkdir(part, 0777) == 0;
    if (*made)
        return 0;
    if (errno != EEXIST)
        return errno;
    return stat(part, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
}

static bool holds_run(const shl_folder *folder)
{
    uint32_t step;
    return access(shl_folder_path(folder, SHL_RUN_JSON).text, F_OK) == 0 ||
           access(shl_folder_path(folder, SHL_METRICS).text, F_OK) == 0 ||
           shl_folder_checkpoints(folder, &step, 1) > 0;
}

// The last N of the scene's folders, or of those that hold a run.
static uint32_t last_number(const char *scene, bool of_runs)
{
    char front[256];
    snprintf(front, sizeof front, "%s-", scene);
    uint32_t last = 0;
    DIR *dir = opendir(runs);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        const uint32_t number = number_in(e->d_name, front, "");
        shl_folder one;
        snprintf(one.path, sizeof one.path, "%s/%s", runs, e->d_name);
        if (number > last && (!of_runs || holds_run(&one)))
            last = number;
    }
    if (dir)
        closedir(dir);
    return last;
}

// What of a scene's name a folder gets, [64]: nothing that a shell takes for more than a
// letter. Letters of all languages stay.
static void folder_name(const char *scene, char *to)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789 -_.,+=@";
    shl_plain_name(scene, strlen(scene), to, 64);
    for (char *c = to; *c; c++) {
        if (!((unsigned char)*c & 0x80) && !strchr(good, *c))
            *c = '_';
    }
    if (to[0] == '.')
        to[0] = '_';
}

// runs/SCENE-N, where making the folder decides who has N.
static int open_numbered(const char *name, shl_folder *out)
{
    char scene[64];
    folder_name(name, scene);
    const int code = make(runs, &out->made);
    if (code != 0)
        return refuse(runs, code);
    uint32_t number = last_number(scene, out->resume);
    if (out->resume && number) {
        snprintf(out->path, sizeof out->path, "%s/%s-%u", runs, scene, number);
        return SHL_EXIT_OK;
    }
    number = last_number(scene, false);
    do
        snprintf(out->path, sizeof out->path, "%s/%s-%u", runs, scene, ++number);
    while (mkdir(out->path, 0777) != 0 && errno == EEXIST);
    out->made = true;
    return access(out->path, W_OK | X_OK) == 0 ? SHL_EXIT_OK : refuse(out->path, errno);
}

void shl_folder_drop(const shl_folder *folder)
{
    if (folder->made)
        (void)rmdir(folder->path);
}

int shl_folder_open(const shl_args *args, const char *scene, shl_folder *out)
{
    const char *wanted = shl_args_get(args, "output");
    *out = (shl_folder){.resume = shl_args_has(args, "resume")};
    if (!wanted)
        return open_numbered(scene, out);
    if (!*wanted)
        return shl_usage_error(args->command, "-o '' names no folder");
    if (!shl_folder_name(wanted, out))
        return refuse(wanted, ENAMETOOLONG);
    for (size_t n = strlen(out->path); n > 1 && out->path[n - 1] == '/'; n--)
        out->path[n - 1] = '\0';
    const int code = make(out->path, &out->made);
    if (code != 0)
        return refuse(out->path, code);
    if (!out->resume && holds_run(out))
        return shl_usage_error(args->command, "-o '%s' holds a run already; --resume goes on",
                               wanted);
    return SHL_EXIT_OK;
}
