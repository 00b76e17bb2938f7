// SPDX-License-Identifier: MIT
// From the largest computed difference to a bound on the true ones. Shared by all bodies of
// the motion kernels.
#ifndef SHL_KERNELS_BOXES_DISPLACEMENT_BOUND_H
#define SHL_KERNELS_BOXES_DISPLACEMENT_BOUND_H

#include <math.h>
#include <stdbool.h>

// A difference is rounded to the nearest, so the true one is below the next number. Only equal
// numbers have the difference 0.
static inline double shl_displacement_bound_f32(float most, bool finite)
{
    if (!finite)
        return INFINITY;
    return most == 0 ? 0 : (double)nextafterf(most, INFINITY);
}

static inline double shl_displacement_bound_f64(double most, bool finite)
{
    if (!finite)
        return INFINITY;
    return most == 0 ? 0 : nextafter(most, INFINITY);
}

#endif
