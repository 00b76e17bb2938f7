// SPDX-License-Identifier: MIT
// Float64 positions as float32 ones around an origin nearby, where these are precise.
#ifndef SHL_KERNELS_BOXES_TO_F32_H
#define SHL_KERNELS_BOXES_TO_F32_H

#include <stdint.h>

// out_i = x_i - origin_(i mod 3), rounded to float64, then to float32. Both roundings are
// monotone, and so is the whole along each axis.
//
//   reads    xyz[0, 3 count), origin[0, 3)
//   writes   out[0, 3 count)
//   equal    exact
//
// `count` is a multiple of 4.
typedef void shl_to_f32_fn(const double *xyz, uint32_t count, const double origin[3],
                           float *out);
shl_to_f32_fn shl_to_f32_ref, shl_to_f32_avx2;

#endif
