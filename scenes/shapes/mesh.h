// SPDX-License-Identifier: MIT
// Procedural triangle meshes.
#ifndef SHL_SCENES_SHAPES_MESH_H
#define SHL_SCENES_SHAPES_MESH_H

#include <shoal/base.h>

// Shared vertices and the triangles over them. Give it to shl_surface_finish().
typedef struct shl_surface {
    double *xyz;         // [3 * vertex_count]
    uint32_t *triangles; // [3 * triangle_count] counter-clockwise from outside
    uint32_t vertex_count;
    uint32_t triangle_count;
} shl_surface;

enum { SHL_ICOSPHERE_MAX = 10 };

// An icosahedron on the unit sphere whose triangles were cut in four `k` times, 20 * 4^k in
// all. Vertices are numbered in order of first use, so equal k gives equal bytes everywhere.
// Errors: ARGUMENT (k above SHL_ICOSPHERE_MAX), MEMORY.
SHOAL_CHECK shoal_status shl_mesh_icosphere(uint32_t k, shl_surface *out);

void shl_surface_finish(shl_surface *surface);

#endif
