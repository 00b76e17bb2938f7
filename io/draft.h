// SPDX-License-Identifier: MIT
// A file that gets its name when it is complete, for those who write with stdio; output.h is
// for the others.
#ifndef SHL_IO_DRAFT_H
#define SHL_IO_DRAFT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

// Where an output under a name goes.
typedef struct shl_place {
    bool in_place;         // `target` is opened and written as it is
    mode_t mode;           // of the file that is replaced; 0: there is none
    char target[PATH_MAX]; // what the name leads to through links
    char name[PATH_MAX];   // the file that is written, beside the target, until it is complete
} shl_place;

// Opens a new file in the folder of what `path` is or links to, to be renamed to
// `place->target` when it is complete: until then the old content stays. Devices and pipes are
// opened themselves, since a file in their place would do harm; so is what a link in /proc
// names, as /dev/stdout does: whoever opened it before still writes to it. The file, or -1 with
// errno set.
int shl_open_beside(const char *path, shl_place *place);

// What to say of the errno that writing to `path` gave: through a link it may be about another
// folder than that of the name.
const char *shl_write_reason(const char *path, int code, char text[PATH_MAX]);

typedef struct shl_draft {
    FILE *file; // NULL: not open
    shl_place place;
} shl_draft;

// False with errno set if it cannot be opened.
bool shl_draft_open(shl_draft *draft, const char *path);

// Puts the file in its place, or drops it. False with errno set if it is not there whole. An
// all-zero draft is fine.
bool shl_draft_close(shl_draft *draft, bool keep);

#endif
