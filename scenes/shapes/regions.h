// SPDX-License-Identifier: MIT
// Overlapping parts of a mesh, by distance along its edges: what bends as one piece.
#ifndef SHL_SCENES_SHAPES_REGIONS_H
#define SHL_SCENES_SHAPES_REGIONS_H

#include "scenes/shapes/mesh.h"

// Lists of vertices, one after another. Give it to shl_regions_finish().
typedef struct shl_regions {
    uint32_t count;
    uint32_t *begin;  // [count + 1] first entry of a region
    uint32_t *vertex; // [begin[count]]
} shl_regions;

// `count` regions around vertices that are far from each other, each reaching `overlap` times
// as far as would be needed to cover the mesh; with 1.5 neighbours share a good part. One
// region has all vertices. Errors: ARGUMENT (no region, overlap below 1), MEMORY.
SHOAL_CHECK shoal_status shl_regions_find(const shl_surface *surface, uint32_t count,
                                          double overlap, shl_regions *out);
void shl_regions_finish(shl_regions *regions);

#endif
