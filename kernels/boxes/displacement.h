// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_BOXES_DISPLACEMENT_H
#define SHL_KERNELS_BOXES_DISPLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A bound on how far the vertices [begin, end) moved along any axis since `then`.
//
//   reads    now[3 * begin, 3 * end), then[3 * begin, 3 * end)
//   returns  a number no coordinate's |now - then| exceeds, at most one unit of the last place
//            of the input's precision above the largest; 0 if nothing moved; +inf if any
//            difference is NaN or infinite
//   equal    exact
//   cost     two loads, a subtraction and a maximum a coordinate; bound by memory
typedef double shl_displacement_fn(const void *now, const void *then, uint32_t begin,
                                   uint32_t end);
shl_displacement_fn shl_displacement_f32_ref, shl_displacement_f32_avx2;
shl_displacement_fn shl_displacement_f64_ref, shl_displacement_f64_avx2;

#endif
