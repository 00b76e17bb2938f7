// SPDX-License-Identifier: MIT
#ifndef TESTS_UNIT_COMMON_TREE_VALID_H
#define TESTS_UNIT_COMMON_TREE_VALID_H

#include "layouts/tree.h"

// Walks the whole structure: ranges, order, ownership, lists.
bool tree_valid(const shl_tree *tree, const shoal_allocator *allocator);

#endif
