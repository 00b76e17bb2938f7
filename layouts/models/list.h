// SPDX-License-Identifier: MIT
// All structs of columns that a model may consist of, as data, so that what describes them
// knows none by name.
#ifndef SHL_LAYOUTS_MODELS_LIST_H
#define SHL_LAYOUTS_MODELS_LIST_H

#include "layouts/columns.h"

enum { SHL_MODEL_STRUCTS = 4, SHL_MODEL_COLUMNS_MAX = 16 };

typedef struct shl_model_struct {
    const char *about;  // "Tree"
    const char *name;   // of the type
    const char *header; //
    // Fills in the columns of an empty one, and returns how many there are.
    uint32_t (*columns)(shl_column out[SHL_MODEL_COLUMNS_MAX]);
} shl_model_struct;

extern const shl_model_struct shl_model_structs[SHL_MODEL_STRUCTS];

#endif
