// SPDX-License-Identifier: MIT
// For tests that write files: a folder of their own, and what is in it.
#ifndef TESTS_UNIT_COMMON_IO_FOLDER_H
#define TESTS_UNIT_COMMON_IO_FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static char folder[256];

static inline bool folder_open(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/shoal-io-XXXXXX", parent ? parent : "/tmp");
    if (mkdtemp(folder))
        return true;
    perror(folder);
    return false;
}

static inline const char *in_folder(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline int file_count(void)
{
    int count = 0;
    DIR *dir = opendir(folder);
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count - 2; // "." and ".."
}

#endif
