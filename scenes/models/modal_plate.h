// SPDX-License-Identifier: MIT
// A plate folded like a chair, and analytic modes of it: the stand-in for modal models that are
// found by finite elements. The same bits everywhere.
#ifndef SHL_SCENES_MODELS_MODAL_PLATE_H
#define SHL_SCENES_MODELS_MODAL_PLATE_H

#include "scenes/shapes/mesh.h"

enum { SHL_MODAL_PLATE_FIELDS_MAX = 16 };

// A closed surface of 4 (along across + along + across) triangles: two sides and the rim. About
// 1 along the fold, 0.45 wide, 0.02 thick; centred. The first `field_count` fields are, with
// the free-free beam functions along the fold: bending in four orders, bending sideways in two,
// twisting in two, stretching, bending across; then higher orders of the same. Each moves no
// vertex by more than about 1.
// `*fields` is [field_count][vertex_count][3]; give it to free().  Errors: ARGUMENT, MEMORY.
SHOAL_CHECK shoal_status shl_mesh_modal_plate(uint32_t along, uint32_t across,
                                              uint32_t field_count, shl_surface *out,
                                              float **fields);

#endif
