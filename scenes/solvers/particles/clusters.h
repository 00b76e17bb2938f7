// SPDX-License-Identifier: MIT
// Shape matching: groups of particles that want to stand as they did at rest, turned and moved
// as a whole (Mueller et al. 2005). Groups may share particles; a shared particle has a part of
// its mass in each, so that what the groups do to it changes neither momentum nor spin.
#ifndef SHL_SCENES_SOLVERS_PARTICLES_CLUSTERS_H
#define SHL_SCENES_SOLVERS_PARTICLES_CLUSTERS_H

#include "scenes/solvers/particles/particles.h"

typedef struct shl_cluster {
    uint32_t begin, end; // members
    double turn[4];      // unit quaternion, from rest to now
} shl_cluster;

typedef struct shl_clusters {
    uint32_t count, member_count;
    uint32_t list_capacity, member_capacity;
    shl_cluster *list; // [count]
    uint32_t *member;  // [member_count] particles
    double *share;     // [member_count] kilograms of it that are this group's
    double *rest;      // [3 * member_count] from the group's centre, at rest
    double *pull;      // [3 * member_count] kilogram metres, in this step so far
    double *moves;     // [3 * particles] scratch
    uint32_t moves_capacity;
} shl_clusters;

// Adds a group of particles as they stand now. Call shl_clusters_share() after the last one.
// Errors: MEMORY; then there is no such group.
SHOAL_CHECK shoal_status shl_clusters_add(shl_clusters *clusters,
                                          const shl_particles *particles,
                                          const uint32_t *members, uint32_t count);

// Divides masses among the groups. `places` are the shape at rest: [3 * particles.count].
// Errors: MEMORY.
SHOAL_CHECK shoal_status shl_clusters_share(shl_clusters *clusters,
                                            const shl_particles *particles,
                                            const double *places);

void shl_clusters_finish(shl_clusters *clusters);

// Forgets pulls: a step begins.
void shl_clusters_begin(shl_clusters *clusters);

// Moves particles towards where their groups want them, by `stiffness` of the way, 0 to 1.
void shl_clusters_match(shl_clusters *clusters, shl_particles *particles, double stiffness);

// The rotation nearest to a matrix (row by row) whose determinant is positive, beginning from
// the unit quaternion in `turn`: as Mueller, Bender, Chentanez & Macklin (2016) do from afar,
// by Newton's method near it.
void shl_nearest_turn(const double matrix[9], double turn[4]);

#endif
