// SPDX-License-Identifier: MIT
// A GL context without window or display, from whatever driver there is.
#ifndef SHL_GPU_EGL_H
#define SHL_GPU_EGL_H

#include "gpu/module.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

typedef struct shl_egl {
    EGLDisplay display;
    EGLContext context;
} shl_egl;

// Tries hardware devices, software devices if allowed, then the surfaceless platform; on each
// GL 4.5 and 4.3, robust and plain. The context is current in this thread afterwards.
shl_gpu_status shl_egl_open(bool software, shl_egl *out, shl_gpu_about *about,
                            shl_gpu_line *why);

// Displays are shared with the rest of the process, so they are never terminated.
void shl_egl_close(shl_egl *egl);

// Writes the line and returns the status, so that a check is one statement.
__attribute__((format(printf, 3, 4))) shl_gpu_status
shl_gpu_fail(shl_gpu_line *why, shl_gpu_status status, const char *format, ...);

#endif
