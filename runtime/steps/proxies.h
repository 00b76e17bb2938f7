// SPDX-License-Identifier: MIT
// Contact spheres: their places in a state, and contacts with spheres and triangles.
#ifndef SHL_RUNTIME_STEPS_PROXIES_H
#define SHL_RUNTIME_STEPS_PROXIES_H

#include "runtime/scene.h"

// Spheres of a body in its present state, as columns, and those that may touch another body.
typedef struct shl_spheres {
    double *c[3], *r; // [count]
    uint32_t *near;   // [near_count] of them, ascending
    uint32_t count, near_count;
} shl_spheres;

// Has contact spheres.
static inline bool shl_has_proxies(const shl_free_body *b)
{
    return b->reduced && b->reduced->proxy_count;
}

// Bytes that the spheres of a body need.
size_t shl_spheres_bytes(uint32_t count);

// Evaluates all spheres of the body into `memory`, none near yet.
shl_spheres shl_spheres_evaluate(const shl_free_body *body, void *memory);

// Keeps as near those that may touch something in the box.
void shl_spheres_near(shl_spheres *spheres, const shl_box *box);

// Widens the body's box by its contact spheres.
void shl_proxies_widen(shl_free_body *body);

// Contact of two spheres; false if they are apart.
bool shl_sphere_sphere(const shl_spheres *a, uint32_t i, const shl_spheres *b, uint32_t k,
                       shoal_contact *out);

// Contact of a sphere and a triangle, three corners xyz.
bool shl_sphere_triangle(const double centre[3], double radius, const double corners[9],
                         shoal_contact *out);

// The float32 box of everything that a sphere's contact can reach, rounding included.
shl_box shl_sphere_box(const double centre[3], double radius);

// By element_b.
void shl_sort_contacts(shoal_contact *contacts, size_t count);

#endif
