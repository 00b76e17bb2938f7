// SPDX-License-Identifier: MIT
// Which faces share an edge.
#ifndef SHL_RUNTIME_TREES_NEIGHBOURS_H
#define SHL_RUNTIME_TREES_NEIGHBOURS_H

#include "runtime/trees/ranges.h"

enum { SHL_NEIGHBOURS = 6 }; // two an edge: where more than two faces meet, they form a chain

#define SHL_NO_FACE UINT32_MAX

typedef struct shl_neighbours {
    uint32_t *face; // [SHL_NEIGHBOURS * faces] SHL_NO_FACE where there is none
    uint32_t faces;
} shl_neighbours;

// Errors: MEMORY; *out is then empty.
SHOAL_CHECK shoal_status shl_neighbours_find(const shl_build_input *input,
                                             const shoal_allocator *allocator,
                                             shl_neighbours *out);
void shl_neighbours_finish(shl_neighbours *neighbours, const shoal_allocator *allocator);

#endif
