// SPDX-License-Identifier: MIT
// Freely deforming bodies: positions of all vertices in each step, boxes kept in blocks, one
// for each node, that are refreshed down to a front before the search and below it when touched
// (hybrid trees; Larsson & Akenine-Moller 2001).
#ifndef SHL_RUNTIME_KINDS_FREE_FREE_H
#define SHL_RUNTIME_KINDS_FREE_FREE_H

#include "runtime/kinds/kind.h"
#include "runtime/kinds/rows.h"

// Where the positions a step reads come from.
typedef enum shl_source {
    SHL_SOURCE_NONE = 0, // never set
    SHL_SOURCE_OWN,      // the body's own copy, in tree order
    SHL_SOURCE_IN_PLACE, // the user's array, packed and in tree order
    SHL_SOURCE_GATHER,   // the user's array, brought to tree order in each step
} shl_source;

// A tree that a body has for itself, since its model's no longer fits.
typedef struct shl_own_tree {
    shl_tree tree;
    uint32_t *from_model; // [vertex_count] the model's row of a row
} shl_own_tree;

// What steps know of the nodes of a certified surface (self_cull.c). Rows as the model's nodes.
typedef struct shl_certificates {
    shl_gradients
        *gradients; // of leaves and of nodes of leaves; NULL: the model has no certificate
    _Atomic uint64_t *proof; // 2 * epoch, and 1 if it meets neither itself nor its near nodes
    _Atomic uint32_t *fresh; // leaves whose gradients are of this epoch
    shl_array memory;
} shl_certificates;

// A node whose block is made before the search, children first. Lanes in `merged` take their
// box from the child's own block, the others from vertices.
typedef struct shl_front_entry {
    uint32_t node;
    uint32_t merged;
} shl_front_entry;

// Where the entries of a body's subtrees and of the nodes above them end.
typedef struct shl_front_counts {
    uint32_t top, all;
} shl_front_counts;

typedef struct shl_free_body {
    shoal_model *model;       // NULL: a free row
    const void *xyz;          // [3 * vertex_count] tree order, what kernels read
    const shl_tree *tree;     // the model's or own_tree's
    shl_own_tree *own_tree;   // NULL: none
    shl_block *blocks;        // [node_count] blocks[n] holds n's children
    _Atomic uint32_t *stamps; // [node_count] epoch in which the block was made
    shl_certificates cull;
    uint32_t body;
    uint32_t epoch; // counts changes of position
    shoal_scalar scalar;
    shl_source source;
    bool touched;    // blocks and stamps were written once
    shl_array front; // shl_front_entry, subtrees first, then what lies above them
    shl_front_counts front_counts;
    shl_array rate;           // uint8_t [node_count] how often searches visit a node, of 255
    _Atomic uint8_t *visited; // [node_count] in this step; NULL unless somebody asks
    shl_array visited_memory;
    uint32_t age;          // steps made with this tree
    uint32_t visited_last; // inner nodes that the search opened when somebody looked last
    uint32_t unplanned;    // changes of rates since the front was planned
    double sample;         // cost of the tree when it was built, by sample
    double quality;        // relative to it; 0: not known
    double lost_ns;        // by searches, because the tree is worse than when it was built
    uint64_t build_ns;     // what building a tree takes
    uint32_t rebuilds;
    shoal_positions user; // as given, for GATHER
    shl_array own;        // copied or gathered positions
} shl_free_body;

// Vertices of a body to bring to tree order: a row of "free_gather". For "free_first_touch"
// the number of a slice and how many there are.
typedef struct shl_vertex_range {
    uint32_t row;
    uint32_t begin, end;
} shl_vertex_range;

// A subtree to refresh: a row of "free_refit". It gives the box of its root, by the root's
// block if entries are listed, else straight from the vertices.
typedef struct shl_subtree {
    uint32_t row;
    uint32_t root;
    uint32_t begin, end; // entries of the body's front
    bool scan;           // some leaf was opened, so NaN must be looked for apart
} shl_subtree;

// A body whose visit rates are updated: a row of "free_profile". It takes effect after the
// step.
typedef struct shl_profile {
    uint32_t row;
    bool look; // at the tree's quality, too
    bool done, replanned;
    shl_front_counts front; // if replanned
    uint32_t visited, changes;
    double quality; // 0: not known
} shl_profile;

// A tree to be built for a body: a row of "free_rebuild". It takes effect after the step.
typedef struct shl_rebuild {
    uint32_t row;
    shoal_status status;
    shl_own_tree *own_tree; // NULL: not made
    shl_block *blocks;
    _Atomic uint32_t *stamps;
    shl_array own; // positions in the new order
    double sample;
    uint64_t ns;
} shl_rebuild;

// A node of a subtree that may be refreshed before the search; parents come first.
typedef struct shl_front_candidate {
    uint32_t node;
    uint32_t child;   // row of the first child that has one
    uint8_t listed;   // lanes of children that have rows
    uint8_t merged;   // lanes that take their box from the child's block
    bool refit;       // made before the search
    float open_cost;  // expected cost of its block and all below if made when touched
    float refit_cost; // if made ahead, each child's box by the cheaper way
} shl_front_candidate;

typedef struct shl_free_bodies {
    const shl_ports *ports;
    shl_bodies *bodies;
    uint32_t table;     // number of the first of its own ones
    shl_kind_rows rows; // shl_free_body
    bool certificates;  // self culling is of use in this step
    // the plan, made anew when bodies came, went or changed their source
    bool planned, untouched; // untouched: some body is new
    const shl_costs *costs;  // [2] by shoal_scalar; for strategies that weigh them
    float reload_ns;         // fetching a block for the search that was made before it
    uint32_t first_touch_count, gather_count, refit_count;
    uint32_t refit_rows, update_rows; // of jobs
    shl_array first_touch;            // shl_vertex_range
    shl_array gather;                 // shl_vertex_range
    shl_array refit;                  // shl_subtree
    shl_array refit_begin;            // uint32_t [count + 1] first refit row of a body
    shl_array refit_finite;           // uint8_t [refit_count] no NaN or infinity seen
    shl_array *candidates;            // [workers] shl_front_candidate, scratch
    uint32_t profile_count, rebuild_count;
    uint32_t rebuilt;   // in this step
    shl_array profiles; // shl_profile
    shl_array rebuilds; // shl_rebuild
} shl_free_bodies;

enum { SHL_FREE_PLAN, SHL_FREE_SOURCES, SHL_FREE_FINITE, SHL_FREE_PROFILE, SHL_FREE_REBUILT };

enum { SHL_GATHER_ROWS = 8192 }; // vertices a gather row

extern const shl_kind shl_free_kind;
extern const shl_self_cull shl_free_cull;

static inline shl_free_body *shl_free_row(const shl_free_bodies *self, uint32_t row)
{
    return (shl_free_body *)self->rows.data.data + row;
}

static inline bool shl_free_is(const shl_free_bodies *self, const shl_free_body *body,
                               uint8_t flag)
{
    return shl_body_is(self->bodies, body->body, flag);
}

// Whether positions are three numbers a vertex, one vertex after the other.
static inline bool shl_positions_packed(const shoal_positions *p)
{
    const size_t size = p->scalar == SHOAL_F32 ? sizeof(float) : sizeof(double);
    return p->stride == 3 && (const char *)p->y == (const char *)p->x + size &&
           (const char *)p->z == (const char *)p->x + 2 * size;
}

// Copies what the user lent: his array is not read again.
SHOAL_CHECK shoal_status shl_free_own(void *self, uint32_t row);

// Which of the user's rows each row of the body's tree is; NULL: the same.
static inline const uint32_t *shl_free_order(const shl_free_body *body,
                                             const shoal_positions *from)
{
    return from->order == SHOAL_ORDER_USER ? body->tree->order
           : body->own_tree                ? body->own_tree->from_model
                                           : NULL;
}

// Brings rows [begin, end) of the user's positions to tree order, packed.
void shl_free_gather(const shl_free_body *body, const shoal_positions *from, uint32_t begin,
                     uint32_t end, void *out);

// Lists the rows of "free_first_touch", if bodies came, and of "free_gather" and "free_refit".
SHOAL_CHECK shoal_status shl_free_plan_first_touch(shl_free_bodies *self);
SHOAL_CHECK shoal_status shl_free_plan(shl_free_bodies *self);

// Lists anew what is refreshed of one body, as its refit rows and its front; allocates nothing.
// The body learns of the counts from the caller.
shl_front_counts shl_free_plan_front(shl_free_bodies *self, uint32_t row, uint32_t worker);

// Which nodes of the subtree under `root` are refreshed before the search, by the scene's
// strategy; returns the number of rows, at most the inner nodes. Those made ahead are closed
// upwards: a node is refreshed only if its parent is, and merges it.
uint32_t shl_free_strategy(const shl_free_bodies *self, const shl_free_body *body,
                           uint32_t root, shl_front_candidate *rows);

// [2] by shoal_scalar: measured once a context, or fixed.
const shl_costs *shl_costs_of(shoal_context *ctx);

// Whether the strategy follows what searches visit; which takes memory.
bool shl_free_profiles(const shl_free_bodies *self);
SHOAL_CHECK shoal_status shl_free_profile_reserve(shl_free_bodies *self, shl_free_body *body);

// Before and after the jobs: lists the bodies whose turn it is, and tells them.
void shl_free_profile_begin(shl_free_bodies *self);
void shl_free_profile_end(shl_free_bodies *self, const shl_step_end *end);

// The same for bodies whose trees are built anew.
void shl_free_rebuild_begin(shl_free_bodies *self);
void shl_free_rebuild_end(shl_free_bodies *self, const shl_step_end *end);
void shl_own_tree_finish(shl_own_tree *own, const shoal_allocator *allocator);

// Room for certificates, if the model has a certificate. False: no memory.
bool shl_free_cull_reserve(const shoal_model *model, shl_certificates *cull,
                           const shoal_allocator *allocator);

// Whether this step asks for them.
static inline bool shl_free_cull_wanted(const shl_free_bodies *self, const shl_free_body *body)
{
    return self->certificates && body->cull.gradients && !body->own_tree;
}

// Bounds of the gradients of all leaves below a node; and of those above the subtrees.
void shl_free_cull_refresh(const shl_kernels *kernels, const shl_free_body *body,
                           uint32_t root);
void shl_free_cull_refresh_top(const shl_kernels *kernels, const shl_free_body *body);

// Whether a function with such gradients on a convex domain takes no value twice.
bool shl_free_cull_injective(const shl_gradients *gradients);

shl_job_fn shl_free_run_first_touch, shl_free_run_gather, shl_free_run_refit,
    shl_free_run_update, shl_free_run_profile, shl_free_run_rebuild;

#endif
