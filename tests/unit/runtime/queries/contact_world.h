// SPDX-License-Identifier: MIT
// Bodies with contact spheres and without, and their contacts by brute force.
#ifndef TESTS_CONTACT_WORLD_H
#define TESTS_CONTACT_WORLD_H

#include "layouts/models/reduced.h"
#include "rules.h"
#include "run.h"

enum { BODIES = 9, FIELDS = 4, STEPS = 3 };

// Which bodies have spheres, and of which level; -1: reduced without, -2: free.
extern const int levels[BODIES];

extern world_mesh mesh[BODIES];
extern world_reduced reduced[BODIES];
extern double *free_xyz[STEPS][BODIES];

void make_world(double far);
void drop_world(void);

void vertex_of(uint32_t body, uint32_t step, size_t vertex, double out[3]);

// Sphere i of a body by the formula of the header.
void sphere_of(const shl_reduced *model, uint32_t body, uint32_t step, uint32_t i,
               double out[4]);

// All contacts of a step between bodies that meet, by spheres of the models in a scene; adds to
// `found` how many are with spheres and with triangles.
size_t contacts_by_force(shoal_scene *scene, uint32_t step, const rules *who,
                         shoal_sphere_contact *out, size_t found[2]);

#endif
