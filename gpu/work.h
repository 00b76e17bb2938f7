// SPDX-License-Identifier: MIT
// What the GL thread does with its context: programs, buffers, one job at a time.
#ifndef SHL_GPU_WORK_H
#define SHL_GPU_WORK_H

#include "gpu/egl.h"

#include <stdatomic.h>

enum { SHL_PASS_BIN, SHL_PASS_ALLOCATE, SHL_PASS_FILL, SHL_PASS_FUSED, SHL_PASSES };

// Storage buffers by their binding in shaders/common.glsl, then the triangles' texture buffer.
enum {
    SHL_BUFFER_BRICKS,
    SHL_BUFFER_HEAD,
    SHL_BUFFER_ACTIVE,
    SHL_BUFFER_LISTS,
    SHL_BUFFER_LEAST,
    SHL_BUFFER_GRID,
    SHL_BUFFER_TRIS,
    SHL_BUFFERS,
};

typedef struct shl_work {
    GLuint program[SHL_PASSES];
    GLuint painter; // the program of pictures; 0 before the first
    GLuint slicer;  // that of slices, likewise
    GLuint buffer[SHL_BUFFERS];
    uint64_t bytes[SHL_BUFFERS];
    GLuint texture; // the triangles, as the shaders read them
    uint64_t storage_max, texels_max;
    bool tells_resets;
    const atomic_bool *stop; // nobody wants the results any more
    uint64_t until_ns;       // when the present job is late
} shl_work;

// Compiles the programs and asks for limits.
shl_gpu_status shl_work_init(shl_work *work, bool robust, shl_gpu_line *why);
void shl_work_finish(shl_work *work);

// A stage of a program: its text in parts, up to three.
typedef struct shl_stage {
    GLenum kind;
    const char *const *text[3];
} shl_stage;

// Compiles and links. ABSENT if the driver does not want to; `*out` is 0 then.
shl_gpu_status shl_work_program(const char *name, const shl_stage *stages, int count,
                                GLuint *out, shl_gpu_line *why);

// Makes buffers large enough; checks limits before and errors after.
shl_gpu_status shl_work_reserve(shl_work *work, int buffer, uint64_t bytes, shl_gpu_line *why);

// The job's triangles, in the texture that shaders read them from.
shl_gpu_status shl_work_triangles(shl_work *work, const shl_gpu_bounds *job, shl_gpu_line *why);

// Waits for everything so far, but not beyond until_ns; then whether the device still lives.
shl_gpu_status shl_work_wait(shl_work *work, shl_gpu_line *why);

// Whether the present job should go on: LATE, or LOST if nobody wants it.
shl_gpu_status shl_work_alive(const shl_work *work, shl_gpu_line *why);

// upper[job->count]; grid[all cells] if job->grid.
shl_gpu_status shl_work_bounds(shl_work *work, const shl_gpu_bounds *job, float *upper,
                               shl_gpu_cell *grid, shl_gpu_line *why);

// The grid alone, slice by slice (gpu/slices.c); no bounds, all of upper is infinite.
shl_gpu_status shl_work_slices(shl_work *work, const shl_gpu_bounds *job, float *upper,
                               shl_gpu_cell *grid, shl_gpu_line *why);

uint64_t shl_gpu_now_ns(void);

#endif
