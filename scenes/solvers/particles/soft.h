// SPDX-License-Identifier: MIT
// Scenes of particles: bodies of every shape that fall, bend, hang and break. A step of time
// moves the particles with what shoal found in the step before: its nearest triangles are kept
// apart.
#ifndef SHL_SCENES_SOLVERS_PARTICLES_SOFT_H
#define SHL_SCENES_SOLVERS_PARTICLES_SOFT_H

#include "scenes/play.h"
#include "scenes/solvers/particles/clusters.h"
#include "scenes/solvers/particles/links.h"
#include "scenes/solvers/particles/repel.h"
#include "scenes/solvers/particles/stage.h"

typedef struct shl_soft shl_soft;

// One scene; `build` adds its particles and actors, the others may be NULL.
typedef struct shl_soft_kind {
    shoal_status (*build)(shl_soft *soft, const shl_scene_params *params);
    void (*move)(shl_soft *soft, double time); // particles that only the scene moves
    shoal_status (*after)(shl_soft *soft);     // what breaks
    void (*finish)(shl_soft *soft);            // frees `own`
    // What `after` has changed: its bytes, written unless `to` is NULL, and how to do it again.
    size_t (*save)(const shl_soft *soft, void *to);
    shoal_status (*restore)(shl_soft *soft, const void *from, size_t size);
} shl_soft_kind;

typedef struct shl_soft_def {
    double step;       // seconds
    uint32_t substeps; // equal parts of it
    uint32_t rounds;   // of corrections in each
    double gravity[3];
    double fastest;   // metres a second
    double keep;      // of a velocity, from one part to the next
    double stiffness; // of clusters
    shl_repel_def repel;
} shl_soft_def;

struct shl_soft {
    const shl_soft_kind *kind;
    shl_soft_def def;
    shl_particles particles;
    shl_clusters clusters;
    shl_links links;
    shl_repels repels; // of the last step
    shl_stage stage;
    uint32_t steps; // of time so far
    void *own;      // the scene's
};

// Runs plays whose kind is a shl_soft_kind; the state is a shl_soft.
extern const shl_simulator shl_soft_simulator;

// What such a play asks for at least.
#define SHL_SOFT_QUERIES                                                                       \
    (SHOAL_QUERY_PAIRS | SHOAL_QUERY_NEAREST | SHOAL_QUERY_NEAREST_TRIANGLES)

// A mesh that never moves but by the scene's own hand. Errors: those of the library.
SHOAL_CHECK shoal_status shl_soft_add_fixed(shl_soft *soft, const shl_surface *surface,
                                            uint32_t *first);

#endif
