// SPDX-License-Identifier: MIT
// The slow truth about the distance of two triangles: exact for any finite doubles.
#ifndef TESTS_ORACLE_TRI_FAR_H
#define TESTS_ORACLE_TRI_FAR_H

#include <stdbool.h>

// Is `distance` within `error` of the true distance of two closed triangles, each the convex
// hull of its corners (x y z each)? An infinite distance stands for any beyond DBL_MAX.
bool oracle_distance_is(const double a[9], const double b[9], double distance, double error);

// The true distance, rounded down; infinite beyond DBL_MAX.
double oracle_distance(const double a[9], const double b[9]);

#endif
