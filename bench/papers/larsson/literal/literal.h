// SPDX-License-Identifier: MIT
// The methods of Larsson & Akenine-Moller 2001, and van den Bergen's as they describe it, the
// way their authors would have written them: scalar, one thread, one triangle a leaf. They
// share nothing with the library but its exact triangle test, so that the pairs can be
// compared.
#ifndef BENCH_PAPERS_LARSSON_LITERAL_LITERAL_H
#define BENCH_PAPERS_LARSSON_LITERAL_LITERAL_H

#include "kernels/kernels.h"
#include "scenes/scene.h"

#include <shoal/results.h>

typedef enum literal_method {
    LITERAL_BOTTOM_UP, // all boxes before the search
    LITERAL_TOP_DOWN,  // each box when the search touches it, from the vertices below it
    LITERAL_HYBRID, // the upper half of the levels before the search, the others when touched
    LITERAL_BERGEN  // all boxes, in the body's frame, tested as oriented boxes
} literal_method;

// Rows are in level order: children lie next to each other and after their parent.
typedef struct literal_node {
    uint32_t first_child, child_count; // a leaf has no children
    uint32_t first_vertex, vertex_count;
    uint32_t triangle; // of a leaf
    uint32_t level;    // of the root: 0
} literal_node;

// The tree over a mesh at rest, shared by all bodies of that mesh.
typedef struct literal_tree {
    literal_node *nodes; // [node_count]
    uint32_t node_count, depth;
    uint32_t cut;       // rows before this one belong to levels 0 to depth / 2
    uint32_t *vertices; // each node's own list, every vertex below it once
    shl_tri *triangles; // [triangle_count] in the user's order
    uint32_t triangle_count, vertex_count;
} literal_tree;

// An initial-shape tree of 2, 4 or 8 children a node: boxes are cut in the middle of their one,
// two or three longest sides, triangles go where their midpoint lies. False: no memory.
bool literal_tree_create(const shl_surface *rest, uint32_t arity, literal_tree *out);
void literal_tree_finish(literal_tree *tree);

// A box in the world, and the step it is valid for.
typedef struct literal_box {
    float lo[3], hi[3];
    uint32_t step;
} literal_box;

// A box in a body's frame.
typedef struct literal_obb {
    float centre[3], extent[3];
} literal_obb;

typedef struct literal_node_pair {
    uint32_t a, b;
} literal_node_pair;

// Triangle pairs go to the exact test in batches of this size; of 8 where the first pair ends
// the search.
enum { LITERAL_BATCH = 64, LITERAL_BATCH_FIRST = 8 };

typedef struct literal_world {
    const literal_tree *tree;
    literal_method method;
    uint32_t body_count, step;
    bool first; // one pair for each two bodies is enough
    shl_kernels kernels;
    literal_box *boxes;      // [body_count][node_count], unless the method is van den Bergen's
    literal_obb *obbs;       // [body_count][node_count], if it is
    literal_box *roots;      // [body_count] the bodies' boxes in the world
    const float *xyz;        // [body_count][vertices][3] in the world, of the current step
    const float *own;        // the same in the bodies' frames
    const shl_frame *frames; // [body_count]
    literal_node_pair *stack;
    size_t stack_count, stack_room;
    shl_tri_pair batch[LITERAL_BATCH];
    uint32_t batch_count;
    shoal_pair *pairs; // what the last step found, in no special order
    size_t pair_count, pair_room;
    uint64_t box_tests, candidates; // of the last step
    double update_s;                // of the last step: ahead of the search
    bool failed;                    // out of memory
} literal_world;

// `tree` must outlive the world. False: no memory.
bool literal_world_create(const literal_tree *tree, uint32_t bodies, literal_method method,
                          literal_world *out);
void literal_world_finish(literal_world *world);

// One step: update, all body pairs whose boxes overlap, their triangles. `xyz` are the vertices
// of all bodies in the user's order. `own` are the same in the bodies' frames and `frames` say
// where those lie; only van den Bergen's method reads them. False: no memory.
bool literal_world_step(literal_world *world, const float *xyz, const float *own,
                        const shl_frame *frames, bool first);

// Inside: what both searches share.

void literal_push(literal_world *world, uint32_t a, uint32_t b);
// Notes two triangles whose boxes overlap; true if the search may end.
bool literal_candidate(literal_world *world, const uint32_t body[2], uint32_t a, uint32_t b);
// Decides what is left in the batch; true if the search may end.
bool literal_decide(literal_world *world, const uint32_t body[2]);

void literal_update_boxes(literal_world *world, uint32_t body);
void literal_search_boxes(literal_world *world, const uint32_t body[2]);
void literal_update_obbs(literal_world *world, uint32_t body);
void literal_search_obbs(literal_world *world, const uint32_t body[2]);

#endif
