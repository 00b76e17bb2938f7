// SPDX-License-Identifier: MIT
// Small worlds made to break things: bodies, their positions in a few steps, and the truth.
#ifndef TESTS_ZERO_WORLDS_H
#define TESTS_ZERO_WORLDS_H

#include "tests/oracle/mesh_oracle.h"

#include <shoal/shoal.h>

enum { WORLD_BODIES = 80, WORLD_STEPS = 4 };

// What is true of one step.
typedef struct truth {
    oracle_pair *pairs; // between bodies
    size_t pair_count;
    oracle_pair *self[2]; // within bodies, without and with pairs that share vertices
    size_t self_count[2];
    size_t bad_count; // bodies that are nowhere
} truth;

typedef struct world_mesh {
    uint32_t vertex_count, triangle_count;
    uint32_t *tri; // [3 triangle_count]
    double *rest;  // [3 vertex_count]
} world_mesh;

// A body that the library may be given as reduced: fields, and a state for each step.
typedef struct world_reduced {
    bool used;
    uint32_t field_count;
    float *fields;              // [field_count][vertex_count][3]
    double *state[WORLD_STEPS]; // rotation row by row, translation, q
} world_reduced;

// A body that the library may be given as one that nodes carry: nodes, weights, and a state for
// each step.
typedef struct world_skinned {
    bool used, affine;
    uint32_t node_count;
    double *nodes;
    uint32_t *weight_begin, *weight_control;
    float *weight;
    size_t weight_count;
    double *state[WORLD_STEPS]; // [12][node_count] J or A row by row, u or t
} world_skinned;

// Positions come from + - * / and sqrt of integers only, so every compiler makes the same bits.
typedef struct world {
    const char *name;
    bool floats; // all positions are floats
    uint32_t body_count, step_count;
    world_mesh mesh[WORLD_BODIES];
    double *xyz[WORLD_STEPS][WORLD_BODIES]; // [3 vertex_count] in the user's order
    world_reduced reduced[WORLD_BODIES];    // xyz are the positions it gives
    world_skinned skinned[WORLD_BODIES];    // the same
    truth truth[WORLD_STEPS];
} world;

uint32_t world_kinds(void);
const char *world_name(uint32_t kind);

// The same world every time; aborts without memory. Truth is left to world_find_truth().
world *world_make(uint32_t kind);
void world_find_truth(world *w);
void world_free(world *w);

// In worlds_reduced.c.
void world_reduced_mixed(world *w), world_reduced_far(world *w),
    world_reduced_swollen(world *w), world_reduced_huge(world *w),
    world_reduced_lattice(world *w);

// The rotation of a quaternion of random length.
void world_turn(uint64_t *seed, double out[9]);

// In worlds_skinned.c.
void world_skinned_mixed(world *w), world_skinned_far(world *w), world_skinned_wild(world *w),
    world_skinned_huge(world *w), world_skinned_lattice(world *w);

// --- Building blocks, for tests that want a single mesh. ---

// The nearest float. Volatile, since gcc 12 loses the rounding of (double)(float)x when it
// vectorizes a few of them in a row.
static inline double world_float(double x)
{
    const volatile float f = (float)x;
    return f;
}

uint64_t world_random(uint64_t *state);
double world_unit(uint64_t *state); // in [-1, 1), 24 bits

// A ball of 20 * 4^level triangles with bumps; floats.
world_mesh mesh_ball(int level, uint64_t seed);
// Triangles without common vertices, corners within `size` of their centre in [-1, 1]^3.
world_mesh mesh_soup(uint32_t triangles, double size, uint64_t seed);
// Triangles between random points of {0..side-1}^3; corners may coincide.
world_mesh mesh_lattice(uint32_t triangles, uint32_t vertices, int side, uint64_t seed);
void mesh_free(world_mesh *mesh);

#endif
