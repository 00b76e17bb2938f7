// SPDX-License-Identifier: MIT
// All that a traversal may know of a body. Built for each body of a pair, on the stack.
#ifndef SHL_RUNTIME_TRAVERSE_VIEW_H
#define SHL_RUNTIME_TRAVERSE_VIEW_H

#include "kernels/kernels.h"
#include "runtime/scene/ports.h"

enum {
    SHL_VIEW_EVALUATED = 1, // vertices are evaluated leaf by leaf, into the worker's eval cache
    SHL_VIEW_F32 = 2,       // positions in float32 are there
    SHL_VIEW_RECENTRED = 4, // evaluated leaves may be moved to an origin between two bodies
    SHL_VIEW_UNBOUNDED = 8, // the box of the body stands for that of every node
};

typedef struct shl_view {
    const struct shl_kind *kind;
    const void *state; // the kind's row, opaque here
    const shl_kernels *kernels;
    const shl_tree *tree;
    shl_block *blocks;        // [node_count] kept boxes; NULL: the kind makes them when asked
    _Atomic uint32_t *stamps; // [node_count] epoch of each
    _Atomic uint8_t *visited; // [node_count] what searches open; NULL: nobody asks
    const shl_tri *local;     // evaluated: corners by place in the leaf's list
    const shl_box *box;       // the body's
    shl_tri_side side;        // unless evaluated
    uint32_t epoch;
    uint32_t body;
    uint32_t flags;
} shl_view;

// A triangle of a body: its leaf, its row in the tree, the user's number.
typedef struct shl_tri_ref {
    uint32_t node, row, id;
} shl_tri_ref;

#define SHL_NONE UINT32_MAX

static inline bool shl_view_is(const shl_view *view, uint32_t flag)
{
    return view->flags & flag;
}

// Whether both are views of one body.
static inline bool shl_view_same(const shl_view *a, const shl_view *b)
{
    return a->body == b->body;
}

// The view of an active body.
void shl_view_of(const shl_ports *ports, uint32_t body, shl_view *out);

// Whether the name is one of a triangle of the tree as it is now.
static inline bool shl_tri_ref_holds(const shl_tree *t, const shl_tri_ref *ref)
{
    return ref->node < t->node_count && t->leaf[ref->node] &&
           ref->row - t->first[ref->node] < t->count[ref->node];
}

#endif
