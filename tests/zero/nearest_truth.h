// SPDX-License-Identifier: MIT
// What is nearest, by brute force.
#ifndef TESTS_ZERO_NEAREST_TRUTH_H
#define TESTS_ZERO_NEAREST_TRUTH_H

#include "rules.h"

// Bodies as the truth sees them.
typedef struct shape {
    bool there; // takes part
    uint32_t number, triangle_count;
    const uint32_t *tri;
    const double *xyz;
} shape;

// What is wrong with the results of all queries of distances; NULL: nothing. Bodies stand by
// number. Deep: points and distances by the exact oracle, too. `who` NULL: all meet.
const char *nearest_fault(const shape *bodies, uint32_t count, double within,
                          const shoal_scene *scene, const rules *who, bool deep);

#endif
