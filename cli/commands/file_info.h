// SPDX-License-Identifier: MIT
// What a mesh or model file holds, for people and as JSON.
#ifndef SHL_CLI_COMMANDS_FILE_INFO_H
#define SHL_CLI_COMMANDS_FILE_INFO_H

#include "cli/args.h"

#include <jansson.h>
#include <shoal/model_file.h>

// Reads a file. Returns an exit code; not OK: it said why, and there is nothing to finish.
int shl_file_read(const char *path, shoal_model_file *out);

// `path` is what it is called.
void shl_file_print(const char *path, const shoal_model_file *file);
json_t *shl_file_json(const char *path, const shoal_model_file *file);

// `shoal info FILE...`; returns the exit code.
int shl_file_info(const shl_args *args);

#endif
