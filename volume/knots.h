// SPDX-License-Identifier: MIT
// Points of a shaken lattice that are inside.
#ifndef SHL_VOLUME_KNOTS_H
#define SHL_VOLUME_KNOTS_H

#include "volume/voxels.h"

typedef struct shl_knots {
    double *xyz; // [capacity][3]
    uint32_t count, capacity;
} shl_knots;

// Refills `knots` with the points of a body-centred cubic lattice of cubes of side `side`, each
// moved by up to a tenth of it. `seed` also chooses where the lattice lies. Errors: LIMIT (more
// than `most`), MEMORY.
SHOAL_CHECK shoal_status shl_knots_fill(const shl_voxels *inside, double side, uint64_t seed,
                                        uint32_t most, shl_knots *knots);

#endif
