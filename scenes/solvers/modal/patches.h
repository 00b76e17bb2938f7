// SPDX-License-Identifier: MIT
// Patches of a reduced body with spheres that hold for any q, to find what is below a plane
// without looking at every vertex.
#ifndef SHL_SCENES_SOLVERS_MODAL_PATCHES_H
#define SHL_SCENES_SOLVERS_MODAL_PATCHES_H

#include "scenes/shapes/mesh.h"

typedef struct shl_patch {
    uint32_t begin, end; // vertices: rows of `order`
    double centre[3], radius;
} shl_patch;

typedef struct shl_patches {
    uint32_t *order; // [vertex_count]
    shl_patch *rows; // [count]
    double *move;    // [count][fields][3] how the centre moves
    double *grow;    // [count][fields] and the radius grows, for q = 1
    uint32_t count;
    uint32_t fields;
} shl_patches;

// `fields` is [vertex][field_count][3]. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_patches_create(const shl_surface *rest, const float *fields,
                                            uint32_t field_count, shl_patches *out);
void shl_patches_finish(shl_patches *patches);

// The height over a plane with unit normal `up`, in the body's own frame, that no vertex of the
// patch is below; heights are measured from the origin.
double shl_patch_lowest(const shl_patches *patches, uint32_t patch, const double up[3],
                        const double *q);

#endif
