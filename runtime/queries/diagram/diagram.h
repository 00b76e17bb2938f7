// SPDX-License-Identifier: MIT
// First- and second-order discrete Voronoi diagrams of bodies on a whole grid.
//
// A cube of cells is cut into eight again and again, and each keeps only the triangles that may
// be nearest somewhere in it. Let a triangle be between l and h from the centre of a cube's
// samples, which are at most R from it. Then it is between l - R and h + R from every sample.
// Let b be the least h of a body, and c the second least b of all bodies. From every sample
// some two bodies are at most c + R away, and each body at most b + R; so a triangle with l > b
// + 2 R or l > c + 2 R is nobody's nearest. Rounding moves each of these by less than `slack`
// / 8. l and h are the distance, or, where a triangle is small beside the cube, come from the
// ball around its middle.
#ifndef SHL_RUNTIME_QUERIES_DIAGRAM_DIAGRAM_H
#define SHL_RUNTIME_QUERIES_DIAGRAM_DIAGRAM_H

#include "layouts/memory.h"

#include <shoal/diagram.h>

// In cells from the grid's origin.
typedef struct shl_diagram_tri {
    double corners[9];
    double middle[3]; // some point of it
    double radius;    // of a ball around that with all of it
    uint32_t body;
} shl_diagram_tri;

enum { SHL_DIAGRAM_TILE = 32 }; // cells along a cube that one thread fills

typedef struct shl_diagram {
    const shl_diagram_tri *tris; // [count] by body
    uint32_t count;
    uint32_t cells[3];
    double cell;  // side of one, world units
    double slack; // cells
    const shoal_allocator *allocator;
    shoal_diagram_cell *out;
} shl_diagram;

// A thread's own; all zero is valid.
typedef struct shl_diagram_worker {
    shl_array list;  // uint32_t, candidates of a cube, behind those of the cube around it
    shl_array near;  // interval, how far candidates are
    shl_array faces; // shl_face, of the candidates of a cube that is not cut further
} shl_diagram_worker;

// How many tiles there are.
uint32_t shl_diagram_tiles(const shl_diagram *d);

// Fills one of them.  Errors: MEMORY.
SHOAL_CHECK shoal_status shl_diagram_fill(const shl_diagram *d, uint32_t tile,
                                          shl_diagram_worker *worker);
void shl_diagram_worker_finish(const shl_diagram *d, shl_diagram_worker *worker);

#endif
