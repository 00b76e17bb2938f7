// SPDX-License-Identifier: MIT
// Scenes of the user's own making: bodies of any shape and kind, placed, and moved as functions
// of time, or left to fall.
#ifndef SHL_SCENES_FILE_OWN_H
#define SHL_SCENES_FILE_OWN_H

#include "scenes/scene.h"
#include "scenes/solvers/modal/dynamics.h"

typedef enum shl_own_kind { SHL_OWN_FREE, SHL_OWN_REDUCED, SHL_OWN_SKINNED } shl_own_kind;

// Which other bodies a body meets, as shoal/filter.h has it.
typedef struct shl_own_filter {
    uint32_t group, mask;
    bool is_static; // it does not move
} shl_own_filter;

// What a body has of its own: where it begins, and its filter.
typedef struct shl_own_instance {
    double at[3];
    double rotation[9]; // row by row
    double phase;       // of swings, waves and modes, in radians
    shl_own_filter filter;
} shl_own_instance;

// A displacement that comes and goes.
typedef struct shl_own_beat {
    double amplitude, hertz;
} shl_own_beat;

// Control points of a skinned body and their weights; as shoal_skinned_def has it.
typedef struct shl_own_controls {
    uint32_t count;
    double *xyz; // [count][3]
    uint32_t *weight_begin, *weight_control;
    float *weight;
    size_t weight_count;
} shl_own_controls;

// Bodies of one shape that move alike.
typedef struct shl_own_group {
    shl_own_kind kind;
    shl_surface rest;
    float *fields; // [field_count][vertices][3]; reduced only
    uint32_t field_count;
    shl_own_controls controls; // skinned only
    int32_t sphere_level;      // -1: none
    bool self;                 // prepared for queries within a body
    shl_own_filter filter;     // of instances that say nothing else
    shl_own_instance *instances;
    uint32_t count; // of instances
    double velocity[3];
    double axis[3], spin;         // radians a second about a unit axis
    double swing[3], swing_hertz; // the way, there and back
    shl_own_beat wave; // of free and skinned bodies: along their own z, travelling along x
    double wave_length;
    shl_own_beat beats[SHOAL_FIELDS_MAX]; // [field_count] of the coordinates
    // Reduced bodies that fall: velocity and spin are those at the beginning, and the rest
    // shape's centre of mass is its origin.
    bool falls;
    double mass;                      // kilograms, spread evenly over the surface
    double hertz[SHL_FLEX_MODES_MAX]; // [field_count]
} shl_own_group;

typedef struct shl_own_def {
    double time_step;
    shl_dynamics_def law;  // of those that fall; its step is time_step
    shl_own_group *groups; // [group_count]
    uint32_t group_count;
} shl_own_def;

// Frees all that it holds.
void shl_own_finish(shl_own_def *def);

// Whether any of its bodies falls.
bool shl_own_falls(const shl_own_def *def);

// As shl_motion_create(), from a definition that must outlive the motion. Bodies are numbered
// group by group. Step 1 is time 0. Bodies that fall read contacts of the step before, so their
// scene needs SHOAL_QUERY_SPHERES.  Errors: those of the library, MEMORY, ARGUMENT (a mode
// whose half period is shorter than a step).
SHOAL_CHECK shoal_status shl_own_create(const shl_own_def *def, shoal_context *ctx,
                                        shoal_scene *scene, shl_motion **out);

#endif
