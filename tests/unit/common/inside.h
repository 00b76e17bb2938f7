// SPDX-License-Identifier: MIT
// The inside of a scene, and rows of bodies that belong to none.
#ifndef TESTS_UNIT_COMMON_INSIDE_H
#define TESTS_UNIT_COMMON_INSIDE_H

#include "runtime/kinds/free/free.h"
#include "runtime/kinds/reduced/reduced.h"
#include "runtime/kinds/skinned/skinned.h"
#include "runtime/queries/distance/distance.h"
#include "runtime/queries/overlap/overlap.h"
#include "runtime/queries/spheres/spheres.h"
#include "runtime/scene/scene.h"

#include <stdlib.h>

static inline void *inside_query(const shoal_scene *scene, const shl_query *query)
{
    for (uint32_t i = 0; i < shl_query_count; i++) {
        if (shl_queries[i] == query)
            return scene->queries[i];
    }
    abort();
}

static inline shl_overlap *inside_overlap(const shoal_scene *scene)
{
    return inside_query(scene, &shl_overlap_query);
}

static inline shl_spheres *inside_spheres(const shoal_scene *scene)
{
    return inside_query(scene, &shl_spheres_query);
}

static inline shl_distance *inside_distance(const shoal_scene *scene)
{
    return inside_query(scene, &shl_distance_query);
}

// The first worker's spheres, which become those of a body; NULL if it has none.
static inline shl_sphere_cache *inside_enter_spheres(const shoal_scene *scene, uint32_t body,
                                                     shl_view *view)
{
    shl_sphere_cache *cache = &inside_spheres(scene)->scratch[0].side[0];
    shl_sphere_tree tree;
    shl_view_of(&scene->ports, body, view);
    if (!view->kind->spheres || !view->kind->spheres->tree(scene->bodies.model[body], &tree))
        return NULL;
    shl_sphere_cache_enter(cache, body, &tree);
    return cache;
}

// The body of that number, which is of that kind.
static inline shl_free_body *inside_free(shoal_scene *scene, uint32_t body)
{
    return shl_free_row(shl_scene_kind(scene, &shl_free_kind), scene->bodies.row[body]);
}

static inline shl_reduced_body *inside_reduced(shoal_scene *scene, uint32_t body)
{
    return shl_reduced_row(shl_scene_kind(scene, &shl_reduced_kind), scene->bodies.row[body]);
}

// Rows of a single body, number 0, for functions that write there.
typedef struct lone_body {
    shl_bodies bodies;
    uint8_t flags;
    shl_box box;
} lone_body;

static inline const shl_bodies *lone_bodies(lone_body *lone)
{
    lone->bodies.flags = &lone->flags;
    lone->bodies.box = &lone->box;
    return &lone->bodies;
}

#endif
