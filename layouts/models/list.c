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

#define COLUMNS_OF(function, type, columns, count)                                             \
    static uint32_t function(shl_column out[SHL_MODEL_COLUMNS_MAX])                            \
    {                                                                                          \
        static type empty;                                                                     \
        columns(&empty, out);                                                                  \
        return count;                                                                          \
    }
COLUMNS_OF(of_tree, shl_tree, shl_tree_columns, SHL_TREE_COLUMNS)
COLUMNS_OF(of_reduced, shl_reduced, shl_reduced_columns, SHL_REDUCED_COLUMNS)
COLUMNS_OF(of_skinned, shl_skinned, shl_skinned_columns, SHL_SKINNED_COLUMNS)
COLUMNS_OF(of_certificate, shl_certificate, shl_certificate_columns, SHL_CERTIFICATE_COLUMNS)

const shl_model_struct shl_model_structs[SHL_MODEL_STRUCTS] = {
    {"Tree", "shl_tree", "layouts/tree.h", of_tree},
    {"Model of reduced bodies", "shl_reduced", "layouts/models/reduced.h", of_reduced},
    {"Model of skinned bodies", "shl_skinned", "layouts/models/skinned.h", of_skinned},
    {"Certificates of self culling", "shl_certificate", "layouts/models/self_cull.h",
     of_certificate},
};
