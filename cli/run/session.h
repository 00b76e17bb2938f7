// SPDX-License-Identifier: MIT
// A run in its folder: metrics of each step, checkpoints, how it goes on after an interruption,
// and run.json, which tells what ran, where, and how it ended.
#ifndef SHL_CLI_RUN_SESSION_H
#define SHL_CLI_RUN_SESSION_H

#include "cli/frames/results.h"
#include "cli/report/run_report.h"
#include "cli/run/folder.h"
#include "cli/run/stop.h"
#include "cli/run/stream.h"

extern const shl_option shl_session_options[];

typedef struct shl_session {
    const shl_args *args;
    shl_run_result *run;
    shl_motion *motion; // not owned
    shl_folder folder;
    shl_stop stop;
    shl_stream metrics;
    shl_results results;
    double begin_s, before_s; // this process; the ones before it
    double flushed_s;
    uint32_t done;      // steps that earlier processes did
    uint32_t resumed;   // times that it went on
    uint64_t step_hash; // of the last step
    bool finished;      // there is nothing to do
    bool stopped;       // early, with a checkpoint
    char started[32];   // when the first process did
} shl_session;

// Reads the options that have to do with folders and stopping, makes or finds the folder and
// decides whether its run is over, before anything expensive happens. `run` is what the command
// line asks for. Returns an exit code; not OK: it said why. Either way give it to
// shl_session_close().
int shl_session_open(shl_session *session, const shl_args *args, shl_run_result *run);

// Begins, or goes on from the latest checkpoint that is whole and whose outputs are: then the
// motion is where it was and session->done tells how many steps are done. `motion` may be
// destroyed on the way: session->motion is the one to use and to destroy afterwards, also after
// a failure; NULL: there is none any more.
int shl_session_begin(shl_session *session, shl_motion *motion);

// After a step. SHL_EXIT_OK and session->stopped: the run is to end here.
int shl_session_step(shl_session *session, uint32_t step, const shoal_scene *scene,
                     const shoal_stats *stats, double deform_s);

// The run is over: writes run.json. `code` is how it went so far, and what it returns if all is
// well.
int shl_session_end(shl_session *session, int code);
void shl_session_close(shl_session *session);

#endif
