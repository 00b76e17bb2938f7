// SPDX-License-Identifier: MIT
// Where a run is, on stderr: one line that is rewritten on a terminal; else a line after the
// first second, for every tenth of the way and for every minute, and none for runs that are
// over before anyone would look.
#ifndef SHL_CLI_RUN_PROGRESS_H
#define SHL_CLI_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct shl_progress {
    bool quiet, terminal;
    double begin_s, last_s;
    uint32_t steps;            // in all
    uint32_t last_step, first; // steps before this process
} shl_progress;

shl_progress shl_progress_begin(bool quiet, uint32_t done, uint32_t steps);

// After a step: how many are done, and what the last one found.
void shl_progress_step(shl_progress *progress, uint32_t done, uint64_t found, const char *what);
void shl_progress_end(const shl_progress *progress);

#endif
