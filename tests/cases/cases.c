// SPDX-License-Identifier: MIT
#include "tests/cases/case.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

extern const shl_case shl_case_vertex_box_f32, shl_case_vertex_box_f64, shl_case_node_open_f32,
    shl_case_node_open_f64, shl_case_block_merge, shl_case_block_pairs, shl_case_block_tris,
    shl_case_block_nonadjacent, shl_case_leaf_gradients, shl_case_join_gradients,
    shl_case_block_clip, shl_case_block_grow, shl_case_displacement_f32,
    shl_case_displacement_f64, shl_case_sweep, shl_case_tree_pairs, shl_case_tri_overlap_f32,
    shl_case_tri_overlap_f64, shl_case_tri_overlap_mixed, shl_case_tri_slack,
    shl_case_tri_distance, shl_case_tri_closest, shl_case_block_gap, shl_case_tri_apart,
    shl_case_reduced_spheres, shl_case_reduced_boxes, shl_case_reduced_affine,
    shl_case_reduced_move, shl_case_reduced_eval, shl_case_brick_bounds, shl_case_brick_within,
    shl_case_reduced_slant, shl_case_slant_filter, shl_case_block_mask, shl_case_leaf_open,
    shl_case_leaf_pairs, shl_case_tri_columns, shl_case_skinned_open, shl_case_skinned_box,
    shl_case_skinned_eval, shl_case_block_join, shl_case_tri_rounding, shl_case_to_f32;

const shl_case *const shl_cases[] = {
    &shl_case_vertex_box_f32,
    &shl_case_vertex_box_f64,
    &shl_case_node_open_f32,
    &shl_case_node_open_f64,
    &shl_case_block_merge,
    &shl_case_block_pairs,
    &shl_case_block_mask,
    &shl_case_block_tris,
    &shl_case_block_nonadjacent,
    &shl_case_leaf_open,
    &shl_case_leaf_pairs,
    &shl_case_leaf_gradients,
    &shl_case_join_gradients,
    &shl_case_block_clip,
    &shl_case_block_grow,
    &shl_case_displacement_f32,
    &shl_case_displacement_f64,
    &shl_case_sweep,
    &shl_case_tree_pairs,
    &shl_case_tri_overlap_f32,
    &shl_case_tri_overlap_f64,
    &shl_case_tri_overlap_mixed,
    &shl_case_tri_columns,
    &shl_case_tri_slack,
    &shl_case_tri_distance,
    &shl_case_tri_closest,
    &shl_case_block_gap,
    &shl_case_tri_apart,
    &shl_case_reduced_spheres,
    &shl_case_reduced_boxes,
    &shl_case_reduced_affine,
    &shl_case_reduced_move,
    &shl_case_reduced_eval,
    &shl_case_brick_bounds,
    &shl_case_brick_within,
    &shl_case_reduced_slant,
    &shl_case_slant_filter,
    &shl_case_skinned_open,
    &shl_case_skinned_box,
    &shl_case_skinned_eval,
    &shl_case_block_join,
    &shl_case_tri_rounding,
    &shl_case_to_f32,
    NULL,
};

uint64_t shl_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x * 0x2545f4914f6cdd1du;
}

double shl_random_unit(uint64_t *state)
{
    return (double)(shl_random(state) >> 11) * 0x1p-53;
}

double shl_random_coordinate(uint64_t *state, bool float32)
{
    const double ordinary = 2 * shl_random_unit(state) - 1;
    const double sign = ordinary < 0 ? -1 : 1;
    switch (shl_random(state) % 24) {
    case 0:
        return 0.0;
    case 1:
        return -0.0;
    case 2:
        return sign * (float32 ? 1e-44 : 3e-323);
    case 3:
        return sign * (float32 ? (double)FLT_MAX : 1e300);
    case 4:
        return sign * 0.5; // many equal ones
    default:
        return float32 ? (double)(float)ordinary : ordinary;
    }
}

void *shl_case_memory(void **slot, size_t bytes)
{
    free(*slot);
    *slot = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!*slot) {
        fprintf(stderr, "no memory for a test case\n");
        exit(71);
    }
    return *slot;
}
