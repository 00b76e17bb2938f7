// SPDX-License-Identifier: MIT
// Pictures of a run in its folder: pictures/step-NNNNNN.png, evenly over its steps, and all of
// them on one sheet, pictures/sheet.png.
#ifndef SHL_CLI_RUN_PICTURES_H
#define SHL_CLI_RUN_PICTURES_H

#include "cli/engine.h"
#include "cli/run/folder.h"
#include "scenes/scene.h"

#define SHL_PICTURES "pictures"

extern const shl_option shl_picture_options[];

typedef struct shl_pictures {
    uint32_t wanted; // over all steps; 0: none
    uint32_t steps;
    bool floor; // the scene has one, at height 0
    bool none;  // there is no OpenGL, and this was said
    bool boxes;
    uint32_t level; // of boxes, percent
    uint32_t width, height;
    uint8_t *rgb; // [height][width][3]
    const shl_folder *folder;
} shl_pictures;

// Reads the options. Returns an exit code; not OK: it said why.
int shl_pictures_init(shl_pictures *pictures, const shl_args *args, const shl_folder *folder,
                      bool floor, uint32_t steps);
void shl_pictures_finish(shl_pictures *pictures);

// Draws the step if it is one of those wanted. Without OpenGL it says so once and goes on.
int shl_pictures_step(shl_pictures *pictures, uint32_t step, const shl_engine *engine);

// After the last step: the sheet of all pictures that are in the folder.
int shl_pictures_end(shl_pictures *pictures);

#endif
