// SPDX-License-Identifier: MIT
#include "kernels/boxes/displacement.h"

#include "kernels/boxes/displacement_bound.h"

double shl_displacement_f32_ref(const void *now, const void *then, uint32_t begin, uint32_t end)
{
    const float *p = now, *q = then;
    float most = 0;
    bool finite = true;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; i++) {
        const float d = fabsf(p[i] - q[i]);
        most = d > most ? d : most;
        finite = finite && isfinite(d);
    }
    return shl_displacement_bound_f32(most, finite);
}

double shl_displacement_f64_ref(const void *now, const void *then, uint32_t begin, uint32_t end)
{
    const double *p = now, *q = then;
    double most = 0;
    bool finite = true;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; i++) {
        const double d = fabs(p[i] - q[i]);
        most = d > most ? d : most;
        finite = finite && isfinite(d);
    }
    return shl_displacement_bound_f64(most, finite);
}
