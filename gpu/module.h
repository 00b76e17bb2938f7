// SPDX-License-Identifier: MIT
// What the GPU module offers: one table of functions, reached through one exported name. The
// module is loaded at run time and knows nothing of the library; the library knows this header
// and no GL.
#ifndef SHL_GPU_MODULE_H
#define SHL_GPU_MODULE_H

#include "kernels/voronoi/cell_tri.h"

#include <stdbool.h>
#include <stdint.h>

enum { SHL_GPU_ABI = 4 }; // moves with every change of this header
#define SHL_GPU_FILE "shoal-gpu.so"
#define SHL_GPU_ENTRY "shl_gpu_module"

typedef enum shl_gpu_status {
    SHL_GPU_OK = 0,
    SHL_GPU_ABSENT, // no EGL, no driver, GL too old, or a renderer that is not wanted
    SHL_GPU_LIMIT,  // the job is larger than the device allows
    SHL_GPU_MEMORY, // the host's or the device's
    SHL_GPU_BUSY,   // the ring is full: wait for a job first
    SHL_GPU_LATE,   // not done in time; the device is given up
    SHL_GPU_LOST,   // the device was reset or failed; the job has no result
} shl_gpu_status;

// Why a call failed: one line without newline.
typedef struct shl_gpu_line {
    char text[400];
} shl_gpu_line;

typedef struct shl_gpu_about {
    char device[128];  // "llvmpipe (LLVM 15.0.6, 256 bits)"
    char version[128]; // what GL says of itself, the driver's version included
    char vendor[64];
    char platform[16]; // "device" or "surfaceless"
    int gl_major, gl_minor;
    bool software, robust;
} shl_gpu_about;

typedef struct shl_gpu_def {
    bool software;             // software renderers will do
    uint32_t start_ms;         // longest time to start; 0: 30 s
    uint32_t job_ms;           // longest time of a job; 0: 10 s
    uint32_t picture_ms;       // longest time of a picture; 0: 5 minutes
    void (*enter)(void *user); // called first in the GL thread, to bind it; may be NULL
    void *user;
} shl_gpu_def;

// Bounds of distances, as runtime/queries/distance/bounds/voronoi.h promises them.
typedef struct shl_gpu_bounds {
    const shl_cell_tri *tris; // [count] copied by submit(); owners below UINT32_MAX
    uint32_t count;
    uint32_t cells[3];   // of the grid, which begins at 0
    float band, eps;     // cells
    uint64_t pair_limit; // the most (brick, triangle) pairs
    bool grid;           // the diagram is wanted too
    bool slices;         // only that, with `grid`: drawn slice by slice, without bounds
} shl_gpu_bounds;

// A cell of the diagram: distances from its centre to the two nearest owners within the band,
// infinite and UINT32_MAX where there is none. Cell (x, y, z) is (z * ny + y) * nx + x.
typedef struct shl_gpu_cell {
    float distance[2];
    uint32_t owner[2];
} shl_gpu_cell;

// When the GL thread worked on a job, nanoseconds of CLOCK_MONOTONIC.
typedef struct shl_gpu_span {
    uint64_t begin_ns, end_ns;
} shl_gpu_span;

// Instances of a mesh: vertex v of instance i is place_i (xyz_v + sum_j fields_vj q_ij).
typedef struct shl_gpu_instance {
    float place[3][4]; // rows of a rotation, or any other matrix, each with its shift
    float colour[4]; // red, green, blue from 0 to 1; the fourth is 1 for what shines by itself
} shl_gpu_instance;

typedef struct shl_gpu_draw {
    const float *xyz;          // [vertex_count][3]
    const uint32_t *triangles; // [triangle_count][3]
    const float *fields;       // [vertex_count][field_count][3]
    const shl_gpu_instance *instances;
    const float *q; // [instance_count][field_count]
    uint32_t vertex_count, triangle_count, field_count, instance_count;
} shl_gpu_draw;

typedef struct shl_gpu_picture {
    uint32_t width, height;
    float view[4][4];    // world to clip space, row by row
    float shadow[4][4];  // world to the light's clip space, in parallel
    float eye[3];        //
    float light[3];      // where the light comes from, of length 1
    float background[3]; // red, green, blue
    const shl_gpu_draw *draws;
    uint32_t draw_count;
} shl_gpu_picture;

// A device, its context, and the one thread that calls GL.
typedef struct shl_gpu shl_gpu;

typedef struct shl_gpu_api {
    uint32_t abi;  // SHL_GPU_ABI
    uint32_t size; // of this table

    // `*out` is NULL on failure.
    shl_gpu_status (*create)(const shl_gpu_def *def, shl_gpu **out, shl_gpu_line *why);
    // Jobs that were not waited for are dropped. A thread that hangs in a driver is left alone.
    void (*destroy)(shl_gpu *gpu);
    void (*about)(const shl_gpu *gpu, shl_gpu_about *out);

    // Queues a job and returns at once; every ticket must be collected. BUSY: four are queued.
    shl_gpu_status (*submit)(shl_gpu *gpu, const shl_gpu_bounds *job, uint64_t *ticket,
                             shl_gpu_line *why);
    // Would collect() return at once?
    bool (*done)(shl_gpu *gpu, uint64_t ticket);
    // Waits for the job, at most as long as jobs may take. upper[count] and, if asked for,
    // grid[cells] and span are written only with OK. After LATE, or LOST twice, no job is
    // taken. grid and span may be NULL.
    shl_gpu_status (*collect)(shl_gpu *gpu, uint64_t ticket, float *upper, shl_gpu_cell *grid,
                              shl_gpu_span *span, shl_gpu_line *why);

    // Draws a picture behind the jobs that are queued, and waits for it. rgb[height][width][3],
    // top row first, is written only with OK.
    shl_gpu_status (*paint)(shl_gpu *gpu, const shl_gpu_picture *picture, uint8_t *rgb,
                            shl_gpu_line *why);
} shl_gpu_api;

typedef const shl_gpu_api *shl_gpu_module_fn(void);

#endif
