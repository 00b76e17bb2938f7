// SPDX-License-Identifier: MIT
// The table of kernel bodies chosen for this machine. It lives in the context.
#ifndef SHL_KERNELS_KERNELS_H
#define SHL_KERNELS_KERNELS_H

#include "kernels/boxes/block_gap.h"
#include "kernels/boxes/block_grow.h"
#include "kernels/boxes/block_join.h"
#include "kernels/boxes/block_merge.h"
#include "kernels/boxes/block_pairs.h"
#include "kernels/boxes/displacement.h"
#include "kernels/boxes/leaf.h"
#include "kernels/boxes/node_open.h"
#include "kernels/boxes/to_f32.h"
#include "kernels/boxes/vertex_box.h"
#include "kernels/broad/sweep.h"
#include "kernels/broad/tree_pairs.h"
#include "kernels/reduced/reduced_eval.h"
#include "kernels/reduced/reduced_move.h"
#include "kernels/reduced/reduced_open.h"
#include "kernels/reduced/reduced_slant.h"
#include "kernels/skinned/skinned_box.h"
#include "kernels/skinned/skinned_eval.h"
#include "kernels/skinned/skinned_open.h"
#include "kernels/tri/leaf_gradients.h"
#include "kernels/tri/tri_apart.h"
#include "kernels/tri/tri_distance.h"
#include "kernels/tri/tri_overlap.h"
#include "kernels/tri/tri_slack.h"
#include "kernels/voronoi/brick_bounds.h"

#include <shoal/context.h>

typedef struct shl_kernels {
    shl_vertex_box_fn *vertex_box[2]; // by shoal_scalar
    shl_node_open_fn *node_open[2];   // by shoal_scalar
    shl_block_merge_fn *block_merge;
    shl_block_join_fn *block_join;
    shl_block_pairs_fn *block_pairs;
    shl_block_mask_fn *block_mask;
    shl_block_tris_fn *block_tris;
    shl_block_nonadjacent_fn *block_nonadjacent;
    shl_block_clip_fn *block_clip;
    shl_block_grow_fn *block_grow;
    shl_block_gap_fn *block_gap;
    shl_brick_bounds_fn *brick_bounds;
    shl_brick_within_fn *brick_within;
    shl_leaf_open_fn *leaf_open;
    shl_leaf_pairs_fn *leaf_pairs;
    shl_leaf_gradients_fn *leaf_gradients;
    shl_join_gradients_fn *join_gradients;
    shl_displacement_fn *displacement[2]; // by shoal_scalar
    shl_to_f32_fn *to_f32;
    shl_skinned_open_fn *skinned_open;
    shl_skinned_box_fn *skinned_box;
    shl_skinned_eval_fn *skinned_eval;
    shl_reduced_open_fn *reduced_open[SHL_BOUNDS_COUNT];
    shl_reduced_move_fn *reduced_move;
    shl_reduced_slant_fn *reduced_slant;
    shl_slant_filter_fn *slant_filter;
    shl_reduced_eval_fn *reduced_eval;
    shl_sweep_fn *sweep;
    shl_tree_pairs_fn *tree_pairs;
    shl_tri_overlap_fn *tri_overlap;
    shl_tri_columns_fn *tri_columns;
    shl_tri_slack_fn *tri_slack;
    shl_tri_distance_fn *tri_distance;
    shl_tri_closest_rows_fn *tri_closest_rows;
    shl_tri_apart_fn *tri_apart;
} shl_kernels;

// Fills every slot with the reference, then lets each instruction set that this CPU has and
// `limit` allows overwrite what it improves.
void shl_kernels_init(shl_kernels *kernels, shoal_cpu limit);

// Name and chosen body of slot `index`; {NULL, NULL} past the last.
shoal_kernel_info shl_kernels_info(const shl_kernels *kernels, uint32_t index);

#endif
