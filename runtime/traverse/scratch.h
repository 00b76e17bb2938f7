// SPDX-License-Identifier: MIT
// One worker's own memory for its traversals.
#ifndef SHL_RUNTIME_TRAVERSE_SCRATCH_H
#define SHL_RUNTIME_TRAVERSE_SCRATCH_H

#include "layouts/memory.h"

typedef struct shl_counters {
    uint64_t node_pairs, opened_nodes, evaluated_vertices, candidates, exact_tests, leaf_ns;
    uint64_t distances;
    uint64_t evaluated_nodes; // inner nodes without kept boxes that searches opened
} shl_counters;

typedef struct shl_scratch {
    _Alignas(128) uint32_t worker;
    shl_counters count;
    struct shl_eval_cache *eval;   // NULL until there is a body whose vertices are evaluated
    struct shl_leaf_cache *leaves; // NULL until there is a body
    struct shl_node_pair *stack;   // [SHL_STACK_ROWS] the same; of one traversal at a time
    shl_array kernel_buffer;       // of kernels that open nodes
} shl_scratch;

shl_scratch *shl_scratch_create(uint32_t workers, const shoal_allocator *allocator);
void shl_scratch_destroy(shl_scratch *scratch, uint32_t workers,
                         const shoal_allocator *allocator);

// What a body of a kind needs, for all workers: the leaf cache and the stack; an eval cache, if
// `evaluated`; `kernel_buffer` bytes for its kernels. What is there already stays.
SHOAL_CHECK shoal_status shl_scratch_reserve(shl_scratch *scratch, uint32_t workers,
                                             bool evaluated, size_t kernel_buffer,
                                             const shoal_allocator *allocator);

// Nothing in the caches holds any more.
void shl_scratch_clear(shl_scratch *scratch, uint32_t workers);

// A new step: positions have changed, and counters begin at 0.
void shl_scratch_begin(shl_scratch *scratch, uint32_t workers);

#endif
