// SPDX-License-Identifier: MIT
// Eigenvalues and vectors of a small symmetric matrix, with the same bits everywhere.
#ifndef SHL_SCENES_MATH_EIGEN_H
#define SHL_SCENES_MATH_EIGEN_H

#include <stdint.h>

// By cyclic rotations (Jacobi 1846) until nothing is left off the diagonal. `a` is [n][n] and
// is lost; `values` [n], descending; `vectors` [n][n], row i belongs to value i and has
// length 1.
void shl_eigen(double *a, uint32_t n, double *values, double *vectors);

#endif
