// SPDX-License-Identifier: MIT
// What plays do with their bodies, whatever those are.
#ifndef SHL_SCENES_PLAYS_BODIES_H
#define SHL_SCENES_PLAYS_BODIES_H

#include "scenes/scene.h"
#include "scenes/solvers/modal/dynamics.h"

#include <shoal/reduced.h>

// Takes bodies out of a scene, those that were added; `ids` may be NULL.
static inline void shl_bodies_remove(shoal_scene *scene, const shoal_body *ids, uint32_t count)
{
    for (uint32_t i = 0; ids && i < count; i++) {
        if (ids[i].index1 && shoal_scene_remove(scene, ids[i]) != SHOAL_OK)
            continue; // already gone
    }
}

// The smallest cube of cells that holds all bodies.
static inline uint32_t shl_lattice_side(uint32_t bodies)
{
    uint32_t side = 1;
    while ((uint64_t)side * side * side < bodies)
        side++;
    return side;
}

// The place of a body in it, about the origin.
static inline void shl_lattice_place(uint32_t body, uint32_t bodies, double spacing,
                                     double out[3])
{
    const uint32_t side = shl_lattice_side(bodies);
    const uint32_t cell[3] = {body % side, body / side % side, body / side / side};
    for (int k = 0; k < 3; k++)
        out[k] = spacing * (cell[k] - 0.5 * (side - 1));
}

// Hands over [12 + fields][count] columns of rotations, translations and coordinates.
SHOAL_CHECK static inline shoal_status shl_bodies_hand_over(shoal_scene *scene,
                                                            const shoal_body *ids,
                                                            uint32_t count, uint32_t fields,
                                                            const double *state)
{
    const shoal_reduced_state all = {.bodies = ids,
                                     .count = count,
                                     .stride = count,
                                     .rotation = state,
                                     .translation = state + 9 * (size_t)count,
                                     .q = fields ? state + 12 * (size_t)count : NULL,
                                     .field_count = fields};
    return shoal_scene_set_reduced(scene, &all);
}

// How bodies with modes are doing, as a scene's report.
static inline void shl_dynamics_motion_report(const shl_dynamics *d, double time,
                                              shl_motion_report *out)
{
    const shl_dynamics_report r = shl_dynamics_measure(d);
    *out = (shl_motion_report){.time = time,
                               .kinetic = r.kinetic,
                               .energy = r.kinetic + r.potential + r.elastic,
                               .mean_speed = r.mean_speed,
                               .floor_depth = r.floor_depth};
}

#endif
