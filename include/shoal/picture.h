// SPDX-License-Identifier: MIT
/// Pictures of a scene, drawn without a window by whatever OpenGL there is, in software too.
/// Library libshoal-picture.
#ifndef SHOAL_PICTURE_H
#define SHOAL_PICTURE_H

#include <shoal/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a picture shows besides the bodies; any of them together.
typedef enum shoal_show {
    SHOAL_SHOW_PAIRS = 1, ///< triangles that meet others, by pairs, self pairs or hits, in red
    SHOAL_SHOW_SPHERES = 2, ///< contact spheres that touch something, in orange
    SHOAL_SHOW_BOXES = 4,   ///< boxes of tree nodes instead of bodies; see `level`
} shoal_show;

/// Camera.
typedef struct shoal_camera {
    double eye[3];
    double target[3]; ///< in the middle of the picture
    double up[3];     ///< upwards in it
    double angle;     ///< of view from top to bottom, in degrees, above 0 and below 170
} shoal_camera;

/// What a picture shows and how. Start from shoal_picture_def_default(), then set fields.
typedef struct shoal_picture_def {
    uint32_t size;          ///< set by shoal_picture_def_default(); do not touch
    uint32_t width, height; ///< pixels, 1 to 16384 each
    uint32_t show;          ///< of shoal_show
    shoal_camera camera;
    /// Level of the boxes, from 0 (root) to 1 (leaves). Their colour shows their tightness,
    /// from blue (tight) to red (twice as wide as necessary)
    double level;
    double floor; ///< height of a floor to be drawn; NaN: none
} shoal_picture_def;

/// Write the default def, as programs know it whose header gives it `size` bytes.
SHOAL_API void shoal_picture_def_init(const shoal_scene *scene, shoal_picture_def *def,
                                      size_t size);

/// 1280 x 720, pairs and spheres, no floor; the camera sees all bodies that took part in the
/// last step, from a little above.
static inline shoal_picture_def shoal_picture_def_default(const shoal_scene *scene)
{
    shoal_picture_def def;
    shoal_picture_def_init(scene, &def, sizeof def);
    return def;
}

/// Draw the bodies as they were in the last step: rgb[height][width][3], the top row first,
/// written only on success. Positions that a body borrows are read anew. Reduced bodies are
/// deformed on the device, so that an instance takes almost no memory.
/// Pictures of two machines may differ in single pixels: nothing depends on them.
/// Errors: ARGUMENT (no default def, sizes, a camera without direction, a step that has begun),
/// MEMORY, LIMIT (what the device allows), DEVICE (no OpenGL, or it failed; the log says why).
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_picture(shoal_scene *scene,
                                                       const shoal_picture_def *def,
                                                       uint8_t *rgb);

#ifdef __cplusplus
}
#endif

#endif
