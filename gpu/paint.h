// SPDX-License-Identifier: MIT
// Pictures: instances of meshes, bent in the vertex shader, under one light with shadows.
#ifndef SHL_GPU_PAINT_H
#define SHL_GPU_PAINT_H

#include "gpu/work.h"

// rgb[height][width][3], top row first. Everything it makes on the device is gone afterwards.
shl_gpu_status shl_paint(shl_work *work, const shl_gpu_picture *picture, uint8_t *rgb,
                         shl_gpu_line *why);

#endif
