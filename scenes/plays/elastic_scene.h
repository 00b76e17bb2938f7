// SPDX-License-Identifier: MIT
// Scenes of soft bodies: what they are made of, where they begin, and what moves them.
#ifndef SHL_SCENES_PLAYS_ELASTIC_SCENE_H
#define SHL_SCENES_PLAYS_ELASTIC_SCENE_H

#include "scenes/plays/plays.h"
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
    // Sets all but controls, bodies and seed.
    void (*define)(const shl_scene_params *params, shl_elastic_def *def);
    // Places the bodies; NULL: they lie at the origin.
    void (*begin)(shl_elastic_scene *scene);
    // Accelerations and targets of the step that ends at `time`; NULL: they do not move freely,
    void (*drive)(shl_elastic_scene *scene, double time);
    // but are where this puts them and their gradients.
    void (*pose)(shl_elastic_scene *scene, double time);
} shl_driver;

// Runs plays whose kind is a shl_driver; the state is a shl_elastic_scene. The second is for
// those with a pose.
extern const shl_simulator shl_elastic_simulator, shl_posed_simulator;

// Its functions, as shl_simulator has them. Step 1 puts the bodies where they begin. Each later
// one moves them on by one step of time, with the pairs that the scene found in the step
// before.
SHOAL_CHECK shoal_status shl_elastic_scene_create(const shl_play *play,
                                                  const shl_scene_params *params,
                                                  shoal_context *ctx, shoal_scene *scene,
                                                  void **out);
void shl_elastic_scene_destroy(void *scene);
SHOAL_CHECK shoal_status shl_elastic_scene_step(void *scene, uint32_t step);

#endif
