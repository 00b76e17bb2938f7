// SPDX-License-Identifier: MIT
// The distance of two triangles in double precision, slow and plain.
#ifndef SHL_TESTS_TRI_DISTANCE_H
#define SHL_TESTS_TRI_DISTANCE_H

// Good to about 1e-12 of the largest coordinate; degenerate triangles are segments or points.
double oracle_tri_distance(const double s[9], const double t[9]);

#endif
