// SPDX-License-Identifier: MIT
#include "layouts/models/list.h"

#include "layouts/models/reduced.h"
#include "layouts/models/self_cull.h"
#include "layouts/models/skinned.h"
#include "layouts/tree.h"

_Static_assert((int)SHL_TREE_COLUMNS <= (int)SHL_MODEL_COLUMNS_MAX &&
                   (int)SHL_REDUCED_COLUMNS <= (int)SHL_MODEL_COLUMNS_MAX &&
                   (int)SHL_SKINNED_COLUMNS <= (int)SHL_MODEL_COLUMNS_MAX &&
                   (int)SHL_CERTIFICATE_COLUMNS <= (int)SHL_MODEL_COLUMNS_MAX,
               "a struct has more columns");

static uint32_t of_tree(shl_column out[SHL_MODEL_COLUMNS_MAX])
{
    static shl_tree empty;
    shl_tree_columns(&empty, out);
    return SHL_TREE_COLUMNS;
}

static uint32_t of_reduced(shl_column out[SHL_MODEL_COLUMNS_MAX])
{
    static shl_reduced empty;
    shl_reduced_columns(&empty, out);
    return SHL_REDUCED_COLUMNS;
}

static uint32_t of_skinned(shl_column out[SHL_MODEL_COLUMNS_MAX])
{
    static shl_skinned empty;
    shl_skinned_columns(&empty, out);
    return SHL_SKINNED_COLUMNS;
}

static uint32_t of_certificate(shl_column out[SHL_MODEL_COLUMNS_MAX])
{
    static shl_certificate empty;
    shl_certificate_columns(&empty, out);
    return SHL_CERTIFICATE_COLUMNS;
}

const shl_model_struct shl_model_structs[SHL_MODEL_STRUCTS] = {
    {"Tree", "shl_tree", "layouts/tree.h", of_tree},
    {"Model of reduced bodies", "shl_reduced", "layouts/models/reduced.h", of_reduced},
    {"Model of skinned bodies", "shl_skinned", "layouts/models/skinned.h", of_skinned},
    {"Certificates of self culling", "shl_certificate", "layouts/models/self_cull.h",
     of_certificate},
};
