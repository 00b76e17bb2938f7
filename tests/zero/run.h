// SPDX-License-Identifier: MIT
// One world through the library in one of many ways, compared with the truth pair by pair.
#ifndef TESTS_ZERO_RUN_H
#define TESTS_ZERO_RUN_H

#include "worlds.h"

#include <shoal/study.h>

// What may vary without changing the answer, and in how many values.
enum factor {
    STRATEGY,
    CPU,
    EXECUTOR,
    SCALAR,
    ORDER,
    HOLD,
    LAYOUT,
    BROAD,
    QUERIES,
    BUILDER,
    ARITY,
    BOUNDS, // of bodies that can be reduced; the last value: they are free
    LIST_MARGIN,
    BLEND,  // of bodies that nodes carry; they are free with the last value of BOUNDS
    REGION, // the same
    FACTORS
};
enum { QUERY_SETS = 8 };
extern const uint8_t factor_values[FACTORS];

typedef struct way {
    uint8_t value[FACTORS];
} way;

// The queries of value `set` of QUERIES.
uint32_t way_queries(uint32_t set);

// A list of ways in which any two values of any two factors meet. Returns how many.
uint32_t ways_pairwise(way *out, uint32_t capacity);

// Runs all steps; hashes[step] are the library's. False if anything was not as the truth says:
// the reason is then in way_fault().
bool way_run(const world *w, const way *how, uint64_t hashes[WORLD_STEPS]);
const char *way_fault(void);

// Compares the results of a step with the truth for `queries`; false fills way_fault().
bool results_true(const truth *t, uint32_t queries, const shoal_scene *scene);

// A model of the mesh, from its rest positions; aborts if it cannot be made.
shoal_model *model_of(shoal_context *ctx, const world_mesh *mesh);
shoal_model *make_reduced(shoal_context *ctx, const world_mesh *mesh,
                          const world_reduced *reduced, shoal_bounds bounds,
                          shoal_builder builder, uint32_t arity);
shoal_model *make_skinned(shoal_context *ctx, const world_mesh *mesh,
                          const world_skinned *skinned, shoal_blend blend,
                          shoal_influence region, shoal_builder builder, uint32_t arity);
shoal_model *reduced_model_of(shoal_context *ctx, const world_mesh *mesh,
                              const world_reduced *reduced, shoal_bounds bounds);

// Gives a reduced body its state of a step.
shoal_status set_state(shoal_scene *scene, shoal_body body, const world_reduced *reduced,
                       uint32_t step);

// The same for a body that nodes carry.
shoal_model *skinned_model_of(shoal_context *ctx, const world_mesh *mesh,
                              const world_skinned *skinned, shoal_blend blend,
                              shoal_influence region);
shoal_skinned_def skinned_def_of(const world_skinned *skinned);
shoal_status set_maps(shoal_scene *scene, shoal_body body, const world_skinned *skinned,
                      uint32_t step);

// A body of a world as what it is: its model with the best bounds, the body, and its state in a
// step; free ones copy their positions.
shoal_model *kind_model_of(shoal_context *ctx, const world *w, uint32_t body);
shoal_status kind_add(shoal_scene *scene, shoal_model *model, const world *w, uint32_t body,
                      shoal_body *out);
shoal_status kind_set(shoal_scene *scene, shoal_body id, const world *w, uint32_t body,
                      uint32_t step);
static inline bool kind_is_free(const world *w, uint32_t body)
{
    return !w->reduced[body].used && !w->skinned[body].used;
}

// What a model of the mesh is made from, with a tree of any kind. `poses` must stay with it.
shoal_model_def model_def_of(const world_mesh *mesh, shoal_builder builder, uint32_t arity,
                             shoal_positions poses[2]);
// The same triangles with rest positions that have nothing to do with the mesh's: a tree built
// anew from any pose is then another one, in another order.
shoal_model *model_of_stranger(shoal_context *ctx, const world_mesh *mesh);

#endif
