// SPDX-License-Identifier: MIT
// Which vertex of a rest shape is near a point, by one look into a table.
#ifndef SHL_SCENES_SHAPES_NEAREST_H
#define SHL_SCENES_SHAPES_NEAREST_H

#include "scenes/shapes/mesh.h"

typedef struct shl_near_table {
    double lo[3], cell;
    int32_t size[3];
    uint32_t *vertex; // [size[2]][size[1]][size[0]]
} shl_near_table;

// Cells of the width `cell`, and `margin` around the shape; beyond it the outermost cells
// answer. Within a few cells of the surface the answer is off by about a cell. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_near_create(const shl_surface *rest, double cell, double margin,
                                         shl_near_table *out);
void shl_near_finish(shl_near_table *table);

uint32_t shl_near_vertex(const shl_near_table *table, const double point[3]);

#endif
