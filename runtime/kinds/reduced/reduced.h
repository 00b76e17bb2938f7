// SPDX-License-Identifier: MIT
// Reduced bodies: a model, a pose and a few numbers q. Boxes of nodes and corners of triangles
// are made when a traversal touches them (BD-Trees; James & Pai 2004); there are no arrays of
// nodes or vertices that belong to a body.
#ifndef SHL_RUNTIME_KINDS_REDUCED_REDUCED_H
#define SHL_RUNTIME_KINDS_REDUCED_REDUCED_H

#include "runtime/kinds/kind.h"
#include "runtime/kinds/rows.h"

typedef struct shl_reduced_body {
    const shl_reduced *model; // NULL: a free row
    const shl_tree *tree;
    shl_array state;                 // double [12 + fields] rotation, translation and q
    shl_array ready;                 // shl_reduced_ready, what kernels read
    struct shl_coherence *coherence; // NULL: none; in `kept`
    shl_array kept;
    _Atomic uint8_t *visited; // of coherence
    uint32_t body;
    bool listed; // in the list of fresh rows
} shl_reduced_body;

typedef struct shl_reduced_bodies {
    const shl_ports *ports;
    shl_bodies *bodies;
    shl_kind_rows rows; // shl_reduced_body
    shl_array fresh;    // uint32_t [fresh_count] rows with a new state
    uint32_t fresh_count;
    uint32_t update_rows; // of the job
} shl_reduced_bodies;

extern const shl_kind shl_reduced_kind;

static inline shl_reduced_body *shl_reduced_row(const shl_reduced_bodies *self, uint32_t row)
{
    return (shl_reduced_body *)self->rows.data.data + row;
}

static inline const shl_reduced_body *shl_reduced_of(const shl_view *view)
{
    return view->state;
}

// The body has a new state: what kernels read of it, its box, and whether it is bad.
void shl_reduced_update(const shl_kernels *kernels, const shl_reduced_body *body,
                        const shl_bodies *bodies);

// What kernels read of a ready body if it were neither turned nor moved.
void shl_reduced_still(const shl_reduced_body *body, shl_reduced_ready *out);

// Widens the box by the body's contact spheres.
void shl_reduced_widen(const shl_kernels *kernels, const shl_reduced_body *body, shl_box *box);

extern const shl_sphere_source shl_reduced_spheres;

shl_open_fn shl_reduced_open;
shl_evaluate_fn shl_reduced_evaluate;

#endif
