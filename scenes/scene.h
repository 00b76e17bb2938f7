// SPDX-License-Identifier: MIT
// Procedural scenes: bodies, how they deform and move, through the public API only. Positions
// are the same bits on every machine and with every compiler, so run hashes can be compared.
#ifndef SHL_SCENES_SCENE_H
#define SHL_SCENES_SCENE_H

#include "scenes/models/cache.h"
#include "scenes/shapes/mesh.h"

#include <shoal/scene.h>

// What `-s key=value` sets. Start from shl_scene_defaults().
typedef struct shl_scene_params {
    uint32_t k;      // subdivisions: a body has 20 * 4^k triangles, a plate 17.4 * 4^k
    uint32_t bodies; //
    uint32_t steps;
    uint64_t seed;
    shoal_scalar precision;
    shoal_order order;
    shoal_hold hold;
    shoal_builder builder;
    uint32_t arity;
    uint32_t vertices, controls; // of a skinned body
    uint32_t contact;            // ring: 0 small, 1 large
    uint32_t bending;            // brain: 0 pull, 1 bend, 2 twist
    uint32_t spheres; // 1 + level of the contact spheres of reduced bodies; 0: they have none
    uint32_t bays;    // of a bridge
    double spacing;   // chairs: of the lattice in which they begin; 0: they do not touch
    shl_say_fn *say;  // who hears that a model is being made
} shl_scene_params;

// A scene as it is written down; scenes/play.h.
typedef struct shl_play shl_play;

typedef enum shl_scene_id {
    SHL_SCENE_BUMPY_2,
    SHL_SCENE_BUMPY_27,
    SHL_SCENE_ARMS_27,
    SHL_SCENE_PLATES,
    SHL_SCENE_TANGLE,
    SHL_SCENE_BEAMS,
    SHL_SCENE_CALM_27,
    SHL_SCENE_CHAIRS,
    SHL_SCENE_LETTERS_BOWL,
    SHL_SCENE_LETTERS_RAMP,
    SHL_SCENE_SKIRT,
    SHL_SCENE_BREAKING,
    SHL_SCENE_FISH_BRIDGE,
    SHL_SCENE_CURTAIN,
    SHL_SCENE_RING,
    SHL_SCENE_FISH_24,
    SHL_SCENE_BRAIN,
    SHL_SCENE_COUNT
} shl_scene_id;

const char *shl_scene_name(shl_scene_id scene);
const char *shl_scene_summary(shl_scene_id scene);

// False: there is no scene of that name.
bool shl_scene_find(const char *name, shl_scene_id *out);

shl_scene_params shl_scene_defaults(shl_scene_id scene);

// Whether its bodies are reduced, so that they can have contact spheres.
bool shl_scene_is_reduced(shl_scene_id scene);

// What a run asks for if nobody says: SHOAL_QUERY_PAIRS where the scene needs nothing else.
uint32_t shl_scene_queries(shl_scene_id scene);

// Whether its bodies fall on a floor at height 0.
bool shl_scene_floor(shl_scene_id scene);

const shl_play *shl_scene_play(shl_scene_id scene);

// One parameter of a scene, for help and reports.
typedef struct shl_scene_param {
    const char *key;
    const char *summary; // with the values it takes
    bool number;         // the text is a decimal number
    char text[24];       // its value in `params`
} shl_scene_param;

// Parameter `index` of a scene with its value in `params`; key NULL past the last one.
shl_scene_param shl_scene_param_at(shl_scene_id scene, const shl_scene_params *params,
                                   uint32_t index);

// What is wrong with a setting, in words that follow "key=value: ".
typedef struct shl_setting_error {
    char text[160];
} shl_setting_error;

// Sets one parameter. On failure `params` is unchanged and `error` says why.
bool shl_scene_set(shl_scene_id scene, shl_scene_params *params, const char *key,
                   const char *value, shl_setting_error *error);

// The simulator's side of a running scene.
typedef struct shl_motion shl_motion;

// Adds the scene's bodies to `scene`, which must be empty and outlive the motion.
// `*out` is NULL on failure.  Errors: those of the library, MEMORY.
SHOAL_CHECK shoal_status shl_motion_create(shl_scene_id id, const shl_scene_params *params,
                                           shoal_context *ctx, shoal_scene *scene,
                                           shl_motion **out);

// Moves all bodies to their places at `step`, counted from 1 and each in turn. From the second
// on it reads the results of the step before: bodies that met, by pairs or hits, bounce, and
// contact spheres push.
SHOAL_CHECK shoal_status shl_motion_step(shl_motion *motion, uint32_t step);

// What a motion carries from step to step, besides the results of the last one: nothing where
// places are functions of the step's number. Writes that many bytes to `to` unless it is NULL,
// and returns how many.
size_t shl_motion_save(const shl_motion *motion, void *to);

// Brings a new motion, made from the same scene and parameters, to where the one that saved
// `state` was after `step`, and hands its bodies over: one step of the scene gives the results
// that the next step reads.  Errors: those of the library, ARGUMENT (another length).
SHOAL_CHECK shoal_status shl_motion_restore(shl_motion *motion, uint32_t step,
                                            const void *state, size_t size);

void shl_motion_destroy(shl_motion *motion);

uint32_t shl_motion_body_count(const shl_motion *motion);
uint64_t shl_motion_triangle_count(const shl_motion *motion); // of all bodies

// A body's mesh at rest, in the user's order; held until the next step. NULL: it is gone.
const shl_surface *shl_motion_surface(const shl_motion *motion, uint32_t body);

// The model that bodies share, or those that fall do; zeros where there is no such.
shoal_model_info shl_motion_model(const shl_motion *motion);

// What the last step handed over: positions, as `precision` and `order` say, or the states of
// reduced bodies. Not for bodies of particles and skinned ones, as shl_motion_frame() is not.
const void *shl_motion_positions(const shl_motion *motion, size_t *bytes);

// Where a body's own frame lies in the world at the last step: world = rotation * own + centre.
typedef struct shl_frame {
    double centre[3];
    double rotation[9]; // row by row, orthonormal to rounding
} shl_frame;

shl_frame shl_motion_frame(const shl_motion *motion, uint32_t body);

// The vertices of a body in the world at the last step, in the user's order, [vertices][3].
void shl_motion_vertices(const shl_motion *motion, uint32_t body, double *xyz);

// A step to be looked at later. All zero is an empty one; free() its bytes.
typedef struct shl_shot {
    void *bytes;
    size_t capacity;
} shl_shot;

// Makes room.  Errors: MEMORY; then it is as before.
SHOAL_CHECK shoal_status shl_shot_reserve(shl_shot *shot, size_t bytes);

// Takes the last step: as little as the scene needs to tell its vertices.  Errors: MEMORY.
SHOAL_CHECK shoal_status shl_motion_shoot(shl_motion *motion, shl_shot *shot);

// The vertices of all bodies in a shot, [vertices][3] in the user's order, in float32, which is
// all that viewers use. Any thread may call it while the motion goes on.
void shl_motion_develop(const shl_motion *motion, const shl_shot *shot, uint64_t vertices,
                        float *xyz);

// How bodies with dynamics are doing after the last step. Joule, metres, seconds.
typedef struct shl_motion_report {
    double time;
    double kinetic, energy;    // the latter with that in gravity and in modes
    double mean_speed;         // of bodies
    double floor_depth;        // of the lowest vertex below the floor
    bool soft;                 // bodies of particles, and the following is known
    uint32_t bodies, contacts; // contacts of triangles that the step worked with
    double closest;            // least distance of two bodies; infinite if no query told it
    bool skinned;              // elastic bodies: no floor, energy without gravity, and:
    double most_speed;         // of control points
    double strain;             // the largest stretch at a control point, less 1
} shl_motion_report;

// False: the scene's motion is prescribed, there is nothing to report.
bool shl_motion_measure(const shl_motion *motion, shl_motion_report *out);

#endif
