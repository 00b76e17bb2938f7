// SPDX-License-Identifier: MIT
// Steps of a run as PLY files: all bodies' triangles, and the contact spheres' contacts as an
// element of their own, which viewers pass over.
#ifndef SHL_CLI_FRAMES_FRAMES_H
#define SHL_CLI_FRAMES_FRAMES_H

#include "scenes/scene.h"

#include <shoal/io.h>

typedef struct shl_frames {
    uint32_t every;     // 0: none are written
    const char *folder; // where to
    const char *name;   // files are NAME-STEP.ply, with steps of six digits or more
    double *xyz;        // [room][3] vertices of one body
    size_t room;
} shl_frames;

void shl_frames_init(shl_frames *frames, uint32_t every, const char *folder, const char *name);
void shl_frames_finish(shl_frames *frames);

// Writes the step if it is one of every so many. Errors: FILE, reported in `error`, MEMORY.
SHOAL_CHECK shoal_status shl_frames_step(shl_frames *frames, uint32_t step,
                                         const shl_motion *motion, const shoal_scene *scene,
                                         shoal_io_error *error);

#endif
