// SPDX-License-Identifier: MIT
#include "kernels/kernels.h"

typedef void any_fn(void);

// Instruction sets, each beyond the one before.
enum { REF, AVX2, AVX512, SETS };
static const char *const set_names[SETS] = {"ref", "avx2", "avx512"};

// One row a slot: where it is, and its body for each instruction set, best last.
typedef struct slot {
    const char *name;
    size_t offset;
    any_fn *body[SETS]; // NULL: no better than the one before
} slot;

#if defined(__x86_64__)
#define BODIES(name)                                                                           \
    {                                                                                          \
        (any_fn *)shl_##name##_ref, (any_fn *)shl_##name##_avx2                                \
    }
#define AVX512_BODIES(name)                                                                    \
    {                                                                                          \
        (any_fn *)shl_##name##_ref, (any_fn *)shl_##name##_avx2, (any_fn *)shl_##name##_avx512 \
    }
#else
#define BODIES(name)                                                                           \
    {                                                                                          \
        (any_fn *)shl_##name##_ref                                                             \
    }
#define AVX512_BODIES(name) BODIES(name)
#endif

static const slot slots[] = {
    {"vertex_box_f32", offsetof(shl_kernels, vertex_box[SHOAL_F32]), BODIES(vertex_box_f32)},
    {"vertex_box_f64", offsetof(shl_kernels, vertex_box[SHOAL_F64]), BODIES(vertex_box_f64)},
    {"node_open_f32", offsetof(shl_kernels, node_open[SHOAL_F32]), BODIES(node_open_f32)},
    {"node_open_f64", offsetof(shl_kernels, node_open[SHOAL_F64]), BODIES(node_open_f64)},
    {"block_merge", offsetof(shl_kernels, block_merge), BODIES(block_merge)},
    {"block_join", offsetof(shl_kernels, block_join), BODIES(block_join)},
    {"block_pairs", offsetof(shl_kernels, block_pairs), AVX512_BODIES(block_pairs)},
    {"block_mask", offsetof(shl_kernels, block_mask), AVX512_BODIES(block_mask)},
    {"block_tris", offsetof(shl_kernels, block_tris), BODIES(block_tris)},
    {"block_nonadjacent", offsetof(shl_kernels, block_nonadjacent), BODIES(block_nonadjacent)},
    {"block_clip", offsetof(shl_kernels, block_clip), BODIES(block_clip)},
    {"block_grow", offsetof(shl_kernels, block_grow), BODIES(block_grow)},
    {"block_gap", offsetof(shl_kernels, block_gap), BODIES(block_gap)},
    {"tri_apart", offsetof(shl_kernels, tri_apart), BODIES(tri_apart)},
    {"brick_bounds", offsetof(shl_kernels, brick_bounds), BODIES(brick_bounds)},
    {"brick_within", offsetof(shl_kernels, brick_within), BODIES(brick_within)},
    {"leaf_open", offsetof(shl_kernels, leaf_open), AVX512_BODIES(leaf_open)},
    {"leaf_pairs", offsetof(shl_kernels, leaf_pairs), AVX512_BODIES(leaf_pairs)},
    {"leaf_gradients", offsetof(shl_kernels, leaf_gradients), BODIES(leaf_gradients)},
    {"join_gradients", offsetof(shl_kernels, join_gradients), BODIES(join_gradients)},
    {"displacement_f32", offsetof(shl_kernels, displacement[SHOAL_F32]),
     BODIES(displacement_f32)},
    {"displacement_f64", offsetof(shl_kernels, displacement[SHOAL_F64]),
     BODIES(displacement_f64)},
    {"to_f32", offsetof(shl_kernels, to_f32), BODIES(to_f32)},
    {"skinned_open", offsetof(shl_kernels, skinned_open), AVX512_BODIES(skinned_open)},
    {"skinned_box", offsetof(shl_kernels, skinned_box), AVX512_BODIES(skinned_box)},
    {"skinned_eval", offsetof(shl_kernels, skinned_eval), BODIES(skinned_eval)},
    {"reduced_spheres", offsetof(shl_kernels, reduced_open[SHL_BOUNDS_SPHERES]),
     BODIES(reduced_spheres)},
    {"reduced_boxes", offsetof(shl_kernels, reduced_open[SHL_BOUNDS_BOXES]),
     BODIES(reduced_boxes)},
    {"reduced_affine", offsetof(shl_kernels, reduced_open[SHL_BOUNDS_AFFINE]),
     BODIES(reduced_affine)},
    {"reduced_move", offsetof(shl_kernels, reduced_move), BODIES(reduced_move)},
    {"reduced_slant", offsetof(shl_kernels, reduced_slant), BODIES(reduced_slant)},
    {"slant_filter", offsetof(shl_kernels, slant_filter), BODIES(slant_filter)},
    {"reduced_eval", offsetof(shl_kernels, reduced_eval), BODIES(reduced_eval)},
    {"sweep", offsetof(shl_kernels, sweep), BODIES(sweep)},
    {"tree_pairs", offsetof(shl_kernels, tree_pairs), BODIES(tree_pairs)},
    {"tri_overlap", offsetof(shl_kernels, tri_overlap), BODIES(tri_overlap)},
    {"tri_columns", offsetof(shl_kernels, tri_columns), AVX512_BODIES(tri_columns)},
    {"tri_slack", offsetof(shl_kernels, tri_slack), BODIES(tri_slack)},
    {"tri_distance", offsetof(shl_kernels, tri_distance), BODIES(tri_distance)},
    {"tri_closest_rows", offsetof(shl_kernels, tri_closest_rows), BODIES(tri_closest_rows)},
};

enum { SLOTS = sizeof slots / sizeof *slots };
_Static_assert(sizeof(shl_kernels) == SLOTS * sizeof(any_fn *),
               "a kernel was added to shl_kernels but not to slots");

static any_fn **slot_of(shl_kernels *kernels, uint32_t i)
{
    return (any_fn **)((char *)kernels + slots[i].offset);
}

// What the CPU has and the limit allows.
static int best_set(shoal_cpu limit)
{
#if defined(__x86_64__)
    if (limit < SHOAL_CPU_AVX2 || !__builtin_cpu_supports("avx2") ||
        !__builtin_cpu_supports("fma"))
        return REF;
    const bool avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2");
    return limit >= SHOAL_CPU_AVX512 && avx512 ? AVX512 : AVX2;
#else
    (void)limit;
    return REF;
#endif
}

void shl_kernels_init(shl_kernels *kernels, shoal_cpu limit)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        int set = best_set(limit);
        while (!slots[i].body[set])
            set--;
        *slot_of(kernels, i) = slots[i].body[set];
    }
}

shoal_kernel_info shl_kernels_info(const shl_kernels *kernels, uint32_t index)
{
    if (index >= SLOTS)
        return (shoal_kernel_info){NULL, NULL};
    any_fn *chosen = *slot_of((shl_kernels *)kernels, index);
    int set = REF;
    while (set + 1 < SETS && slots[index].body[set] != chosen)
        set++;
    return (shoal_kernel_info){slots[index].name, set_names[set]};
}
