// SPDX-License-Identifier: MIT
// Small scenes that are hard for bounds from a grid, and their true distances.
#ifndef SHL_TESTS_BOUND_SCENES_H
#define SHL_TESTS_BOUND_SCENES_H

#include "runtime/queries/distance/bounds/voronoi.h"

enum { BOUND_TRIS = 160 };

typedef enum bound_kind {
    BOUND_RANDOM,
    BOUND_SHARED_CELLS, // several owners in each cell
    BOUND_SLIVERS,
    BOUND_SPECKS,    // bodies far smaller than a cell, points and segments too
    BOUND_CONTACT,   // exact contact and crossings
    BOUND_EDGE,      // distances at the edge of what the band reaches
    BOUND_TETS,      // bodies of four triangles
    BOUND_SELF_CULL, // wavy surfaces close to each other
    BOUND_FLOOR,     // two triangles as large as the scene below small ones
    BOUND_KINDS,
} bound_kind;

typedef struct bound_scene {
    bound_kind kind;
    shl_voronoi_def def; // of the cells below
    uint32_t count;
    double corners[BOUND_TRIS][9]; // world
    double origin[3], cell;
    shl_cell_tri cells[BOUND_TRIS];
    double distance[BOUND_TRIS]; // cells; infinite without another owner
} bound_scene;

// Scene `seed` of its kind, with its distances. About 1 ms.
void bound_scene_make(bound_kind kind, uint64_t seed, bound_scene *out);

typedef struct bound_tally {
    uint64_t tris, bounded, wrong;
    double worst_excess; // largest U - distance
    double sum_excess;
} bound_tally;

// Holds a result against the truth; prints the first few that are wrong.
void bound_scene_judge(const bound_scene *scene, uint64_t seed, const float *upper,
                       bound_tally *tally);

#endif
