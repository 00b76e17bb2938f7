// SPDX-License-Identifier: MIT
// A closed surface as cubes, each with the share of it that is inside.
#ifndef SHL_VOLUME_VOXELS_H
#define SHL_VOLUME_VOXELS_H

#include <shoal/io.h>

typedef struct shl_voxels {
    double lo[3], size; // of the first corner, of a cube
    uint32_t count[3];  // cubes along the axes
    float *share;       // [count[2]][count[1]][count[0]] 0 to 1
    uint32_t used;      // cubes with a share
    uint32_t dropped;   // cubes of small parts that hang nowhere, now empty
    double volume;      // of all that is used
    double thin;        // share of the volume in cubes that are less than half full
} shl_voxels;

// Why a mesh cannot be used, in one line.
typedef struct shl_volume_error {
    char text[256];
} shl_volume_error;

// Cubes of the given size; 0 chooses one that makes some thousands. Overlapping parts count
// once, whichever way round their triangles are. Errors: FORMAT (open, flat, or in several
// parts; `error` says which), LIMIT (too many cubes), MEMORY.
SHOAL_CHECK shoal_status shl_voxels_create(const shoal_mesh *mesh, double size, shl_voxels *out,
                                           shl_volume_error *error);
void shl_voxels_finish(shl_voxels *voxels);

static inline size_t shl_voxel_at(const shl_voxels *v, uint32_t x, uint32_t y, uint32_t z)
{
    return ((size_t)z * v->count[1] + y) * v->count[0] + x;
}

#endif
