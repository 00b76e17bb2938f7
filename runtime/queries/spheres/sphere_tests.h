// SPDX-License-Identifier: MIT
// Contacts of a sphere with a sphere and with a triangle.
#ifndef SHL_RUNTIME_QUERIES_SPHERES_SPHERE_TESTS_H
#define SHL_RUNTIME_QUERIES_SPHERES_SPHERE_TESTS_H

#include "layouts/tree.h"

#include <shoal/results.h>

typedef struct shl_sphere {
    double c[3], r;
} shl_sphere;

// Contact of two spheres; false if they are apart.
bool shl_sphere_sphere(const shl_sphere *a, const shl_sphere *b, shoal_sphere_contact *out);

// Contact of a sphere and a triangle, three corners xyz.
bool shl_sphere_triangle(const shl_sphere *sphere, const double corners[9],
                         shoal_sphere_contact *out);

// The float32 box of all contacts of a sphere, rounding included.
shl_box shl_sphere_box(const shl_sphere *sphere);

// By sphere_a and element_b.
void shl_sort_contacts(shoal_sphere_contact *contacts, size_t count);

#endif
