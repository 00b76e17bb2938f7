// SPDX-License-Identifier: MIT
// A run as a Chrome trace: what each worker did when, for chrome://tracing or Perfetto.
#ifndef SHL_CLI_RUN_TRACE_H
#define SHL_CLI_RUN_TRACE_H

#include "io/draft.h"

#include <shoal/trace.h>

typedef struct shl_trace {
    shl_draft draft;
    FILE *file; // the draft's
    double start_s;
    bool any;
} shl_trace;

// Opens the file's forerunner. False with errno set if it cannot.
bool shl_trace_open(shl_trace *trace, const char *path);

// Adds what a step's workers did, and the spans of the scene's motion and of the step itself on
// the calling thread. Times in seconds of CLOCK_MONOTONIC.
void shl_trace_step(shl_trace *trace, const shoal_scene *scene, uint32_t step, double motion_s,
                    double begin_s, double end_s);

// Puts the file in its place, or drops it. False with errno set if it is not there whole.
bool shl_trace_close(shl_trace *trace, bool keep);

#endif
