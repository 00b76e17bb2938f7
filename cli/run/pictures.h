// SPDX-License-Identifier: MIT
// Pictures of a run: step-NNNNNN.png, evenly over its steps or of those named, all of them on
// one sheet, sheet.png, and as a film.
#ifndef SHL_CLI_RUN_PICTURES_H
#define SHL_CLI_RUN_PICTURES_H

#include "cli/run/engine.h"
#include "cli/run/folder.h"
#include "scenes/scene.h"

#include <shoal/picture.h>

#define SHL_PICTURES "pictures"

extern const shl_option shl_picture_options[];

typedef struct shl_pictures {
    uint32_t wanted; // over all steps; 0: none
    uint32_t steps;
    const uint32_t *at; // [at_count] these steps instead, ascending; NULL: evenly
    uint32_t at_count;
    double floor; // its height; NaN: the scene has none
    bool none;    // there is no OpenGL, and this was said
    bool boxes;
    uint32_t level; // of boxes, percent
    uint32_t width, height;
    bool has_eye, has_target, has_up, has_angle; // of the camera
    shoal_camera camera;
    bool video;   // asked for, whatever the number of pictures
    uint8_t *rgb; // [height][width][3]
    uint32_t drawn;
    const char *command; // "shoal run"
    char folder[PATH_MAX];
} shl_pictures;

// Reads the options; pictures go to `folder`, which is made when the first one is. Returns an
// exit code; not OK: it said why.
int shl_pictures_init(shl_pictures *pictures, const shl_args *args, const char *folder,
                      double floor, uint32_t steps);
void shl_pictures_finish(shl_pictures *pictures);

// Whether a step is one of those wanted.
bool shl_pictures_due(const shl_pictures *pictures, uint32_t step);

// Draws the step if it is one of those wanted. Without OpenGL it says so once and goes on.
int shl_pictures_step(shl_pictures *pictures, uint32_t step, const shl_engine *engine);

// After the last step: the sheet of all pictures that are in the folder, and the film.
int shl_pictures_end(shl_pictures *pictures);

#endif
