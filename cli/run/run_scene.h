// SPDX-License-Identifier: MIT
// What a command line asks to run: a built-in scene or a scene file, with settings.
#ifndef SHL_CLI_RUN_RUN_SCENE_H
#define SHL_CLI_RUN_RUN_SCENE_H

#include "cli/report/run_report.h"
#include "cli/scene_file/file.h"

extern const shl_option shl_setting_options[];

// Reads it, and the scene file into `file`, which must outlive the run; give it to
// shl_scene_file_finish() either way. Returns an exit code; not OK: it said why.
int shl_run_read_scene(const shl_args *args, shl_run_result *run, shl_scene_file *file);

// The command line with what the file, which may be empty, says of outputs; give it to
// shl_args_finish(), and keep the file until then.
void shl_run_args(const shl_args *args, const shl_scene_file *file, shl_args *out);

// The height of the floor that pictures show; NaN: there is none.
double shl_run_floor(const shl_run_result *run);

// Makes its bodies, in the scene of the run's engine.
SHOAL_CHECK shoal_status shl_run_motion(const shl_run_result *run, shl_motion **out);

#endif
