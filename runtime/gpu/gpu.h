// SPDX-License-Identifier: MIT
// The library's side of the GPU module: finds it, loads it once a context, remembers why not.
#ifndef SHL_RUNTIME_GPU_GPU_H
#define SHL_RUNTIME_GPU_GPU_H

#include "gpu/module.h"
#include "runtime/place/place.h"

#include <pthread.h>
#include <shoal/context.h>
#include <sys/types.h>

typedef struct shl_gpu_link {
    pthread_mutex_t lock;
    bool tried;             // what follows is final
    bool forced;            // SHOAL_GPU=force
    bool required;          // failures are told, not mended
    uint32_t job_ms;        // longest time of a job; 0: as the module sees fit
    bool paints;            // only draws pictures, so software will do
    const shl_gpu_api *api; // NULL: no module
    shl_gpu *gpu;           // NULL: no device
    pid_t process;          // whose GL thread it has
    const shl_place *place; // the GL thread may run wherever the process may
    shoal_gpu_info info;
} shl_gpu_link;

// Reads SHOAL_GPU. False: it says something else than off or force.
bool shl_gpu_link_init(shl_gpu_link *link, shoal_gpu wanted, const shl_place *place);
void shl_gpu_link_finish(shl_gpu_link *link);

// Loads and starts on the first call. NULL: there is none, and link->info.reason says why. In a
// child made by fork() there is none: the GL thread is the parent's.
// Thread: any.
shl_gpu *shl_gpu_open(shl_gpu_link *link);

#endif
