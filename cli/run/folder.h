// SPDX-License-Identifier: MIT
// The folder that a run writes to.
#ifndef SHL_CLI_RUN_FOLDER_H
#define SHL_CLI_RUN_FOLDER_H

#include "cli/args.h"

#include <limits.h>

// Names in it. Checkpoints are checkpoint-STEP.shc.
#define SHL_RUN_JSON "run.json"
#define SHL_METRICS "metrics.jsonl"
// copies of outputs that belong to the checkpoint of a step
#define SHL_KEEP "results-at-"
#define SHL_KEEP_END ".keep"

typedef struct shl_folder {
    char path[PATH_MAX];
    bool resume; // it may hold a run already, and that goes on
    bool made;   // by this run
} shl_folder;

// A path in a folder.
typedef struct shl_path {
    char text[PATH_MAX];
} shl_path;
shl_path shl_folder_path(const shl_folder *folder, const char *name);

// Gives a folder its path. False: it is too long for the names of files in it.
bool shl_folder_name(const char *path, shl_folder *out);

// Makes or finds the folder: what -o names, else runs/SCENE-N with the next free N, or the last
// one that holds a run with --resume. Other files in it do not matter, but another run's folder
// is refused. Returns an exit code; not OK: it said why.
int shl_folder_open(const shl_args *args, const char *scene, shl_folder *out);

// Removes a folder that was made for a run and has nothing in it.
void shl_folder_drop(const shl_folder *folder);

// The steps of its checkpoints, the latest first; at most `capacity` of them.
uint32_t shl_folder_checkpoints(const shl_folder *folder, uint32_t *steps, uint32_t capacity);
shl_path shl_folder_checkpoint(const shl_folder *folder, uint32_t step);

// Removes files that were never finished, and copies of outputs whose checkpoint is gone. Only
// while no one else writes in it.
void shl_folder_sweep(const shl_folder *folder);

#endif
