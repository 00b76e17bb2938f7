// SPDX-License-Identifier: MIT
// Families of triangle pairs by shape, near the origin and of ordinary size; for tri_cases.c.
#ifndef TESTS_ORACLE_TRI_SHAPES_H
#define TESTS_ORACLE_TRI_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tri_source {
    uint64_t state;
} tri_source;

uint64_t tri_bits(tri_source *s);
int tri_between(tri_source *s, int lo, int hi); // both ends included
bool tri_chance(tri_source *s, int percent);
double tri_unit(tri_source *s);                           // in [-1, 1), 53 bits
double tri_sized(tri_source *s, int lowest, int highest); // tri_unit times 2^lowest..highest

typedef void tri_family_fn(tri_source *s, double a[9], double b[9]);

typedef struct tri_family {
    const char *name;
    tri_family_fn *make;
} tri_family;

enum { TRI_SHAPE_FAMILIES = 21 };
extern const tri_family tri_shape_families[TRI_SHAPE_FAMILIES];

// A pair of one of the families that touch or nearly do.
tri_family_fn tri_coincidence;

// Move `count` random coordinates of t to a neighbouring double.
void tri_nudge(tri_source *s, double t[9], int count);

#endif
