// SPDX-License-Identifier: MIT
// The slow truth about two triangles: exact for any finite doubles, thread-safe, no state.
#ifndef TESTS_ORACLE_TRI_ORACLE_H
#define TESTS_ORACLE_TRI_ORACLE_H

#include <stdbool.h>

// Do two closed triangles share a point? A triangle is the convex hull of its three corners
// (x y z each), so one that is a segment or a point still counts. Coordinates are finite.
bool oracle_tri_tri(const double a[9], const double b[9]);

// Do two triangles of one mesh meet beyond the vertices they share? Corner shared_a[i] of `a`
// is the same mesh vertex as corner shared_b[i] of `b`, for i < shared_count, 1 to 3.
// All sets are closed; the rules hold as they stand for degenerate triangles too.
//   1 shared   the edge of a triangle opposite the shared vertex meets the other triangle
//   2 shared   a = (v, w, p) and b = (v, w, q): p lies in b, or q in a, or segment vp meets
//              segment wq, or wp meets vq
//   3 shared   always
bool oracle_tri_tri_adjacent(const double a[9], const double b[9], int shared_count,
                             const int shared_a[3], const int shared_b[3]);

#endif
