// SPDX-License-Identifier: MIT
// Clouds of small patches that three vortices stir in turn, so that neighbours at rest soon
// have nothing to do with each other: a tree built at rest decays.
#ifndef SHL_SCENES_PLAYS_TANGLE_H
#define SHL_SCENES_PLAYS_TANGLE_H

#include "scenes/shapes/mesh.h"

#include <shoal/positions.h>

typedef struct shl_tangle {
    uint32_t bodies, patches, count; // count: vertices of a body
    double *centre;                  // [bodies][patches][3] from the body's centre, within 1
    double *offset;                  // [count][3] from the patch's centre
    uint32_t *patch;                 // [count]
} shl_tangle;

// All patches at rest in the unit ball: 20 * 4^k triangles, but for k = 0 only 16.
// Errors: MEMORY.
SHOAL_CHECK shoal_status shl_mesh_patches(uint32_t k, uint64_t seed, shl_surface *out);

// `order` NULL keeps the surface's vertex order; otherwise row i is vertex order[i].
// Errors: MEMORY.
SHOAL_CHECK shoal_status shl_tangle_create(const shl_surface *patches, const uint32_t *order,
                                           uint32_t bodies, shl_tangle *out);
void shl_tangle_finish(shl_tangle *tangle);

// Moves a body's patches on by one step; steps count from 1.
void shl_tangle_stir(shl_tangle *tangle, uint32_t body, uint32_t step);

// Writes count packed positions about `centre`, computed in float64 and rounded once.
void shl_tangle_write(const shl_tangle *tangle, uint32_t body, const double centre[3],
                      shoal_scalar scalar, void *xyz);

#endif
