// SPDX-License-Identifier: MIT
// A scene as instances of meshes, ready for the GPU module.
#ifndef SHL_PICTURE_DRAWS_H
#define SHL_PICTURE_DRAWS_H

#include "runtime/scene/scene.h"
#include "runtime/scene/vertices.h"

#include <shoal/picture.h>

typedef struct shl_draws {
    const shoal_allocator *allocator;
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

// One each.  Errors: MEMORY.
SHOAL_CHECK shoal_status shl_draw_bodies(const shoal_scene *scene, shl_draws *draws);
SHOAL_CHECK shoal_status shl_draw_pairs(const shoal_scene *scene, const double eye[3],
                                        shl_draws *draws);
SHOAL_CHECK shoal_status shl_draw_spheres(const shoal_scene *scene, shl_draws *draws);
SHOAL_CHECK shoal_status shl_draw_boxes(const shoal_scene *scene, double level,
                                        shl_draws *draws);
SHOAL_CHECK shoal_status shl_draw_floor(const shoal_scene *scene, double height,
                                        shl_draws *draws);

// Whether it can be seen: it took part in the last step.
static inline bool shl_visible(const shoal_scene *scene, uint32_t body)
{
    return shl_body_is(&scene->bodies, body, SHL_BODY_ACTIVE);
}

// The box around all that can be seen; empty ones are a point.
shl_box shl_draws_extent(const shoal_scene *scene);

#endif
