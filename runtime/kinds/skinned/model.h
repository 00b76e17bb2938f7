// SPDX-License-Identifier: MIT
// What a model makes of control points and weights.
#ifndef SHL_RUNTIME_KINDS_SKINNED_MODEL_H
#define SHL_RUNTIME_KINDS_SKINNED_MODEL_H

#include "runtime/context.h"

// For shoal_model_create(): whether nodes and weights keep the rules, and what a model makes of
// them. `xyz` has the rest positions in user order.
SHOAL_CHECK shoal_status shl_skinned_check(const shoal_context *ctx,
                                           const shoal_model_def *def);
SHOAL_CHECK shoal_status shl_model_add_skinned(shoal_model *model, const shoal_model_def *def,
                                               const double *xyz);

#endif
