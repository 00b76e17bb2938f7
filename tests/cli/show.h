// SPDX-License-Identifier: MIT
// For tests that run a program: when an assertion fails, what the program said itself is shown,
// too. Include it instead of greatest.h, and tell it of every run.
#ifndef TESTS_CLI_SHOW_H
#define TESTS_CLI_SHOW_H

#include "greatest.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

// The last run. What it and a program beside it printed is in files of the folder.
static struct {
    char command[1024];
    int status; // as of system()
    const char *folder;
} show_run = {.folder = "."};

static inline void show_ran(const char *command, int status)
{
    snprintf(show_run.command, sizeof show_run.command, "%.1000s", command);
    show_run.command[strcspn(show_run.command, "\n")] = '\0';
    show_run.status = status;
}

// The end of a file, line by line.
static inline void show_file(const char *name)
{
    enum { MOST = 3000 };
    char path[512], text[MOST + 1];
    snprintf(path, sizeof path, "%s/%s", show_run.folder, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        return;
    if (fseek(f, -(long)MOST, SEEK_END) != 0)
        rewind(f);
    const size_t n = fread(text, 1, MOST, f);
    text[n] = '\0';
    fclose(f);
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (*line)
            fprintf(stderr, "  %s: %s\n", name, line);
    }
}

static inline void show_failure(void)
{
    const int status = show_run.status;
    fprintf(stderr, "\n  last run: %s\n  %s %d\n", show_run.command,
            WIFSIGNALED(status) ? "killed by signal" : "exit code",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    static const char *const names[] = {"err.txt", "out.txt", "child_err.txt", "child.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        show_file(names[i]);
}

// Files may have at most so many bytes, those of programs that are started from now on, too; 0:
// as many as before.
static inline void limit_files(rlim_t most)
{
    static struct rlimit before;
    if (!before.rlim_max)
        getrlimit(RLIMIT_FSIZE, &before);
    const struct rlimit now = {most ? most : before.rlim_cur, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
}

// Every assertion of greatest.h fails through this one.
#undef GREATEST_FAILm
#define GREATEST_FAILm(MSG)                                                                    \
    do {                                                                                       \
        show_failure();                                                                        \
        greatest_info.fail_file = __FILE__;                                                    \
        greatest_info.fail_line = __LINE__;                                                    \
        greatest_info.msg = MSG;                                                               \
        return GREATEST_TEST_RES_FAIL;                                                         \
    } while (0)

#endif
