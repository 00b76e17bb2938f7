// SPDX-License-Identifier: MIT
// A picture with everything it points to in one piece of memory: the GL thread may still read
// it when the caller has given up and gone.
#ifndef SHL_GPU_PICTURE_COPY_H
#define SHL_GPU_PICTURE_COPY_H

#include "gpu/module.h"

#include <stddef.h>

// NULL: no memory, or a size that no memory has. Give it to free().
shl_gpu_picture *shl_picture_copy(const shl_gpu_picture *picture);

// Bytes of the columns of a draw, in the order of shl_gpu_draw.
enum { SHL_DRAW_COLUMNS = 5 };
void shl_draw_bytes(const shl_gpu_draw *draw, uint64_t bytes[SHL_DRAW_COLUMNS]);

#endif
