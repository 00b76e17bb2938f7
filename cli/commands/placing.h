// SPDX-License-Identifier: MIT
// Where files stand and how they are bent: `--move N=X,Y,Z` and `--q N=Q,Q,...`, with files
// counted from 0.
#ifndef SHL_CLI_COMMANDS_PLACING_H
#define SHL_CLI_COMMANDS_PLACING_H

#include "cli/args.h"

#include <shoal/model.h>

extern const shl_option shl_placing_options[];

typedef struct shl_placing {
    bool moved;
    double move[3];
    const char *q_text; // as given; NULL: it was not
    double q[SHOAL_FIELDS_MAX];
    uint32_t q_count;
} shl_placing;

// Fills [args->word_count] rows. False: it said what is wrong.
bool shl_placing_read(const shl_args *args, shl_placing *out);

#endif
