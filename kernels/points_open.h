// SPDX-License-Identifier: MIT
// World boxes of a node's children from the maps of the points that act on them: what `open`
// does for a body of kind points.
#ifndef SHL_KERNELS_POINTS_OPEN_H
#define SHL_KERNELS_POINTS_OPEN_H

#include "layouts/points.h"

#define SHL_POINTS_MAX 1e30    // rest positions, deformed ones relative to base, entries of A
#define SHL_POINTS_AT_MAX 1e37 // base; beyond both a body has one box for all its nodes

enum { SHL_DUAL_ROUNDS = 3, SHL_KNAPSACK_ROUNDS = 40 };
// Floats of scratch for each point that acts on a node, or for eight points at the root: six
// faces and what a weight may vary by.
enum { SHL_SCRATCH_ROWS = 7, SHL_SCRATCH_FLOATS = SHL_SCRATCH_ROWS * SHL_LANES };

typedef void shl_points_open_fn(const shl_points *model, uint32_t block,
                                const shl_points_ready *ready, uint32_t count, float *scratch,
                                shl_block *out);
shl_points_open_fn shl_points_open_ref, shl_points_open_avx2;

#endif
