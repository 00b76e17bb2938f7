// SPDX-License-Identifier: MIT
// Displacement fields for tests of reduced bodies.
#ifndef TESTS_UNIT_COMMON_FIELDS_H
#define TESTS_UNIT_COMMON_FIELDS_H

#include "worlds.h"

#include <math.h>
#include <string.h>

typedef void field_fn(const double p[3], uint32_t field, uint64_t *seed, double out[3]);

static inline void smooth(const double p[3], uint32_t field, uint64_t *seed, double out[3])
{
    (void)seed;
    const double a = 1 + field % 5, x = p[field % 3], y = p[(field + 1) % 3];
    out[0] = sin(a * x + field);
    out[1] = cos(a * y) * x;
    out[2] = sin(a * (x + y) + 2 * field);
}

static inline void noise(const double p[3], uint32_t field, uint64_t *seed, double out[3])
{
    (void)p;
    for (int k = 0; k < 3; k++)
        out[k] = world_unit(seed) * (field % 4 == 3 ? 1e-20 : 1);
}

static inline void shift(const double p[3], uint32_t field, uint64_t *seed, double out[3])
{
    (void)p;
    (void)seed;
    for (uint32_t k = 0; k < 3; k++)
        out[k] = k == field % 3;
}

static inline void scale(const double p[3], uint32_t field, uint64_t *seed, double out[3])
{
    (void)field;
    (void)seed;
    memcpy(out, p, 3 * sizeof *out);
}

#endif
