// SPDX-License-Identifier: MIT
// What commands that search have in common: their options, a context and a scene made from
// them, names for reports, and how a failure becomes an exit code.
#ifndef SHL_CLI_RUN_ENGINE_H
#define SHL_CLI_RUN_ENGINE_H

#include "cli/args.h"

#include <jansson.h>
#include <shoal/scene.h>

extern const shl_option shl_engine_options[];
extern const shl_option shl_json_options[];

typedef struct shl_engine {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_scene_def def;
    char said[512]; // the library's last log line
} shl_engine;

// Reads the options and makes both. Returns an exit code; not OK: it said why. Either way give
// it to shl_engine_finish(). The engine must not move meanwhile.
int shl_engine_start(const shl_args *args, shl_engine *out);
void shl_engine_finish(shl_engine *engine);

// Replaces the scene by an empty one.
SHOAL_CHECK shoal_status shl_engine_renew(shl_engine *engine);

// Prints one line, the library's own if it logged one, and returns the exit code.
int shl_engine_failed(const shl_engine *engine, shoal_status status);

const char *shl_executor_name(shoal_executor executor);
const char *shl_strategy_name(shoal_strategy strategy);
const char *shl_broad_name(shoal_broad broad);
const char *shl_bind_name(shoal_bind bind);

// The best instruction set a kernel of this context uses.
const char *shl_cpu_name(const shoal_context *ctx);

// The hash of a sequence of steps: the first step's own, then each next one mixed in.
uint64_t shl_hash_steps(uint64_t so_far, uint32_t step, uint64_t hash);

double shl_now_s(void);

// A JSON string of any bytes; what is not UTF-8 becomes U+FFFD.
json_t *shl_json_new_text(const char *text);
json_t *shl_json_hash(uint64_t hash);
json_t *shl_json_new_number(double number); // null if it is not finite, which JSON cannot tell

// An option as on the command line, "--name=value"; NULL: a flag.
json_t *shl_json_option(const char *name, const char *value);

// Prints the object to stdout and releases it. Returns an exit code.
int shl_json_print(json_t *object);

// Why it could not write, as errno; 0 if it could.
extern int shl_json_errno;

#endif
