// SPDX-License-Identifier: MIT
// Boxes of reduced bodies that are kept from step to step.
#ifndef SHL_RUNTIME_KINDS_REDUCED_COHERENCE_H
#define SHL_RUNTIME_KINDS_REDUCED_COHERENCE_H

#include "runtime/kinds/reduced/reduced.h"

enum {
    SHL_COHERENCE_NODES = 73,  // inner nodes of a body that are kept: three levels of eight
    SHL_COHERENCE_EPOCHS = 16, // a box is used for so many changes of q at most
};

// Boxes of a node's children for a past q, neither turned nor moved.
typedef struct shl_coherent_node {
    shl_block boxes;
    uint32_t epoch; // of that q; 0: none
    float limit;    // they are of use while q is not farther away
} shl_coherent_node;

typedef struct shl_coherence {
    uint32_t count;                   // nodes that are kept
    uint32_t epoch;                   // of the present q; 0: none yet
    float away[SHL_COHERENCE_EPOCHS]; // how far q is from that of an epoch, by epoch % EPOCHS
    shl_coherent_node *nodes;         // [count]
    double *past;                     // [EPOCHS][field_count] q of the last epochs
    _Atomic uint8_t *visited;         // [node_count] opened by searches
} shl_coherence;

// Room for what a body keeps.
SHOAL_CHECK shoal_status shl_coherence_reserve(shl_reduced_body *body,
                                               const shoal_allocator *allocator);

// The body has a new q.
void shl_coherence_update(const shl_reduced_body *body);

// Whether a node is one of those that are kept.
static inline bool shl_coherence_has(const shl_reduced_body *body, uint32_t node)
{
    return body->coherence && body->model->block_of[node] < body->coherence->count;
}

// Boxes of such a node's children from what is kept; false if that is not of use.
bool shl_coherence_open(const shl_kernels *kernels, const shl_reduced_body *body, uint32_t node,
                        shl_block *out);

// Makes boxes anew that have grown too much: of all nodes, or of those that are visited.
void shl_coherence_refresh(const shl_kernels *kernels, const shl_reduced_body *body, bool all);

#endif
