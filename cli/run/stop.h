// SPDX-License-Identifier: MIT
// When a run makes a checkpoint and when it stops early: signals, a file named `stop` in its
// folder, --max-time and --checkpoint-every.
//
//   USR1              checkpoint, and go on
//   USR2, TERM, INT   finish the step, checkpoint, stop; the second one kills at once
#ifndef SHL_CLI_RUN_STOP_H
#define SHL_CLI_RUN_STOP_H

#include "cli/args.h"

#include <limits.h>

extern const shl_option shl_stop_options[];

typedef struct shl_stop {
    double begin_s;
    double most_s;        // 0: as long as it takes
    double every_s;       // between checkpoints; 0: never
    uint32_t every_steps; // the same in steps
    double checkpoint_s;  // when the last one was made
    double step_s;        // when the last step ended
    double longest_s;     // what a step has taken
    double looked_s;      // when the file was looked for
    char file[PATH_MAX];
    char why[64]; // it wants to stop: "signal 15"
} shl_stop;

typedef enum shl_wish { SHL_GO_ON, SHL_CHECKPOINT, SHL_STOP } shl_wish;

// Reads the options. False: it said what is wrong.
bool shl_stop_read(const shl_args *args, shl_stop *out);

// The run begins, in a folder. Signals are caught from now on.
void shl_stop_begin(shl_stop *stop, const char *folder);

// What is to be done after a step.
shl_wish shl_stop_ask(shl_stop *stop, uint32_t step);

// A checkpoint was made.
void shl_stop_made(shl_stop *stop);

// Signals do again what they did before.
void shl_stop_end(void);

// A time as "90", "30s", "5m", "4h", "2d", "MM:SS" or "H:MM:SS", above 0.
bool shl_duration(const char *text, double *seconds);

#endif
