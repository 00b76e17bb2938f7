// SPDX-License-Identifier: MIT
// All vertices of bodies that took part in the last step, one body after the other.
#ifndef SHL_RUNTIME_SCENE_VERTICES_H
#define SHL_RUNTIME_SCENE_VERTICES_H

#include "runtime/scene/ports.h"

// Begins with only `scene` set.
typedef struct shl_vertices {
    const shoal_scene *scene;
    uint32_t next;        // body to look at
    uint32_t body;        // this one's number
    const shl_tree *tree; // and tree; NULL: there are no more
    const double *xyz;    // [3 * vertex_count] tree order
    shl_array memory;
} shl_vertices;

// The next body. When there is none, or on failure, the memory is given back. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_vertices_next(shl_vertices *vertices);
void shl_vertices_finish(shl_vertices *vertices);

// The same for one body that took part.
SHOAL_CHECK shoal_status shl_vertices_of(shl_vertices *vertices, uint32_t body);

#endif
