// SPDX-License-Identifier: MIT
/// First- and second-order discrete Voronoi diagrams of the bodies, for visualisation. Distance
/// queries do not need them.
#ifndef SHOAL_DIAGRAM_H
#define SHOAL_DIAGRAM_H

#include <shoal/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Cubic cells that fill a box.
typedef struct shoal_grid {
    double origin[3]; ///< the lowest corner of cell (0, 0, 0)
    double cell;      ///< side of a cell, above 0
    uint32_t cells[3];
} shoal_grid;

/// A grid around all bodies that took part in the last step, and a tenth of their longest
/// extent beyond them on every side. `resolution`, 1 to 4096, is the number of cells along the
/// longest side; a point gets cells of size 1. Positions that a body borrows are read anew.
/// Errors: ARGUMENT (out is NULL, resolution, no body took part, a step that has begun), LIMIT
/// (the bodies are farther apart than doubles go, or no longer finite). `*out` is zero on
/// failure.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_grid(const shoal_scene *scene,
                                                    uint32_t resolution, shoal_grid *out);

/// What is nearest to the centre of a cell: [0] of all bodies, [1] of all others. Bodies by
/// number; SHOAL_NONE and infinity if there is none. Of equal distances the lower number comes
/// first.
typedef struct shoal_diagram_cell {
    uint32_t body[2];
    float distance[2]; ///< to the body's triangles, in world units; infinite beyond float32
} shoal_diagram_cell;

/// Fill cells[z][y][x] for the bodies as they were in the last step. Distances are compared in
/// float64, and off by less than 2^-41 times the extent of grid and bodies before they are
/// rounded to float32. The grid may be anywhere and need not hold the bodies. Positions that a
/// body borrows are read anew. Takes 112 bytes per triangle and some per thread; the result
/// does not depend on the number of threads.
/// Errors: ARGUMENT (NULL, a grid without cells, not finite, a step that has begun), LIMIT
/// (2^32 cells, or a cell too small for where the bodies are, or they are no longer finite),
/// MEMORY; the contents of cells are then undefined.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_diagram(shoal_scene *scene,
                                                       const shoal_grid *grid,
                                                       shoal_diagram_cell *cells);

#ifdef __cplusplus
}
#endif

#endif
