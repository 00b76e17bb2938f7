// SPDX-License-Identifier: MIT
// What the two programs that make models of meshes say and return when they fail.
#ifndef SHL_VOLUME_MAKER_H
#define SHL_VOLUME_MAKER_H

#include "io/plain.h"

#include <shoal/base.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

// As the tool shoal does; sysexits.
enum { EXIT_USAGE = 64, EXIT_INPUT = 65, EXIT_MEMORY = 71, EXIT_IO = 74 };

// A file that may not grow is a write that fails, as on a full disk.
static inline void shl_maker_begins(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

// One line on stderr; returns the exit code. Without a file the text names it.
static inline int shl_maker_failed(const char *program, const char *file, shoal_status st,
                                   const char *text)
{
    if (st == SHOAL_ERR_MEMORY)
        shl_line(stderr, "%s: out of memory", program);
    else if (file)
        shl_line(stderr, "%s: %s: %s", program, file, text);
    else
        shl_line(stderr, "%s: %s", program, text);
    return st == SHOAL_ERR_MEMORY ? EXIT_MEMORY : st == SHOAL_ERR_FILE ? EXIT_IO : EXIT_INPUT;
}

// The same for a command line: what is said before and after a word of it.
static inline int shl_maker_usage(const char *program, const char *before, const char *word,
                                  const char *after)
{
    shl_line(stderr, "%s: %s%s%s (see %s --help)", program, before, word, after, program);
    return EXIT_USAGE;
}

// A file that cannot be read is wrong input; only what cannot be written is a failure of its
// own.
static inline shoal_status shl_maker_input(shoal_status st)
{
    return st == SHOAL_ERR_FILE ? SHOAL_ERR_FORMAT : st;
}

// The exit code of a program whose work gave `code`: output that nobody received is a failure.
static inline int shl_maker_ends(const char *program, int code)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == 0)
        return shl_maker_failed(program, NULL, SHOAL_ERR_FILE,
                                "cannot write to standard output");
    return code;
}

static inline const char *shl_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
