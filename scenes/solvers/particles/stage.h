// SPDX-License-Identifier: MIT
// The bodies of a scene of particles, as shoal knows them: each a mesh whose vertices are
// particles. Actor i is shoal's body number i: bodies are added and replaced, never removed.
#ifndef SHL_SCENES_SOLVERS_PARTICLES_STAGE_H
#define SHL_SCENES_SOLVERS_PARTICLES_STAGE_H

#include "scenes/scene.h"
#include "scenes/shapes/mesh.h"
#include "scenes/solvers/particles/particles.h"

typedef struct shl_actor {
    shoal_body id;
    shoal_model *model;    // shared by actors that were made of one
    bool owns;             // the model
    bool open;             // a sheet: it has no inside
    shl_surface surface;   // as it was made
    uint32_t *particle;    // [surface.vertex_count] numbers
    const uint32_t *order; // [surface.vertex_count] vertex of a row; NULL: the same
    void *rows;            // [surface.vertex_count][3] what shoal reads, of the precision asked
} shl_actor;

typedef struct shl_stage {
    shoal_context *ctx;
    shoal_scene *scene;
    shl_scene_params params; // precision, order, hold, builder and arity
    uint32_t count, capacity;
    shl_actor *actors;
} shl_stage;

// What an actor is made of; all is copied.
typedef struct shl_actor_def {
    const uint32_t *particle;  // [vertex_count]; NULL: first, first + 1, ...
    uint32_t first;            //
    uint32_t vertex_count;     //
    const uint32_t *triangles; // [3 * triangle_count] vertices
    uint32_t triangle_count;
    shoal_model *model; // of the same mesh; NULL: made anew for the places of its particles
    bool open;
} shl_actor_def;

// Errors: those of the library, MEMORY; then there is no such actor.
SHOAL_CHECK shoal_status shl_stage_add(shl_stage *stage, const shl_particles *particles,
                                       const shl_actor_def *def);

// Gives an actor another mesh. Errors: as above; then it is as it was.
SHOAL_CHECK shoal_status shl_stage_replace(shl_stage *stage, const shl_particles *particles,
                                           uint32_t actor, const shl_actor_def *def);

void shl_stage_finish(shl_stage *stage);

// Tells shoal where all particles are. Errors: those of the library.
SHOAL_CHECK shoal_status shl_stage_hand_over(shl_stage *stage, const shl_particles *particles);

// The particles of a triangle's corners.
static inline void shl_stage_corners(const shl_stage *stage, uint32_t actor, uint32_t triangle,
                                     uint32_t out[3])
{
    const shl_actor *a = &stage->actors[actor];
    for (size_t k = 0; k < 3; k++)
        out[k] = a->particle[a->surface.triangles[3 * (size_t)triangle + k]];
}

#endif
