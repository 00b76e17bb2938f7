// SPDX-License-Identifier: MIT
// Contact spheres: their places in a state, and contacts with spheres and triangles.
#ifndef SHL_RUNTIME_QUERIES_SPHERES_SPHERES_H
#define SHL_RUNTIME_QUERIES_SPHERES_SPHERES_H

#include "runtime/scene/scene.h"

typedef struct shl_sphere {
    double c[3], r;
} shl_sphere;

// Has contact spheres.
static inline bool shl_has_proxies(const shl_free_body *b)
{
    return b->reduced && b->reduced->proxy_count;
}

// Room for the spheres of a model.
SHOAL_CHECK shoal_status shl_spheres_reserve(shl_spheres *spheres, const shl_reduced *model,
                                             const shoal_allocator *allocator);
void shl_spheres_finish(shl_spheres *spheres, const shoal_allocator *allocator);

// From now on they are this body's; what was made for it in this step stays.
void shl_spheres_enter(shl_spheres *spheres, const shl_free_body *body);

// Boxes around the children of a node of the tree over the spheres, and their numbers.
shl_lanes shl_spheres_open(shl_spheres *spheres, const shl_kernels *kernels,
                           const shl_free_body *body, uint32_t node);

// Where a sphere is.
shl_sphere shl_sphere_at(shl_spheres *spheres, const shl_free_body *body, uint32_t proxy);

// Widens the body's box by its contact spheres.
void shl_proxies_widen(const shl_kernels *kernels, shl_free_body *body);

// Contact of two spheres; false if they are apart.
bool shl_sphere_sphere(const shl_sphere *a, const shl_sphere *b, shoal_contact *out);

// Contact of a sphere and a triangle, three corners xyz.
bool shl_sphere_triangle(const shl_sphere *sphere, const double corners[9], shoal_contact *out);

// The float32 box of everything that a sphere's contact can reach, rounding included.
shl_box shl_sphere_box(const shl_sphere *sphere);

// By proxy_a and element_b.
void shl_sort_contacts(shoal_contact *contacts, size_t count);

#endif
