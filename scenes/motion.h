// SPDX-License-Identifier: MIT
// The simulator behind shl_motion: rigid centres, spins, and the array positions go to.
#ifndef SHL_SCENES_MOTION_H
#define SHL_SCENES_MOTION_H

#include "scenes/play.h"
#include "scenes/plays/actors.h"
#include "scenes/plays/beams.h"
#include "scenes/plays/tangle.h"
#include "scenes/scene.h"
#include "scenes/shapes/plate.h"
#include "scenes/shapes/shape.h"

// How one body moves; lengths in radii, times in steps.
typedef struct shl_ball {
    double centre[3], velocity[3];
    double rotation[9];   // at step 0
    double axis[3], spin; // radians a step about a unit axis
    double phase;         // added to the time of the deformation
} shl_ball;

struct shl_motion {
    shl_scene_id id;
    shl_scene_params params;
    shoal_scene *scene;
    shoal_model *model;
    // one of the three, as the scene wants
    shl_shape shape;
    shl_plate plate;
    shl_tangle tangle;
    uint32_t vertex_count;
    uint32_t body_count;
    shl_ball *balls;     // [body_count]
    shl_frame *frames;   // [body_count] at the last step
    shoal_body *ids;     // [body_count]
    uint32_t *met;       // [body_count] scratch: bodies that one body met
    bool *marked;        // [body_count] scratch: is in `met`
    size_t scalar_bytes; // 4 or 8
    void *xyz;           // [body_count][vertices][3] what shoal reads
    bool handed_over;    // shoal knows of it
    shl_surface rest;    // of every body, but not for plays
    // of a scene with reduced bodies; all else is unused then
    shl_beams *beams;
    shl_actors *actors; // chairs
    // of a play; all else is unused then
    const shl_play *play;
    void *state;
    // of shl_motion_shoot(): scratch, and a shape as viewers want it
    double *points; // [point_room]
    size_t point_room;
    float *shape_fields; // [1 + fields][3][vertices] the first is the rest shape
};

// Writes the positions of free bodies that have moved to `step`, and hands them over.
SHOAL_CHECK shoal_status shl_motion_show(shl_motion *motion, uint32_t step);

#endif
