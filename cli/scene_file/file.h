// SPDX-License-Identifier: MIT
// Scene files: what to run, as JSON. Either a built-in scene with its parameters, or bodies of
// the user's own.
//
//   {"shoal": 1, "scene": "chairs", "parameters": {"count": 200}, "queries": ["spheres"]}
//
//   {"shoal": 1, "steps": 100, "time_step": 0.01, "seed": 1, "queries": ["pairs", "self"],
//    "bodies": [{"mesh": "bunny.obj", "kind": "free", "scale": 2,
//                "grid": {"count": [3, 3, 1], "spacing": [2, 2, 2], "at": [0, 0, 0]},
//                "turn": "random", "self": true, "group": 2, "mask": 5,
//                "motion": {"velocity": [0, 0, -1],
//                           "spin": {"axis": [0, 0, 1], "degrees": 90},
//                           "swing": {"by": [0, 1, 0], "hertz": 1},
//                           "wave": {"amplitude": 0.1, "length": 1, "hertz": 1}}},
//               {"model": "chair.model", "spheres": 8,
//                "random": {"count": 50, "from": [-2, -2, 0], "to": [2, 2, 4]},
//                "motion": {"modes": [{"amplitude": 0.1, "hertz": 2}]}},
//               {"generator": "chair", "kind": "reduced", "dynamics": {"mass": 2.2},
//                "list": [[0, 0, 9], {"at": [2, 0, 9], "turn": {"degrees": 45}}]},
//               {"generator": "brain", "vertices": 3000, "kind": "skinned", "controls": 200}],
//    "dynamics": {"gravity": 9.81, "floor": 0, "damping": 0.03,
//                 "contact": {"stiffness": 2e4, "damping": 150, "friction": 0.45}},
//    "outputs": {"every": 5, "format": ["hdf5", "pc2"], "frames": 10,
//                "camera": {"eye": [5, -5, 3], "target": [0, 0, 1], "angle": 35}}}
//
// A body is "free", "reduced" (with the fields of its model file), "rigid", or "skinned", with
// the control points of its model file or with some spread through the mesh. With "dynamics" it
// falls. Bodies meet if each one's group has a bit of the other one's mask and not both are
// "static". Files are looked for beside the scene file. A spin's degrees and hertz are those of
// a second.
#ifndef SHL_CLI_SCENE_FILE_FILE_H
#define SHL_CLI_SCENE_FILE_FILE_H

#include "cli/scene_file/json_value.h"
#include "cli/scene_file/outputs.h"
#include "scenes/file/own.h"

#include <shoal/io.h>

typedef struct shl_scene_file {
    char name[64]; // its own, or that of the file without .json
    bool built_in; // then `id` and `params`, else `own`
    shl_scene_id id;
    shl_scene_params params; // of one's own bodies only steps and seed
    shl_own_def own;
    uint32_t queries; // 0: what the scene asks for by itself
    shl_scene_outputs outputs;
    json_t *json;    // as it is after -s
    uint64_t inputs; // hash of the mesh and model files
} shl_scene_file;

enum { SHL_SCENE_FILE_VERSION = 1 };

// Reads a scene file with settings "key=value", where a key is a way as "bodies.0.scale" or a
// parameter of the built-in scene. False: `error` says in one line what is wrong. Either way
// give it to shl_scene_file_finish().
bool shl_scene_file_read(const char *path, const char *const *settings, size_t count,
                         shl_scene_file *out, shoal_io_error *error);

// The same of a text. `path` is for messages, and tells where other files are.
bool shl_scene_file_parse(const char *path, const char *text, size_t size,
                          const char *const *settings, size_t count, shl_scene_file *out,
                          shoal_io_error *error);
void shl_scene_file_finish(shl_scene_file *file);

// A built-in scene as such a file; NULL: no memory.
json_t *shl_scene_file_of(shl_scene_id id, const shl_scene_params *params);

// The part of `bodies`; cli/scene_file/bodies.c. Files are read only if `load` is set.
bool shl_scene_bodies(const shl_json_value *bodies, uint64_t seed, shl_own_def *out,
                      uint64_t *inputs);

// The names of queries, [.. NULL], and their bits in the same order.
extern const char *const shl_query_names[];
extern const uint32_t shl_query_bits[];

#endif
