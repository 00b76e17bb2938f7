// SPDX-License-Identifier: MIT
// What a report tells about where it was made: the machine, the build, the environment.
#ifndef SHL_CLI_RUN_MACHINE_H
#define SHL_CLI_RUN_MACHINE_H

#include "cli/run/engine.h"

extern const char shl_compiler[]; // "gcc 12.2.0"

// {"cpu", "packages", "numa_nodes", "cores", "cpus", "allowed_cpus", "cache_bytes"}
json_t *shl_machine_json(const shl_engine *engine);

// [{"cpu", "core", "numa"} or null] of each thread, after a step.
json_t *shl_bindings_json(const shl_engine *engine, uint32_t threads);

// All variables that steer OpenMP or shoal.
json_t *shl_environment_json(void);

// {"ready", "software", "device", "version", "driver", "reason"}; looks for the GPU.
json_t *shl_gpu_json(const shl_engine *engine);

// {"version", "commit", "compiler", "flags"}
json_t *shl_build_json(void);

// {name: body} of all kernels.
json_t *shl_kernels_json(const shl_engine *engine);

#endif
