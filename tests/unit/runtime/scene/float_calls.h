// SPDX-License-Identifier: MIT
// Every public function, called in the environment of a host (test_float_api.c).
#ifndef TESTS_UNIT_RUNTIME_SCENE_FLOAT_CALLS_H
#define TESTS_UNIT_RUNTIME_SCENE_FLOAT_CALLS_H

#include "host_env.h"

#include <shoal/model_file.h>
#include <shoal/picture.h>
#include <shoal/shoal.h>
#include <shoal/study.h>

// Denormal, of float64 and of float32, then normal, then large for each kind of body.
enum { SCALES = 5, BODIES = 7, PATH_ROOM = 400 };
extern const double float_scales[SCALES];

typedef enum body_row {
    POINTS,
    REDUCED,
    TOUCHES_POINTS,
    TOUCHES_REDUCED,
    BEHIND,
    F32_A,
    F32_B
} body_row;

// What the rows share, from the first to the last of one pass through the table.
typedef struct float_host {
    int env;
    const char *row; // name of the function
    bool called;     // by the row
    int faults;
    uint64_t digest; // of what the row's calls gave
    char folder[PATH_ROOM];

    shoal_context *ctx;
    shoal_model *models[SCALES];
    shoal_scene *scenes[SCALES];
    shoal_body bodies[SCALES][BODIES]; // index1 is 0: the scene has none
    shoal_grid grids[SCALES];
    shoal_mesh meshes[2];
    shoal_model_file file;
} float_host;

typedef struct float_row {
    const char *name;
    void (*run)(float_host *h);
} float_row;

extern const float_row float_base_rows[], float_scene_rows[], float_step_rows[],
    float_filter_rows[], float_file_rows[], float_end_rows[]; // each ended by {0}

void float_enter(float_host *h);
void float_leave(float_host *h, const char *call); // in the default environment again
void float_add(float_host *h, const void *bytes, size_t size);
void float_fault(float_host *h, const char *text);

// One call as the host makes it. All else is done in the default environment.
#define HOST(call)                                                                             \
    do {                                                                                       \
        float_enter(h);                                                                        \
        call;                                                                                  \
        float_leave(h, #call);                                                                 \
    } while (0)

// The same for a call whose value counts.
#define HOST_ADD(type, call)                                                                   \
    do {                                                                                       \
        type value_;                                                                           \
        HOST(value_ = call);                                                                   \
        float_add(h, &value_, sizeof value_);                                                  \
    } while (0)

#define HOST_STATUS(call) HOST_ADD(shoal_status, call)

// A tetrahedron of each scale with two nodes, one field and contact spheres.
enum { VERTICES = 4, NODES = 2, WEIGHTS = 6 };
typedef struct float_shape {
    double rest[3 * VERTICES], nodes[3 * NODES];
    float fields[3 * VERTICES], weight[WEIGHTS];
    uint32_t weight_begin[VERTICES + 1], weight_control[WEIGHTS];
    shoal_skinned_def skinned;
    shoal_model_def def;
} float_shape;
void float_shape_make(float_shape *shape, int scale);

// Numbers of a state at a scale, and where the vertices then are.
typedef struct float_state {
    double u[3 * NODES], J[9 * NODES], points[3 * VERTICES];
    double rotation[9], translation[3], q[1], reduced[3 * VERTICES];
} float_state;
void float_state_make(float_state *state, const float_shape *shape, int scale);

// A tetrahedron whose first vertex is the one of `xyz` with the largest x, and that is beyond
// it: both share this point and nothing else.
void float_touch(const double *xyz, double size, double out[3 * VERTICES]);

static inline bool float_is_lazy(int scale) // bodies with nodes, and reduced ones
{
    return float_scales[scale] < 1e30;
}

#endif
