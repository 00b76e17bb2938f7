// SPDX-License-Identifier: MIT
#include "cli/run/video.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// A film of few pictures goes slowly, so that there is time to look.
static size_t pictures_a_second(size_t count)
{
    const size_t rate = count / 5;
    return rate < 2 ? 2 : rate > 25 ? 25 : rate;
}

// Where ffmpeg is. The search that spawning by name does would take an empty or relative entry
// of PATH for a folder, and so run a file of the current directory.
static bool find_tool(char *out, size_t size)
{
    char usual[256] = "";
    const char *at = secure_getenv("PATH");
    if (!at && confstr(_CS_PATH, usual, sizeof usual) <= sizeof usual)
        at = usual;
    if (!at)
        return false;
    for (bool more = true; more;) {
        struct stat s;
        const size_t length = strcspn(at, ":");
        const int used = snprintf(out, size, "%.*s/ffmpeg", (int)length, at);
        if (*at == '/' && used > 0 && (size_t)used < size && stat(out, &s) == 0 &&
            S_ISREG(s.st_mode) && access(out, X_OK) == 0)
            return true;
        more = at[length] == ':';
        at += length + more;
    }
    return false;
}

// Starts ffmpeg with its input at `*feed`. An errno, or 0.
static int start(const char *path, size_t count, pid_t *pid, int *feed)
{
    char rate[24], out[PATH_MAX + 48], tool[PATH_MAX];
    if (!find_tool(tool, sizeof tool))
        return ENOENT;
    snprintf(rate, sizeof rate, "%zu", pictures_a_second(count));
    snprintf(out, sizeof out, "file:%s", path);
    char *const words[] = {"ffmpeg",
                           "-loglevel",
                           "error",
                           "-f",
                           "image2pipe",
                           "-c:v",
                           "png",
                           "-framerate",
                           rate,
                           "-i",
                           "-",
                           "-vf",
                           "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                           "-pix_fmt",
                           "yuv420p",
                           "-f",
                           "mp4",
                           "-y",
                           out,
                           NULL};
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    int code = posix_spawn_file_actions_init(&actions);
    if (code == 0) {
        code = posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
        if (code == 0)
            code = posix_spawn(pid, tool, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[0]);
    if (code)
        close(ends[1]);
    *feed = ends[1];
    return code;
}

static bool send_file(const char *path, int feed)
{
    char block[1 << 16];
    FILE *file = fopen(path, "rb");
    bool good = file != NULL;
    for (size_t n; good && (n = fread(block, 1, sizeof block, file)) > 0;) {
        for (size_t sent = 0; good && sent < n;) {
            const ssize_t some = write(feed, block + sent, n - sent);
            good = some > 0 || (some < 0 && errno == EINTR);
            sent += some > 0 ? (size_t)some : 0;
        }
    }
    if (file) {
        good = good && !ferror(file);
        fclose(file);
    }
    return good;
}

shl_film shl_video_write(const char *folder, const shl_picture_list *list, const char *path,
                         char *why, size_t room)
{
    char part[PATH_MAX + 32];
    pid_t pid = -1;
    int feed = -1, status = -1;
    snprintf(part, sizeof part, "%s.part", path);
    const int code = start(part, list->count, &pid, &feed);
    if (code) {
        snprintf(why, room, "%s",
                 code == ENOENT ? "there is no program ffmpeg" : strerror(code));
        return code == ENOENT ? SHL_FILM_NO_TOOL : SHL_FILM_FAILED;
    }
    // ffmpeg may give up, and then the tool must not die of it
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    bool good = true;
    for (size_t i = 0; i < list->count && good; i++) {
        char name[PATH_MAX + 40];
        snprintf(name, sizeof name, "%s/%s", folder, list->names[i]);
        good = send_file(name, feed);
    }
    close(feed);
    signal(SIGPIPE, before);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0 && rename(part, path) == 0;
    if (good)
        return SHL_FILM_OK;
    unlink(part);
    snprintf(why, room, "ffmpeg could not make it");
    return SHL_FILM_FAILED;
}
