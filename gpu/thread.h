// SPDX-License-Identifier: MIT
// The bodies of the table's functions; gpu/module.h has their contracts.
#ifndef SHL_GPU_THREAD_H
#define SHL_GPU_THREAD_H

#include "gpu/module.h"

shl_gpu_status shl_gpu_create(const shl_gpu_def *def, shl_gpu **out, shl_gpu_line *why);
void shl_gpu_destroy(shl_gpu *gpu);
void shl_gpu_describe(const shl_gpu *gpu, shl_gpu_about *out);
shl_gpu_status shl_gpu_submit(shl_gpu *gpu, const shl_gpu_bounds *job, uint64_t *ticket,
                              shl_gpu_line *why);
bool shl_gpu_done(shl_gpu *gpu, uint64_t ticket);
shl_gpu_status shl_gpu_collect(shl_gpu *gpu, uint64_t ticket, float *upper, shl_gpu_cell *grid,
                               shl_gpu_line *why);
shl_gpu_status shl_gpu_paint(shl_gpu *gpu, const shl_gpu_picture *picture, uint8_t *rgb,
                             shl_gpu_line *why);

#endif
