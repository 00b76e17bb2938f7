// SPDX-License-Identifier: MIT
// Boxes of reduced bodies that are kept from step to step.
#ifndef SHL_RUNTIME_KINDS_REDUCED_COHERENCE_H
#define SHL_RUNTIME_KINDS_REDUCED_COHERENCE_H

#include "runtime/scene/scene.h"

// Room for what a body keeps, if the scene wants it to.
SHOAL_CHECK shoal_status shl_front_reserve(shoal_scene *scene, const shl_reduced *model,
                                           shl_free_body *body);

// The body has a new q.
void shl_front_prepare(shl_free_body *body);

// Boxes of a node's children from what is kept; false if that is not of use.
bool shl_front_open(const shl_kernels *kernels, const shl_free_body *body, uint32_t node,
                    shl_block *out);

#endif
