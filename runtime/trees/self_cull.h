// SPDX-License-Identifier: MIT
// Finds where a rest shape is a sheet over a coordinate plane
// (layouts/models/self_cull.h).
#ifndef SHL_RUNTIME_TREES_SELF_CULL_H
#define SHL_RUNTIME_TREES_SELF_CULL_H

#include "layouts/models/self_cull.h"

// `rest`: [3 * vertex_count] in tree order, finite. A pure function of the input. On failure
// *out is empty. Errors: MEMORY, LIMIT (lists beyond 32 bits).
SHOAL_CHECK shoal_status shl_certificate_build(const shl_tree *tree, const double *rest,
                                               const shoal_allocator *allocator,
                                               shl_certificate *out);

// --- Shared by the parts of the builder. ---

#define SHL_NO_ROW UINT32_MAX

// Who meets whom in the mesh.
typedef struct shl_mesh_links {
    uint32_t triangle_count, vertex_count;
    uint32_t *leaf_of; // [triangle_count] node
    uint32_t *begin;   // [vertex_count + 1] into around
    uint32_t *around;  // [3 * triangle_count] triangles of a vertex
    uint32_t *across;  // [3 * triangle_count] triangle beyond the edge from corner k, or
                       // SHL_NO_ROW where there is none or more than one
} shl_mesh_links;

SHOAL_CHECK shoal_status shl_mesh_links_make(const shl_tree *tree,
                                             const shoal_allocator *allocator,
                                             shl_mesh_links *out);
void shl_mesh_links_finish(shl_mesh_links *links, const shoal_allocator *allocator);

#endif
