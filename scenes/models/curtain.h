// SPDX-License-Identifier: MIT
// A curtain in gusty wind: a cloth of particles, and the reduced model that is made of its
// motion. The same bits everywhere.
#ifndef SHL_SCENES_MODELS_CURTAIN_H
#define SHL_SCENES_MODELS_CURTAIN_H

#include "scenes/shapes/mesh.h"

#include "scenes/models/cache.h"

enum {
    SHL_CURTAIN_ACROSS = 60, // particles
    SHL_CURTAIN_DOWN = 103,
    SHL_CURTAIN_FRAMES = 110,
    SHL_CURTAIN_FIELDS = 12,
};
extern const double shl_curtain_frame; // seconds

// Where the cloth's top hangs: metres, over the floor.
extern const double shl_curtain_top;

// The mean shape of the frames, their first principal components as fields with coordinates of
// mean square 1, and the frames' coordinates as its motion. Give it to
// shoal_model_file_finish(). Errors: MEMORY.
SHOAL_CHECK shoal_status shl_curtain_make(shoal_model_file *out);

// The same, from the cache if it is there.
SHOAL_CHECK shoal_status shl_curtain_model(shl_say_fn *say, shoal_model_file *out);

#endif
