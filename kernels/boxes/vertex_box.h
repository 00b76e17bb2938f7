// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_BOXES_VERTEX_BOX_H
#define SHL_KERNELS_BOXES_VERTEX_BOX_H

#include "layouts/tree.h"

// Box of the vertices [begin, end) and of the listed ones, rounded outwards to float32.
//
//   reads    xyz[3 * begin, 3 * end), xyz of the listed rows; nothing past the last scalar
//   writes   *out
//   returns  false if any coordinate read is NaN or infinite; *out is then unspecified
//   equal    exact for finite input: the same bits, zeros always +0
//   cost     one load, one min and one max a coordinate; bound by memory for long ranges
//
// `count` is a multiple of 4, and the list ascends. Range and list may each be empty; if both
// are, the box is empty.
typedef bool shl_vertex_box_fn(const void *xyz, uint32_t begin, uint32_t end,
                               const uint32_t *list, uint32_t count, shl_box *out);
shl_vertex_box_fn shl_vertex_box_f32_ref, shl_vertex_box_f32_avx2;
shl_vertex_box_fn shl_vertex_box_f64_ref, shl_vertex_box_f64_avx2;

#endif
