// SPDX-License-Identifier: MIT
// The parts of a body in a scene file. Each notes what is wrong with it and returns false.
#ifndef SHL_CLI_SCENE_FILE_BODIES_H
#define SHL_CLI_SCENE_FILE_BODIES_H

#include "cli/scene_file/file.h"

enum { SHL_SCENE_BODIES_MAX = 1000000 };

// mesh, model or generator, kind, scale, controls, fields, self, spheres. Adds the files it
// read to the hash `inputs`.
bool shl_scene_shape(const shl_json_value *body, uint64_t seed, shl_own_group *out,
                     uint64_t *inputs);

// grid, random, list, turn, group, mask, static; after dynamics. `state` is that of the random
// numbers.
bool shl_scene_instances(const shl_json_value *body, shl_own_group *out, uint64_t *state);

// A unit axis and an angle in radians; both stay as they are if there is none.
bool shl_scene_turn(const shl_json_value *node, double axis[3], double *angle);

// motion, once shape and dynamics are known.
bool shl_scene_motion(const shl_json_value *node, shl_own_group *out);

// dynamics of a body: that it falls, and its mass.
bool shl_scene_falling(const shl_json_value *body, double time_step, shl_own_group *out);

// dynamics of the whole scene, once its bodies are known.
bool shl_scene_law(const shl_json_value *node, shl_own_def *out);

#endif
