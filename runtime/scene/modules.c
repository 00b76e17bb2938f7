// SPDX-License-Identifier: MIT
// All kinds and all queries.
#include "runtime/kinds/free/free.h"
#include "runtime/kinds/reduced/reduced.h"
#include "runtime/kinds/skinned/skinned.h"
#include "runtime/queries/distance/distance.h"
#include "runtime/queries/overlap/overlap.h"
#include "runtime/queries/spheres/spheres.h"

const shl_kind *const shl_kinds[] = {&shl_free_kind, &shl_reduced_kind, &shl_skinned_kind};
const uint32_t shl_kind_count = sizeof shl_kinds / sizeof *shl_kinds;

const shl_query *const shl_queries[] = {&shl_overlap_query, &shl_spheres_query,
                                        &shl_distance_query};
const uint32_t shl_query_count = sizeof shl_queries / sizeof *shl_queries;
