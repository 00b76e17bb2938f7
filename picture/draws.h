// SPDX-License-Identifier: MIT
// A scene as instances of meshes, ready for the GPU module.
#ifndef SHL_PICTURE_DRAWS_H
#define SHL_PICTURE_DRAWS_H

#include "gpu/module.h"
#include "layouts/memory.h"

#include <shoal/picture.h>
#include <shoal/study.h>

// A body that can be seen: it took part in the last step.
typedef struct shl_seen {
    shoal_body id;
    const shoal_model *model;
    shoal_instance instance;
    bool is_instance;
    bool drawn; // with the first instance of its model
} shl_seen;

typedef struct shl_draws {
    const shoal_scene *scene;
    const shoal_allocator *allocator;
    shl_array seen; // shl_seen [seen_count] by ascending numbers
    uint32_t seen_count;
    shl_array xyz;    // double [3 * vertices] of one body
    shl_array corner; // uint32_t [3 * triangles] of one model
    double origin[3]; // all positions are relative to it, so that float32 will do
    uint32_t count;
    shl_array draws;  // shl_gpu_draw [count]
    shl_array memory; // shl_array, what they point to
    uint32_t memory_count;
} shl_draws;

void shl_draws_finish(shl_draws *draws);

// Another draw of an own mesh. `*out` has memory for what it says; the caller fills it.
typedef struct shl_mesh_arrays {
    float *xyz;          // [vertices][3]
    uint32_t *triangles; // [triangles][3]
    shl_gpu_instance *instances;
    float *q;
} shl_mesh_arrays;
SHOAL_CHECK shoal_status shl_draws_add(shl_draws *draws, uint32_t vertices, uint32_t triangles,
                                       uint32_t instances, uint32_t fields,
                                       shl_mesh_arrays *out);

// The bodies that can be seen. Errors: ARGUMENT (a step that has begun), MEMORY.
SHOAL_CHECK shoal_status shl_draws_look(shl_draws *draws);

// The one with that number; NULL: it cannot be seen.
const shl_seen *shl_draws_seen(const shl_draws *draws, uint32_t body);

// Its vertices and the corners of its triangles, in the tree's order, until the next call.
// Errors: MEMORY.
SHOAL_CHECK shoal_status shl_draws_mesh(shl_draws *draws, const shl_seen *seen,
                                        const double **xyz, const uint32_t **corner);

// One each.  Errors: MEMORY.
SHOAL_CHECK shoal_status shl_draw_bodies(shl_draws *draws);
SHOAL_CHECK shoal_status shl_draw_pairs(const double eye[3], shl_draws *draws);
SHOAL_CHECK shoal_status shl_draw_spheres(shl_draws *draws);
SHOAL_CHECK shoal_status shl_draw_boxes(double level, shl_draws *draws);
SHOAL_CHECK shoal_status shl_draw_floor(double height, shl_draws *draws);

// A thing that stays where its mesh is.
void shl_identity_instance(shl_gpu_instance *out);

// The box around all that can be seen and is finite; nothing is a point.
typedef struct shl_sight {
    float lo[3], hi[3];
    bool any;
} shl_sight;
shl_sight shl_sight_of(const shoal_scene *scene);

#endif
