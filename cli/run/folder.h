// SPDX-License-Identifier: MIT
// The folder that a run writes to.
#ifndef SHL_CLI_RUN_FOLDER_H
#define SHL_CLI_RUN_FOLDER_H

#include "cli/args.h"

#include <limits.h>

// Names in it. Checkpoints are checkpoint-STEP.shc.
#define SHL_RUN_JSON "run.json"
#define SHL_METRICS "metrics.jsonl"

typedef struct shl_folder {
    char path[PATH_MAX];
    bool resume; // it may hold a run already, and that goes on
} shl_folder;

// A path in a folder.
typedef struct shl_path {
    char text[PATH_MAX];
} shl_path;
shl_path shl_folder_path(const shl_folder *folder, const char *name);

// Makes or finds the folder: what -o names, else runs/SCENE-N with the next free N, or the last
// one with --resume. Other files in it do not matter, but another run's folder is refused.
// Returns an exit code; not OK: it said why.
int shl_folder_open(const shl_args *args, const char *scene, shl_folder *out);

// The steps of its checkpoints, the latest first; at most `room` of them.
uint32_t shl_folder_checkpoints(const shl_folder *folder, uint32_t *steps, uint32_t room);
shl_path shl_folder_checkpoint(const shl_folder *folder, uint32_t step);

// Removes files that were never finished. Only while no one else runs in it.
void shl_folder_sweep(const shl_folder *folder);

#endif
