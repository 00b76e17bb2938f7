// SPDX-License-Identifier: MIT
// The box of a whole body of kind points, from its points alone: the cost does not depend on
// how many vertices they carry.
#ifndef SHL_KERNELS_SKINNED_SKINNED_BOX_H
#define SHL_KERNELS_SKINNED_SKINNED_BOX_H

#include "layouts/models/skinned.h"

enum { SHL_ROOT_ROUNDS = 2 };

// As skinned_open.h, for one child that is everything, with the region "clipped": each point's
// map is applied to the box of what it acts on. Eight points at a time; sums are those of eight
// lanes, which are then added as (0 + 4) + (2 + 6), (1 + 5) + (3 + 7) and both. Products are
// added to sums of lanes by fma.
//
//   reads    zone of *model, columns of *ready
//   writes   scratch[0, SHL_SCRATCH_FLOATS padded / 8), *out
//   equal    exact
//   cost     about 120 operations for eight points, and 80 for the passes over their faces
typedef void shl_skinned_box_fn(const shl_skinned *model, const shl_skinned_ready *ready,
                                float *scratch, shl_box *out);
shl_skinned_box_fn shl_skinned_box_ref, shl_skinned_box_avx2, shl_skinned_box_avx512;

#endif
