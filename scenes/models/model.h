// SPDX-License-Identifier: MIT
// The model of a scene's bodies: the sphere's triangles and the tree that the parameters ask
// for.
#ifndef SHL_SCENES_MODELS_MODEL_H
#define SHL_SCENES_MODELS_MODEL_H

#include "scenes/scene.h"
#include "scenes/shapes/mesh.h"

// Errors: those of the library, MEMORY.
SHOAL_CHECK shoal_status shl_scene_model(shl_scene_id id, const shl_scene_params *params,
                                         const shl_surface *rest, shoal_context *ctx,
                                         shoal_model **out);

#endif
