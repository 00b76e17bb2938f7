// SPDX-License-Identifier: MIT
// Where to split a model so that its displacement fields become as linear as they can: affine
// bounds follow the linear part of a field for nothing and pay for the rest.
#ifndef SHL_RUNTIME_TREES_LINEAR_H
#define SHL_RUNTIME_TREES_LINEAR_H

#include "runtime/trees/build.h"

enum {
    SHL_LINEAR_LEVELS = 4,   // binary; below, the rest is small whatever is split
    SHL_LINEAR_GROUPS = 64,  // places to split are between so many groups
    SHL_LINEAR_LEAST = 1024, // triangles; fewer are not worth it
};

typedef struct shl_linear {
    const shl_build_input *in;
    double origin[3], scale; // of positions, so that their squares lose nothing
    double *sums;            // [SHL_LINEAR_GROUPS][floats of one]
    size_t bytes;
} shl_linear;

// Makes room; needs fields in the input. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_linear_begin(shl_linear *linear, const shl_build_input *input,
                                          const shoal_allocator *allocator);
void shl_linear_end(shl_linear *linear, const shoal_allocator *allocator);

// What the best linear fits leave of all fields on both sides of each place: out[p] for a split
// before place p of `list`.
void shl_linear_rest(shl_linear *linear, const uint32_t *list, uint32_t count,
                     float out[SHL_LINEAR_GROUPS - 1]);

// Triangles on the left of place p.
static inline uint32_t shl_linear_split(uint32_t count, uint32_t p)
{
    return (uint32_t)((uint64_t)count * (p + 1) / SHL_LINEAR_GROUPS);
}

#endif
