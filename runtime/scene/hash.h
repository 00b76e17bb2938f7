// SPDX-License-Identifier: MIT
// Sums of row hashes, by type of row; <shoal/results.h> has the definition.
#ifndef SHL_RUNTIME_SCENE_HASH_H
#define SHL_RUNTIME_SCENE_HASH_H

#include "runtime/scene/scene.h"

// The sum over [count] rows of a list, modulo 2^64.
typedef uint64_t shl_row_sum_fn(uint64_t seed, const void *rows, size_t count);
shl_row_sum_fn shl_sum_pairs, shl_sum_hits, shl_sum_contacts, shl_sum_nearest, shl_sum_bodies;

uint64_t shl_list_seed(uint32_t list);

// Memory for the sums of a group of lists, once the lists' lengths are known.
SHOAL_CHECK shoal_status shl_plan_sums(shoal_scene *scene, shl_sum_group group);

// The chain over all lists, once every sum is made.
void shl_hash_lists(shoal_scene *scene);

#endif
