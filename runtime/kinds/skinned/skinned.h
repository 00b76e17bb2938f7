// SPDX-License-Identifier: MIT
// What a step asks of bodies of kind points. Opened nodes and evaluated leaves are kept where
// those of reduced bodies are (runtime/traverse/eval_cache.h).
#ifndef SHL_RUNTIME_KINDS_SKINNED_SKINNED_H
#define SHL_RUNTIME_KINDS_SKINNED_SKINNED_H

#include "runtime/scene/scene.h"

// For shoal_model_create(): whether nodes and weights keep the rules, and what a model makes of
// them. `xyz` has the rest positions in user order.
SHOAL_CHECK shoal_status shl_points_check(const shoal_context *ctx, const shoal_model_def *def);
SHOAL_CHECK shoal_status shl_model_add_points(shoal_model *model, const shoal_model_def *def,
                                              const double *xyz);

// Bytes of a body's `ready`.
size_t shl_points_ready_bytes(const shl_points *model);

// Bytes of scratch that a worker needs to open nodes.
size_t shl_points_scratch_bytes(const shl_points *model);

// Before the search: what kernels read of the body, its box, and whether it is bad.
void shl_points_prepare(const shl_kernels *kernels, shl_free_body *body, shl_walker *worker);

// Whether a node's children are leaves, all of them: it is then cheaper to evaluate the
// vertices of all of them, once each, than to bound where they are.
static inline bool shl_points_grouped(const shl_free_body *body, uint32_t node)
{
    return body->points && !body->tree->inner[node] && !body->tree->leaf[node];
}

// Evaluates such a node's vertices: its range, then its list. Returns how many.
uint32_t shl_points_group(const shl_kernels *kernels, const shl_free_body *body, uint32_t node,
                          double *xyz);

// Boxes of an inner node's children.
void shl_points_open(const shl_kernels *kernels, const shl_free_body *body, uint32_t node,
                     shl_walker *worker, shl_block *out);

// How far any vertex can have moved along an axis between two states, each rounding included;
// infinite if a number is not finite. O(points).
double shl_points_motion(const shl_points *model, const double *now, const double *then);

#endif
