// SPDX-License-Identifier: MIT
// The chairs of B3, and whether contacts are all there.
#ifndef BENCH_PAPERS_JAMES_PAI_B3_H
#define BENCH_PAPERS_JAMES_PAI_B3_H

#include "scenes/plays/actors.h"

enum { BENCH_PILE_CHAIRS = 3601, BENCH_PILE_LEVEL = 10 };

typedef struct bench_pile {
    double **states; // of recorded steps: columns as shl_actors_state() tells them
    uint32_t count;
} bench_pile;

typedef struct bench_missed {
    uint64_t near_pairs; // body pairs whose spheres around all contact spheres meet
    uint64_t looked_at;  // of those
    uint64_t contacts;   // that these have
    uint64_t wrong;      // which are not listed, or listed and none
} bench_missed;

// All bodies against all by one sphere each; then, for a thousand of the pairs that meet, drawn
// with `seed`, all contact spheres against all. Adds to `out`. Errors: MEMORY.
SHOAL_CHECK shoal_status bench_pile_check(const shoal_model *model, const double *state,
                                          const shoal_sphere_contact *found, size_t count,
                                          uint64_t seed, bench_missed *out);

#endif
