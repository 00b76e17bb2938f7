// SPDX-License-Identifier: MIT
// The outputs of a scene file, as options of shoal run.
#ifndef SHL_CLI_SCENE_FILE_OUTPUTS_H
#define SHL_CLI_SCENE_FILE_OUTPUTS_H

#include "cli/scene_file/json_value.h"

enum { SHL_OUTPUTS_MAX = 16 };

typedef struct shl_scene_output {
    const char *option; // "every"
    char value[96];     // as on the command line; "" for a flag
} shl_scene_output;

typedef struct shl_scene_outputs {
    shl_scene_output rows[SHL_OUTPUTS_MAX];
    size_t count;
} shl_scene_outputs;

// Adds what the object `outputs` of a file says. False: it noted what is wrong.
bool shl_scene_outputs_read(const shl_json_value *node, shl_scene_outputs *out);

// The distance of the query "within", in the same way.
bool shl_scene_within_read(const shl_json_value *node, shl_scene_outputs *out);

#endif
