// SPDX-License-Identifier: MIT
// How a scene with dynamics went: some of its steps, from first to last.
#ifndef SHL_CLI_SCENE_FILE_DYNAMICS_TABLE_H
#define SHL_CLI_SCENE_FILE_DYNAMICS_TABLE_H

#include "scenes/scene.h"

#include <jansson.h>

enum { SHL_DYNAMICS_ROWS = 10 };

typedef struct shl_dynamics_row {
    uint32_t step;
    size_t contacts;
    double deepest; // of the contacts
    size_t pairs;
    double touching; // share of all triangles that are in a pair; of soft bodies only
    shl_motion_report report;
} shl_dynamics_row;

typedef struct shl_dynamics_table {
    uint32_t count; // 0: the scene has no dynamics
    shl_dynamics_row rows[SHL_DYNAMICS_ROWS + 1];
} shl_dynamics_table;

// Adds a row for the first step, for every tenth of the way, and for the last one.
// Errors: MEMORY.
SHOAL_CHECK shoal_status shl_dynamics_add(shl_dynamics_table *table, uint32_t step,
                                          uint32_t steps, const shl_motion *motion,
                                          const shoal_scene *scene);

void shl_dynamics_print(const shl_dynamics_table *table);
json_t *shl_dynamics_json(const shl_dynamics_table *table);

#endif
