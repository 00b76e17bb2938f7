// SPDX-License-Identifier: MIT
// A file that gets its name when it is complete, for those who write with stdio; output.h is
// for the others.
#ifndef SHL_IO_DRAFT_H
#define SHL_IO_DRAFT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

// Opens a new file in the folder of `path`, to be renamed when it is complete: its name goes to
// `name`. Or what `path` is, if that must be written in place: links, devices and pipes cannot
// be replaced by a file without harm, as /dev/null and /dev/stdout would be. The file, or -1
// with errno set.
int shl_open_beside(const char *path, bool *in_place, char name[PATH_MAX]);

typedef struct shl_draft {
    FILE *file; // NULL: not open
    bool in_place;
    char name[PATH_MAX]; // what is written until all is there
} shl_draft;

// False with errno set if it cannot be opened.
bool shl_draft_open(shl_draft *draft, const char *path);

// Puts the file in its place, or drops it. False with errno set if it is not there whole. An
// all-zero draft is fine.
bool shl_draft_close(shl_draft *draft, const char *path, bool keep);

#endif
