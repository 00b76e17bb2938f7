// SPDX-License-Identifier: MIT
// The list of this test: two kinds of the library and one of its own, the same with queries.
#include "plug.h"

#include "runtime/kinds/free/free.h"
#include "runtime/kinds/reduced/reduced.h"
#include "runtime/queries/distance/distance.h"
#include "runtime/queries/overlap/overlap.h"

const shl_kind *const shl_kinds[] = {&plug_rigid_kind, &shl_free_kind, &shl_reduced_kind};
const uint32_t shl_kind_count = sizeof shl_kinds / sizeof *shl_kinds;

const shl_query *const shl_queries[] = {&shl_overlap_query, &plug_leaves_query,
                                        &shl_distance_query};
const uint32_t shl_query_count = sizeof shl_queries / sizeof *shl_queries;
