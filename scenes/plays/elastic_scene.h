// SPDX-License-Identifier: MIT
// Scenes of soft bodies: what they are made of, where they begin, and what moves them.
#ifndef SHL_SCENES_PLAYS_ELASTIC_SCENE_H
#define SHL_SCENES_PLAYS_ELASTIC_SCENE_H

#include "scenes/play.h"
#include "scenes/solvers/mls/elastic.h"

typedef struct shl_elastic_scene shl_elastic_scene;

struct shl_elastic_scene {
    shl_scene_params params;
    const struct shl_driver *driver;
    shl_elastic soft;
    uint32_t steps; // of time, so far
};

// One kind of scene. Times are seconds since the beginning.
typedef struct shl_driver {
    SHOAL_CHECK shoal_status (*mesh)(uint32_t vertices, shl_surface *out);
    // Sets all but nodes, bodies and seed.
    void (*define)(const shl_scene_params *params, shl_elastic_def *def);
    // Places the bodies.
    void (*begin)(shl_elastic_scene *scene);
    // Accelerations and targets of the step that ends at `time`; NULL: they do not move freely,
    void (*drive)(shl_elastic_scene *scene, double time);
    // but are where this puts them and their gradients.
    void (*pose)(shl_elastic_scene *scene, double time);
} shl_driver;

extern const shl_driver shl_ring_driver, shl_swarm_driver, shl_brain_driver;

// Adds the bodies to `scene`, which must be empty and outlive them. Errors: those of the
// library and of shl_nodes_create().
SHOAL_CHECK shoal_status shl_elastic_scene_create(const shl_driver *driver,
                                                  const shl_scene_params *params,
                                                  shoal_context *ctx, shoal_scene *scene,
                                                  shl_elastic_scene **out);
void shl_elastic_scene_destroy(shl_elastic_scene *scene);

// Step 1 puts the bodies where they begin. Each later one moves them on by one step of time,
// with the pairs that the scene found in the step before.
SHOAL_CHECK shoal_status shl_elastic_scene_step(shl_elastic_scene *scene, uint32_t step);

extern const shl_play shl_ring_play, shl_swarm_play, shl_brain_play;

#endif
