// SPDX-License-Identifier: MIT
// A surface that is put together piece by piece. A failure is remembered, so only the end needs
// to be checked.
#ifndef SHL_SCENES_SHAPES_GROW_H
#define SHL_SCENES_SHAPES_GROW_H

#include "scenes/shapes/mesh.h"

typedef struct shl_grow {
    double *xyz;
    uint32_t *corners;
    uint32_t vertices, vertex_capacity;
    uint32_t triangles, triangle_capacity;
    bool failed; // there was no memory
} shl_grow;

// Adds a vertex and returns its number.
uint32_t shl_grow_vertex(shl_grow *grow, const double p[3]);
void shl_grow_triangle(shl_grow *grow, uint32_t a, uint32_t b, uint32_t c);

// Two triangles, cut from a to c.
void shl_grow_quad(shl_grow *grow, uint32_t a, uint32_t b, uint32_t c, uint32_t d);

// The surface, which takes the arrays. Errors: MEMORY, also that of all calls before.
SHOAL_CHECK shoal_status shl_grow_end(shl_grow *grow, shl_surface *out);

#endif
