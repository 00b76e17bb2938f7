// SPDX-License-Identifier: MIT
// The models of B1, B5 and B6: folded plates with as many triangles and fields as those of
// James & Pai 2004 have, then stand-ins for the paper's own, a curtain, a chair and a bridge;
// and the binary tree that the paper's levels are counted in.
#ifndef BENCH_PAPERS_JAMES_PAI_PLATE_H
#define BENCH_PAPERS_JAMES_PAI_PLATE_H

#include "bench/papers/larsson/literal/literal.h"
#include "layouts/models/reduced.h"

enum { BENCH_PLATES = 6, BENCH_PLATE_FIELDS_MAX = 12 };

typedef struct bench_plate {
    const char *name;
    int side;    // the axis along which a ball is thrown at it,
    double ball; // and the ball's radius
    shl_surface mesh;
    float *fields;     // [field_count][vertex_count][3]
    literal_tree tree; // the library's binary one, down to one triangle a leaf
    shl_reduced model; // rest positions and fields only, vertices in the user's order
} bench_plate;

// One of: 12,008 triangles and 12 fields, 17,856 and 10, 240,092 and 10; curtain, chair,
// bridge. Errors: MEMORY.
SHOAL_CHECK shoal_status bench_plate_create(uint32_t which, bench_plate *out);
void bench_plate_finish(bench_plate *plate);

// Coordinates of a swaying plate at a time in [0, 1], the same again at 1: each of them swings
// with its order, and less the higher it is. The largest is `amplitude`.
void bench_plate_sway(const bench_plate *plate, double time, double amplitude, double *q);

// All vertices at q, in the user's order: [3 * vertex_count].
void bench_plate_deform(const bench_plate *plate, const double *q, double *xyz);

#endif
