// SPDX-License-Identifier: MIT
// State of incremental sweep and prune from step to step.
#ifndef SHL_RUNTIME_BROAD_INCREMENTAL_H
#define SHL_RUNTIME_BROAD_INCREMENTAL_H

#include "layouts/tree.h"

#include <shoal/study.h>

typedef struct shl_incremental {
    bool warm;         // lists and boxes fit the pairs of the last run
    uint32_t rows;     // in the lists
    uint64_t swaps;    // of the last run
    shl_array ends[3]; // uint64_t [2 * rows] one axis' ends of boxes, sorted
    shl_array boxes;   // shl_box [rows] of the last run
    shl_array added;   // uint64_t pairs
    shl_array removed;
    size_t added_count, removed_count;
} shl_incremental;

struct shl_broad;

// Updates the pairs. `*done` is false if that takes too many swaps or there was no last run:
// then the lists are sorted anew, and another method has to find the pairs.
SHOAL_CHECK shoal_status shl_incremental_update(struct shl_broad *broad, bool *done);

#endif
