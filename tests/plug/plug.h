// SPDX-License-Identifier: MIT
// A kind and a query that no file of runtime/ knows: modules.c beside this replaces the
// runtime's own list when the test is linked.
#ifndef TESTS_PLUG_PLUG_H
#define TESTS_PLUG_PLUG_H

#include "runtime/kinds/kind.h"
#include "runtime/queries/query.h"

// Rigid bodies: a model that is reducible, without fields, and a pose.
extern const shl_kind plug_rigid_kind;
shoal_status plug_add_rigid(shoal_scene *scene, shoal_model *model, shoal_body *out);

// Nine numbers of a rotation, row by row, and a translation.
shoal_status plug_set_pose(shoal_scene *scene, shoal_body body, const double pose[12]);

// Counts the pairs of leaves whose boxes overlap, between bodies. Asked for by bit 31.
#define PLUG_QUERY_LEAVES (1u << 31)
extern const shl_query plug_leaves_query;
uint64_t plug_leaf_pairs(const shoal_scene *scene);

#endif
