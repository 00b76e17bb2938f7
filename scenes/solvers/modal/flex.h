// SPDX-License-Identifier: MIT
// What the dynamics need to know of a kind of flexible body: its mass and inertia, its modes,
// and where on it a point is.
#ifndef SHL_SCENES_SOLVERS_MODAL_FLEX_H
#define SHL_SCENES_SOLVERS_MODAL_FLEX_H

#include "scenes/shapes/nearest.h"
#include "scenes/solvers/modal/patches.h"

enum { SHL_FLEX_MODES_MAX = 16 };

// A mode's share of a motion, for q = 1.
typedef struct shl_mode {
    double mass;  // kinetic energy is mass / 2 times the square of q'
    double w;     // radians a second
    double reach; // the largest displacement of a vertex
} shl_mode;

enum { SHL_FLEX_EDGES = 8 }; // of each mode: those that it stretches most

typedef struct shl_flex {
    shl_surface rest; // its centre of mass is the origin
    float *fields;    // [vertex][mode_count][3]
    uint32_t mode_count;
    shl_mode modes[SHL_FLEX_MODES_MAX];
    bool fixed; // its frame never moves, only its modes do
    double mass, inertia[9];
    double inverse_mass, inverse_inertia[9]; // 0 if it is fixed
    double reach;                            // distance of the farthest vertex from the origin
    // how much each mode stretches some edges, relative to their lengths
    double strain[SHL_FLEX_MODES_MAX * SHL_FLEX_EDGES][SHL_FLEX_MODES_MAX];
    uint32_t edge_count;
    shl_nearest_table near;
    shl_patches patches;
} shl_flex;

// The share of each vertex in a surface's area, 1 in all: the mass of a sheet of even
// thickness. Give it to free(). Errors: MEMORY.
SHOAL_CHECK shoal_status shl_vertex_shares(const shl_surface *surface, double **out);

// Moves the centre of mass of `shares` to the origin.
void shl_centre(shl_surface *surface, const double *shares);

// Takes `rest`, also on failure, and copies `fields`, [mode_count][vertex][3]. Each mode rings
// at `hertz`. `shares` are those of the vertices in `mass`. Errors: ARGUMENT, MEMORY.
SHOAL_CHECK shoal_status shl_flex_create(shl_surface *rest, const double *shares, double mass,
                                         const float *fields, const double *hertz,
                                         uint32_t mode_count, shl_flex *out);

// The same for a body whose frame is fixed. Others meet it by its triangles, so it has no
// tables that tell where a point is, and what its modes stretch is not limited.
SHOAL_CHECK shoal_status shl_flex_create_fixed(shl_surface *rest, const double *shares,
                                               double mass, const float *fields,
                                               const double *hertz, uint32_t mode_count,
                                               shl_flex *out);
void shl_flex_finish(shl_flex *flex);

// A vertex of the deformed body, in its own frame.
void shl_flex_vertex(const shl_flex *flex, uint32_t vertex, const double *q, double out[3]);

// The largest stretch among the edges that modes stretch most.
double shl_flex_strain(const shl_flex *flex, const double *q);

#endif
