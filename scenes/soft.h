// SPDX-License-Identifier: MIT
// Scenes of particles: bodies of every shape that fall, bend, hang and break. A step of time
// moves the particles with what shoal found in the step before: its nearest triangles are kept
// apart.
#ifndef SHL_SCENES_PLAY_H
#define SHL_SCENES_PLAY_H

#include "scenes/clusters.h"
#include "scenes/links.h"
#include "scenes/repel.h"
#include "scenes/stage.h"

typedef struct shl_play shl_play;

// One scene; `build` adds its particles and actors, the others may be NULL.
typedef struct shl_play_kind {
    shoal_status (*build)(shl_play *play, const shl_scene_params *params);
    void (*move)(shl_play *play, double time); // particles that only the scene moves
    shoal_status (*after)(shl_play *play);     // what breaks
    void (*finish)(shl_play *play);            // frees `own`
} shl_play_kind;

extern const shl_play_kind shl_play_letters_bowl, shl_play_letters_ramp, shl_play_skirt,
    shl_play_breaking;

typedef struct shl_play_def {
    double step;       // seconds
    uint32_t substeps; // equal parts of it
    uint32_t rounds;   // of corrections in each
    double gravity[3];
    double fastest;   // metres a second
    double keep;      // of a velocity, from one part to the next
    double stiffness; // of clusters
    shl_repel_def repel;
} shl_play_def;

struct shl_play {
    const shl_play_kind *kind;
    shl_play_def def;
    shl_particles particles;
    shl_clusters clusters;
    shl_links links;
    shl_repels repels; // of the last step
    shl_stage stage;
    uint32_t steps; // of time so far
    void *own;      // the scene's
};

// What all scenes begin with.
shl_play_def shl_play_default(void);

// Adds bodies to `scene`, which must be empty and outlive them. Errors: those of the library.
SHOAL_CHECK shoal_status shl_play_create(const shl_play_kind *kind,
                                         const shl_scene_params *params, shoal_context *ctx,
                                         shoal_scene *scene, shl_play **out);
void shl_play_destroy(shl_play *play);

// Step 1 shows how it begins. Each later one moves on by a step of time.
SHOAL_CHECK shoal_status shl_play_step(shl_play *play, uint32_t step);

void shl_play_look(const shl_play *play, shl_motion_report *out);

// A mesh that never moves but by the scene's own hand. Errors: those of the library.
SHOAL_CHECK shoal_status shl_play_add_fixed(shl_play *play, const shl_surface *surface,
                                            uint32_t *first);

#endif
