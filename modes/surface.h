// SPDX-License-Identifier: MIT
// Modes of the cubes as displacement fields of the mesh's vertices.
#ifndef SHL_MODES_SURFACE_H
#define SHL_MODES_SURFACE_H

#include "modes/solid.h"

// `*fields`, [modes->count][vertex_count][3], with the largest displacement 1, and `*masses`,
// [modes->count], what each mode weighs at that size. Give both to free(). Errors: MEMORY.
SHOAL_CHECK shoal_status shl_surface_fields(const shl_solid *solid, const shl_modes *modes,
                                            const shoal_mesh *mesh, float **fields,
                                            double **masses);

#endif
