// SPDX-License-Identifier: MIT
// For tests of runs in folders: what two of them have in common.
#ifndef TESTS_CLI_RUN_FOLDER_H
#define TESTS_CLI_RUN_FOLDER_H

#include "tool.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>

// Starts the tool; the arguments are separated by single blanks. The child's number.
static inline pid_t start_tool(const char *args)
{
    char text[2048], *words[64] = {tool_path};
    snprintf(text, sizeof text, "%s", args);
    int n = 1;
    for (char *word = strtok(text, " "); word && n < 63; word = strtok(NULL, " "))
        words[n++] = word;
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves nothing running
        signal(SIGINT, SIG_DFL); // which a shell ignores for what it runs beside itself
        if (!freopen("child.txt", "w", stdout) || !freopen("child_err.txt", "w", stderr))
            _exit(99);
        execv(tool_path, words);
        _exit(99);
    }
    return child;
}

static inline int wait_for(pid_t child)
{
    int status = 0;
    if (waitpid(child, &status, 0) != child)
        return -1;
    show_ran("the program beside it", status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// Lines of metrics are equal but for what was measured. -1: they are; else the line.
static inline long metrics_differ(const char *a, const char *b)
{
    char path[512];
    FILE *files[2];
    snprintf(path, sizeof path, "%s/metrics.jsonl", a);
    files[0] = fopen(path, "r");
    snprintf(path, sizeof path, "%s/metrics.jsonl", b);
    files[1] = fopen(path, "r");
    char *line[2] = {NULL, NULL};
    size_t room[2] = {0, 0};
    long at = files[0] && files[1] ? -1 : 0;
    for (long n = 1; at == -1; n++) {
        ssize_t length[2];
        for (int i = 0; i < 2; i++) {
            length[i] = getline(&line[i], &room[i], files[i]);
            char *measured = length[i] > 0 ? strstr(line[i], ",\"measured\":") : NULL;
            if (measured)
                *measured = '\0';
            else if (length[i] > 0)
                at = n;
        }
        if (length[0] <= 0 && length[1] <= 0)
            break;
        if (length[0] <= 0 || length[1] <= 0 || strcmp(line[0], line[1]) != 0)
            at = n;
    }
    for (int i = 0; i < 2; i++) {
        free(line[i]);
        if (files[i])
            fclose(files[i]);
    }
    return at;
}

static inline json_t *run_json(const char *folder)
{
    char path[512];
    json_error_t error;
    snprintf(path, sizeof path, "%s/run.json", folder);
    return json_load_file(path, 0, &error);
}

// Files whose names begin with a text.
static inline int count_files(const char *folder, const char *front)
{
    int count = 0;
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        count += strncmp(e->d_name, front, strlen(front)) == 0 && strcmp(e->d_name, ".") != 0 &&
                 strcmp(e->d_name, "..") != 0;
    if (dir)
        closedir(dir);
    return count;
}

#endif
