// SPDX-License-Identifier: MIT
// An 8-wide tree over boxes in some order, without pointers: block i of a level holds the boxes
// of blocks 8i .. 8i+7 of the level below, and leaf block i the rows 8i .. 8i+7.
#ifndef SHL_LAYOUTS_BOX_TREE_H
#define SHL_LAYOUTS_BOX_TREE_H

#include "layouts/tree.h"

enum { SHL_BOX_TREE_LEVELS = 11 }; // 8^11 is more than 32 bits can count

typedef struct shl_box_tree {
    uint32_t count;                        // rows
    uint32_t levels;                       // of blocks; the last has one block
    uint32_t blocks[SHL_BOX_TREE_LEVELS];  // on each level, leaves first
    shl_block *level[SHL_BOX_TREE_LEVELS]; // lanes past the last row or block are empty
} shl_box_tree;

#endif
