// SPDX-License-Identifier: MIT
// A second truth about two closed triangles, by another method, to check the oracle with.
#ifndef TESTS_ORACLE_TRI_DUAL_H
#define TESTS_ORACLE_TRI_DUAL_H

#include <stdbool.h>

// Same contract as oracle_tri_tri, many times slower.
bool dual_tri_tri(const double a[9], const double b[9]);

#endif
