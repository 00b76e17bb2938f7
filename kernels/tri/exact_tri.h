// SPDX-License-Identifier: MIT
// Do two closed triangles share a point? Decided with exact signs only, for any finite doubles.
#ifndef SHL_KERNELS_TRI_EXACT_TRI_H
#define SHL_KERNELS_TRI_EXACT_TRI_H

#include <stdbool.h>
#include <stdint.h>

// True when the closed triangles a and b, three xyz corners each, share a point. A triangle
// without area is the segment or point its corners span.
bool shl_exact_tri_tri(const double a[9], const double b[9]);

// The same question for two triangles of one mesh with common vertices, which touch anyway:
// true when they meet beyond that. Corner shared_a[i] of a is corner shared_b[i] of b.
//
//   1 shared   a's edge opposite the shared vertex meets triangle b, or b's meets a
//   2 shared   with a = (v, w, p) and b = (v, w, q): p lies in b, or q in a,
//              or segment vp meets wq, or segment wp meets vq
//   3 shared   always
//
// All triangles and segments are closed and may be degenerate.
bool shl_exact_tri_adjacent(const double a[9], const double b[9], uint32_t shared_count,
                            const uint8_t shared_a[3], const uint8_t shared_b[3]);

#endif
