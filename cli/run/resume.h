// SPDX-License-Identifier: MIT
// How a run goes on from a checkpoint.
#ifndef SHL_CLI_RUN_RESUME_H
#define SHL_CLI_RUN_RESUME_H

#include "cli/run/session.h"

// Finds the latest checkpoint that is whole and whose outputs still hold what they held then,
// cuts them back to it, brings motion and sums to where they were and does the step again whose
// results the next one reads: it must give the same hash. Without a checkpoint nothing happens.
// Returns an exit code; not OK: it said why.
int shl_session_resume(shl_session *session);

// Says that an output cannot be written, and returns the exit code.
int shl_cannot_write(const char *path, int code);

#endif
