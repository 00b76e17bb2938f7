// SPDX-License-Identifier: MIT
// Which file is the GPU module. Loading it executes its code, so neither the current directory
// nor a search path has a say.
#ifndef RUNTIME_GPU_MODULE_FILE_H
#define RUNTIME_GPU_MODULE_FILE_H

#include <stdbool.h>
#include <stddef.h>

// The module's absolute path: SHOAL_GPU_MODULE, or a file in a place that is fixed relative to
// the file this code was loaded from, and that only root, the caller and the owner of the
// latter can have written. False: `why` says why there is none.
bool shl_gpu_module_file(char *path, size_t size, char *why, size_t room);

#endif
