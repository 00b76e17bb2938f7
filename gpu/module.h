// SPDX-License-Identifier: MIT
// What the GPU module offers: one table of functions, reached through one exported name. The
// module is loaded at run time and knows nothing of the library; the library knows this header
// and no GL.
#ifndef SHL_GPU_MODULE_H
#define SHL_GPU_MODULE_H

#include <stdbool.h>
#include <stdint.h>

enum { SHL_GPU_ABI = 1 }; // moves with every change of this header
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
    void (*enter)(void *user); // called first in the GL thread, to bind it; may be NULL
    void *user;
} shl_gpu_def;

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
} shl_gpu_api;

typedef const shl_gpu_api *shl_gpu_module_fn(void);

#endif
