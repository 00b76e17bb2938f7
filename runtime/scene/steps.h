// SPDX-License-Identifier: MIT
// The jobs of a step, in the order a serial program would run them.
#ifndef SHL_RUNTIME_SCENE_STEPS_H
#define SHL_RUNTIME_SCENE_STEPS_H

#include "runtime/scene/scene.h"

enum {
    SHL_NEAR_GRAIN = 1024,   // near pairs a chunk
    SHL_GRID_NODES = 64,     // whose triangles go into the grid together
    SHL_SEEDS_WANTED = 128,  // a few body pairs are opened up to this many seeds
    SHL_BUNDLES_WANTED = 16, // a worker, so that all end together
    SHL_BUNDLE_MAX = 32,     // seeds
    SHL_GATHER_ROWS = 8192,  // vertices a gather row
};

// Lists the gather and refit rows of all bodies; runs when bodies came, went or changed source.
SHOAL_CHECK shoal_status shl_plan_parts(shoal_scene *scene);

// Lists anew what is refreshed of one body, as its refit rows and its eager list; allocates
// nothing. The body learns of the counts from the caller.
shl_eager_counts shl_plan_eager(shoal_scene *scene, uint32_t body, uint32_t worker);

// Which nodes of the subtree under `root` are refreshed before the search, by the scene's
// strategy; returns the number of rows, at most the inner nodes. Eager rows are closed upwards:
// a node is refreshed only if its parent is, and merges it.
uint32_t shl_cut_part(const shoal_scene *scene, const shl_free_body *body, uint32_t root,
                      shl_cut_row *rows);

// [2] by shoal_scalar: measured once a context, or fixed.
const shl_costs *shl_costs_of(shoal_context *ctx);

// Whether the strategy follows what searches open; then it needs room for it.
bool shl_learns(const shoal_scene *scene);
SHOAL_CHECK shoal_status shl_learn_reserve(shoal_scene *scene, shl_free_body *body);

// Before and after the jobs: lists the bodies whose turn it is, and tells them.
void shl_learn_begin(shoal_scene *scene);
void shl_learn_end(shoal_scene *scene);

// The same for bodies whose trees are built anew; `search_ns` is what this step's search took.
void shl_rebuild_begin(shoal_scene *scene);
void shl_rebuild_end(shoal_scene *scene, double search_ns);
void shl_own_tree_finish(shl_own_tree *own, const shoal_allocator *allocator);

// Lists the rows of the touch job; none unless bodies came.
SHOAL_CHECK shoal_status shl_plan_touch(shoal_scene *scene);

// Room for all bodies' boxes in the broad phase.
SHOAL_CHECK shoal_status shl_plan_boxes(shoal_scene *scene);

// Whether the body's own box lies in its loose box.
bool shl_loose_holds(const shl_free_body *body);

// Builds the graph once; every step runs it.
SHOAL_CHECK shoal_status shl_step_build(shoal_scene *scene);

// Before and after the jobs: whether the list of near pairs may be used, and that it is there.
SHOAL_CHECK shoal_status shl_skin_begin(shoal_scene *scene);
void shl_skin_end(shoal_scene *scene);
void shl_skin_finish(shoal_scene *scene);

// After the jobs: what was found bounds the next search, or is gone.
void shl_distance_end(shoal_scene *scene, bool good);
void shl_distance_finish(shoal_scene *scene);
void shl_grid_end(shoal_scene *scene, bool good);
void shl_grid_finish(shoal_scene *scene);
// What the GPU did, beside what the workers did.
SHOAL_CHECK shoal_status shl_grid_trace(shoal_scene *scene);

shl_job_fn shl_run_drift, shl_run_judge, shl_run_mark, shl_run_list, shl_run_keep, shl_run_near;
shl_job_fn shl_run_touch, shl_run_gather, shl_run_refit, shl_run_roots, shl_run_bd_update,
    shl_run_corner_prepare, shl_run_corner_refit, shl_run_corner_merge, shl_run_boxes,
    shl_run_pairs, shl_run_seed, shl_run_walk, shl_run_scan, shl_run_collect, shl_run_group,
    shl_run_sort, shl_run_hash_pairs, shl_run_hash_contacts, shl_run_hash_nearest, shl_run_hash,
    shl_run_learn, shl_run_rebuild, shl_run_contact_plan, shl_run_contact_count,
    shl_run_contact_scan, shl_run_contacts;
shl_job_fn shl_run_distance_plan, shl_run_distance_bounds, shl_run_distance_pairs,
    shl_run_distance_walk, shl_run_distance_settle, shl_run_distance_points,
    shl_run_distance_recall, shl_run_distance_tris;
shl_job_fn shl_run_grid_near, shl_run_grid_tris, shl_run_grid_begin, shl_run_grid_join,
    shl_run_grid_mark, shl_run_grid_pair, shl_run_grid_list, shl_run_grid_measure,
    shl_run_grid_bounds;

// Brings rows [begin, end) of the user's positions to tree order, packed.
void shl_gather(const shl_free_body *body, const shoal_positions *from, uint32_t begin,
                uint32_t end, void *out);

// Boxes of an inner node's children, valid for this step: the one thing a traversal asks of a
// body. Made now if nobody has made them yet; `slot` serves when another thread is just doing
// so. What is made for one side of a pair, 0 or 1, stays while the other is opened.
const shl_block *shl_open(const shoal_context *ctx, shl_free_body *body, uint32_t node,
                          int side, shl_block *slot, shl_walker *worker);

// The boxes grown by a length, in `out`, or as they are.
static inline const shl_block *shl_grown(const shoal_context *ctx, const shl_block *block,
                                         float grow, shl_block *out)
{
    if (__builtin_expect(grow == 0, 1))
        return block;
    ctx->kernels.block_grow(block, grow, out);
    return out;
}

// One level down: all pairs below `pair` that overlap, at most SHL_DESCEND_MAX of them.
// Not for two leaves. A node paired with itself stands for all pairs within it. Boxes of `a`
// are grown by `grow`.
uint32_t shl_descend(const shoal_context *ctx, shl_free_body *a, shl_free_body *b, float grow,
                     const shl_node_pair *pair, shl_node_pair *out, shl_walker *worker);

// Whether self queries look for pairs that share no vertex, and only for those.
static inline bool shl_searches_strangers(const shoal_scene *scene)
{
    return scene->queries & SHOAL_QUERY_SELF && !(scene->queries & SHOAL_QUERY_SELF_ADJACENT);
}

// Whether this step asks for the body's sheet.
static inline bool shl_sheet_wanted(const shoal_scene *scene, const shl_free_body *body)
{
    return body->sheet.gradients && !body->own_tree && shl_searches_strangers(scene);
}

// Bounds of the gradients of all leaves below a node; and of those above the parts.
void shl_sheet_refresh(const shl_kernels *kernels, shl_free_body *body, uint32_t root);
void shl_sheet_refresh_top(const shl_kernels *kernels, shl_free_body *body);

// Whether all gradients are of this epoch.
static inline bool shl_sheet_ready(const shl_free_body *body)
{
    return atomic_load_explicit(&body->sheet.fresh, memory_order_relaxed) ==
           body->model->sheet.leaf_count;
}

// Whether two nodes of leaves have nothing to do with each other, so that it is no use to ask
// about the leaves below them.
bool shl_sheet_far(const shl_free_body *body, uint32_t x, uint32_t y);

// Whether a function with such gradients on a convex domain takes no value twice.
bool shl_sheet_injective(const shl_gradients *gradients);

// Whether no triangle below one node meets any below the other, but for those that share
// vertices. False where it cannot tell.
bool shl_sheet_apart(const shl_kernels *kernels, shl_free_body *body, uint32_t x, uint32_t y);

// Copies what a chunk found of one kind.
void shl_found_copy(const shl_found *found, int kind, void *to);

// Adds a pair to what a worker has found; `found` is the chunk it is working on.
SHOAL_CHECK shoal_status shl_page_push(shoal_scene *scene, shl_walker *worker, shl_found *found,
                                       int kind, shoal_pair pair);

// Room for up to *count pairs, at least one; the caller fills all that it gets.
SHOAL_CHECK shoal_status shl_page_room(shoal_scene *scene, shl_walker *worker, shl_found *found,
                                       int kind, uint32_t *count, shoal_pair **rows);

// All pages are free again.
void shl_pages_begin(shoal_scene *scene);

// Once all is found: keeps extra pages and makes as many ready as another such step may need.
SHOAL_CHECK shoal_status shl_pages_settle(shoal_scene *scene);
void shl_pages_finish(shoal_scene *scene);

// A free slot for a body, all zero.
SHOAL_CHECK shoal_status shl_body_slot(shoal_scene *scene, uint32_t *out);

typedef enum shl_body_kind { SHL_BODY_FREE, SHL_BODY_REDUCED, SHL_BODY_POINTS } shl_body_kind;

// What every call that adds a body begins with: arguments, then a slot. Reported.
SHOAL_CHECK shoal_status shl_body_begin(shoal_scene *scene, const shoal_model *model,
                                        shl_body_kind kind, shoal_body *out, uint32_t *slot);

// Makes an empty slot a reduced body of the model, or one that nodes carry, which it does not
// hold yet. On failure the slot is empty.
SHOAL_CHECK shoal_status shl_make_reduced(shoal_scene *scene, shoal_model *model,
                                          shl_free_body *body);
SHOAL_CHECK shoal_status shl_make_points(shoal_scene *scene, shoal_model *model,
                                         shl_free_body *body);

// The body in a slot, which has its model, is complete: its id.
shoal_body shl_body_enter(shoal_scene *scene, uint32_t slot);

// The body of an id; NULL and a logged status if there is none.
shl_free_body *shl_body_find(shoal_scene *scene, shoal_body id, const char *call,
                             shoal_status *status);

// Frees what a body holds and its hold on the model; the slot becomes free.
void shl_body_finish(shoal_scene *scene, shl_free_body *body);

// The rule of the header that a positions view breaks, or NULL.
const char *shl_positions_fault(const shoal_positions *positions);

// Sorts n pairs with one body_a by (triangle_a, body_b, triangle_b).
void shl_sort_pairs(shoal_pair *pairs, shoal_pair *scratch, size_t n);

#endif
