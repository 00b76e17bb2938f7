// SPDX-License-Identifier: MIT
// run.json: what ran, where, and how it ended. The same object as shoal run --json prints, and
// what it takes to do it again.
#ifndef SHL_CLI_RUN_RUN_JSON_H
#define SHL_CLI_RUN_RUN_JSON_H

#include "cli/run/session.h"

// What a run's results depend on, and a hash of it.
json_t *shl_input_json(const shl_run_result *run);
uint64_t shl_input_hash(const shl_run_result *run);

// Writes it anew. `state` is "running", "stopped" or "finished". The errno.
int shl_run_json_write(const shl_session *session, const char *state);

// The object in a folder; NULL: there is none.
json_t *shl_run_json_read(const shl_folder *folder);

// The version of the hashes of the run that it tells of.
int shl_run_json_hash_version(const json_t *object);

#endif
