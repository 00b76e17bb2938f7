// SPDX-License-Identifier: MIT
// Skinned bodies: each vertex blends the affine maps of a few control points with fixed
// weights (linear blend skinning, cages, point-based animation; Steinemann et al. 2007).
#ifndef SHL_RUNTIME_KINDS_SKINNED_SKINNED_H
#define SHL_RUNTIME_KINDS_SKINNED_SKINNED_H

#include "runtime/kinds/kind.h"
#include "runtime/kinds/rows.h"

typedef struct shl_skinned_body {
    const shl_skinned *model; // NULL: a free row
    const shl_tree *tree;
    shl_array maps;                  // double [12 * point_count] as given
    shl_array ready;                 // shl_skinned_ready and what it names: what kernels read
    struct shl_skinned_front *front; // NULL: the tree is a single leaf; in `kept`
    shl_array kept;
    _Atomic uint8_t *visited; // of the front
    uint32_t body;
    bool set; // it has a state
} shl_skinned_body;

typedef struct shl_skinned_bodies {
    const shl_ports *ports;
    shl_bodies *bodies;
    shl_kind_rows rows;               // shl_skinned_body
    uint32_t update_rows, front_rows; // of jobs
} shl_skinned_bodies;

extern const shl_kind shl_skinned_kind;

static inline shl_skinned_body *shl_skinned_row(const shl_skinned_bodies *self, uint32_t row)
{
    return (shl_skinned_body *)self->rows.data.data + row;
}

static inline const shl_skinned_body *shl_skinned_of(const shl_view *view)
{
    return view->state;
}

// Bytes of a body's `ready`, and of scratch that a worker needs to open nodes.
size_t shl_skinned_ready_bytes(const shl_skinned *model);
size_t shl_skinned_scratch_bytes(const shl_skinned *model);

// The body has new maps: what kernels read of it, its box, and whether it is bad.
void shl_skinned_update(const shl_kernels *kernels, const shl_skinned_body *body,
                        const shl_bodies *bodies, shl_scratch *scratch);

// Boxes of an inner node's children.
void shl_skinned_bound(const shl_kernels *kernels, const shl_skinned_body *body, uint32_t node,
                       shl_scratch *scratch, shl_block *out);

// How far any vertex can have moved along an axis between two states, each rounding included;
// infinite if a number is not finite. O(control points).
double shl_skinned_motion(const shl_skinned *model, const double *now, const double *then);

shl_open_fn shl_skinned_open;
shl_evaluate_fn shl_skinned_evaluate;

#endif
