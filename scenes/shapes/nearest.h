// SPDX-License-Identifier: MIT
// Which vertex of a rest shape is near a point, by one look into a table.
#ifndef SHL_SCENES_SHAPES_NEAREST_H
#define SHL_SCENES_SHAPES_NEAREST_H

#include "scenes/shapes/mesh.h"

typedef struct shl_nearest_table {
    double lo[3], cell;
    int32_t size[3];
    uint32_t *vertex; // [size[2]][size[1]][size[0]]
} shl_nearest_table;

// Cells of the width `cell`, and `margin` around the shape; beyond it the outermost cells
// answer. Within a few cells of the surface the answer is off by about a cell. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_nearest_create(const shl_surface *rest, double cell, double margin,
                                            shl_nearest_table *out);
void shl_nearest_finish(shl_nearest_table *table);

uint32_t shl_nearest_vertex(const shl_nearest_table *table, const double point[3]);

#endif
