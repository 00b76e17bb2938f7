// SPDX-License-Identifier: MIT
// A kind of body: how states become boxes and triangles. A kind is a folder here, with tables
// and jobs of its own, one of these structs, and a line in runtime/scene/modules.c.
#ifndef SHL_RUNTIME_KINDS_KIND_H
#define SHL_RUNTIME_KINDS_KIND_H

#include "runtime/traverse/scratch.h"
#include "runtime/traverse/view.h"

#include <shoal/study.h>

// Boxes of a node's children, and their slants where the kind knows some. Valid until the next
// call for the same side of a pair, 0 or 1.
typedef struct shl_opened {
    const shl_block *block;
    const shl_slants *slants;
} shl_opened;

// Opens a node that has no valid kept boxes. `slot` is memory for the boxes, if need be.
typedef shl_opened shl_open_fn(const shl_view *view, uint32_t node, int side, shl_block *slot,
                               shl_scratch *scratch);

// Evaluates a leaf into the worker's eval cache, which has room for it, and returns its slot
// there: its triangles are rows SHL_LANES * slot and up until leaves are dropped.
typedef uint32_t shl_evaluate_fn(const shl_view *view, uint32_t node, shl_scratch *scratch);

// Contact spheres that bodies carry: a tree over them, of which node n has the children from
// first[n] to first[n + 1]; those from node_count on are spheres.
typedef struct shl_sphere_tree {
    uint32_t node_count, sphere_count;
    const uint32_t *first;   // [node_count + 1]
    const uint32_t *node_of; // [sphere_count] the node above a sphere
} shl_sphere_tree;

typedef struct shl_sphere_source {
    // False: the body has none.
    bool (*tree)(const shoal_model *model, shl_sphere_tree *out);
    // Boxes around the children of a node, and centres and radii of one on the lowest level.
    void (*open)(const shl_view *view, uint32_t node, shl_block *out);
    void (*evaluate)(const shl_view *view, uint32_t node, double out[4][SHL_LANES]);
} shl_sphere_source;

// Which parts of a body cannot meet each other, so that self queries need not look.
typedef struct shl_self_cull {
    // Whether there is something to ask in this step.
    bool (*ready)(const shl_view *view);
    // Whether two nodes of leaves have nothing to do with each other, so that it is no use to
    // ask about the leaves below them.
    bool (*far)(const shl_view *view, uint32_t x, uint32_t y);
    // Whether no triangle below one node meets any below the other, but for those that share
    // vertices. False where it cannot tell.
    bool (*apart)(const shl_view *view, uint32_t x, uint32_t y);
} shl_self_cull;

// Rows of numbers that tell where a body is; neighbour lists keep copies of them.
typedef struct shl_whereabouts {
    const void *rows;
    uint32_t count, row_bytes;
    uint32_t grain; // rows to compare at a time
} shl_whereabouts;

typedef struct shl_kind {
    const char *name;          // "body 3 is reduced"
    const char *const *tables; // names of its own ones, NULL at the end
    shl_array_list arrays;     // that the scene frees and guards, by number of `tables`
    size_t self_bytes;         // zero at first; freed by the scene
    const char *row_type;      // of the rows of its bodies
    size_t row_bytes;
    // What is wrong with a model for bodies of this kind; NULL: nothing.
    const char *(*model_fault)(const shoal_model *model);
    // Its tables have the numbers from `table` on. It alone writes the rows of its bodies.
    // Destroyed also if this fails.
    shoal_status (*create)(void *self, const shl_ports *ports, shl_bodies *bodies,
                           uint32_t table);
    void (*destroy)(void *self); // what `arrays` does not list
    // A body without state; the model is held by the caller. On failure nothing changes.
    shoal_status (*add)(void *self, shoal_model *model, uint32_t body, uint32_t *row);
    void (*remove)(void *self, uint32_t row);
    // Copies what the body borrows, so that it is not read again; NULL: none borrows anything.
    shoal_status (*own)(void *self, uint32_t row);
    // Before a step; may be NULL. `certificates`: self culling is of use.
    shoal_status (*begin)(void *self, bool certificates);
    shoal_status (*jobs)(void *self, shl_step_stage stage, shl_graph *graph);
    // After the jobs of SHL_STAGE_DEMAND: whether those of SHL_STAGE_BOXES have rows.
    void (*demand)(void *self, bool boxes);
    void (*end)(void *self, const shl_step_end *end);
    void (*list_tables)(void *self, shl_extents *out); // the same, for the guard
    void (*stats)(const void *self, shoal_stats *out); // may be NULL
    void (*view)(const void *self, uint32_t row, shl_view *out);
    shl_open_fn *open;
    shl_evaluate_fn *evaluate; // NULL: positions are there
    // Vertices [begin, end) of the body's tree, as the user's arrays have them now; and which
    // rows of the model's tree its rows are: NULL, or NULL returned, if they are the same.
    void (*vertices)(const void *self, uint32_t row, uint32_t begin, uint32_t end, double *xyz);
    const uint32_t *(*model_rows)(const void *self, uint32_t row);
    const shl_self_cull *cull;        // NULL: none
    const shl_sphere_source *spheres; // NULL: none
    // For neighbour lists; NULL: how far bodies move nobody watches. The displacement of rows
    // [begin, end) since they were `then`, along any axis, rounded up. With a list a step makes
    // no boxes, so `evaluate` then reads nothing but states.
    void (*whereabouts)(const void *self, uint32_t row, shl_whereabouts *out);
    double (*displacement)(const void *self, uint32_t row, const void *then, uint32_t begin,
                           uint32_t end);
    bool (*instance)(const void *self, uint32_t row, shoal_instance *out); // NULL: never
    void (*info)(const void *self, uint32_t row, shoal_body_info *out); // NULL: nothing to say
} shl_kind;

// All of them (runtime/scene/modules.c).
extern const shl_kind *const shl_kinds[];
extern const uint32_t shl_kind_count;

// --- For the public functions of a kind, which are given a scene. ---

// The kind's self in a scene; NULL if the library was built without.
void *shl_scene_kind(shoal_scene *scene, const shl_kind *kind);

// Adds a body: arguments, a slot, and its row. Reported.
SHOAL_CHECK shoal_status shl_scene_add(shoal_scene *scene, const shl_kind *kind,
                                       shoal_model *model, shoal_body *out);

// The number of a body, or SHL_NONE and a logged status if there is none.
uint32_t shl_body_find(const shoal_scene *scene, shoal_body id, const char *call,
                       shoal_status *status);

// Whether numbers of `rows` rows with `entries` each have places of their own, if entry e of
// row r is at e * stride + r * row_stride.
bool shl_entries_apart(size_t rows, size_t entries, size_t stride, size_t row_stride);

// The row of a body of that kind; others are refused: "call: body 3 is not reduced".
SHOAL_CHECK shoal_status shl_scene_row(shoal_scene *scene, const shl_kind *kind, shoal_body id,
                                       const char *call, uint32_t *row);

#endif
