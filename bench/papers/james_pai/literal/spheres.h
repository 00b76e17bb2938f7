// SPDX-License-Identifier: MIT
// The sphere trees of James & Pai 2004 as they describe them: binary, one triangle a leaf,
// scalar. Wrapped ones follow the coordinates q node by node in any order; layered ones are
// made anew from the deformed vertices, leaves first.
#ifndef BENCH_PAPERS_JAMES_PAI_LITERAL_SPHERES_H
#define BENCH_PAPERS_JAMES_PAI_LITERAL_SPHERES_H

#include "bench/papers/larsson/literal/literal.h"
#include "layouts/models/reduced.h"

// The library's own binary tree, with its leaves halved down to one triangle. As from
// literal_tree_create(), but without a cut. Fields are [field_count][3 * vertex_count]. False:
// no memory.
bool literal_tree_halved(const shl_surface *rest, const float *fields, uint32_t field_count,
                         literal_tree *out);

typedef struct literal_sphere {
    double c[3], r;
} literal_sphere;

// For each node c[3] r, and u[3] d of each field, as in layouts/models/reduced.h.
typedef struct literal_spheres {
    const literal_tree *tree;
    uint32_t row_floats; // 4 + 4 fields
    float *rows;         // [node_count][row_floats]
} literal_spheres;

// Which centres: the middle of the box and the mean of each field, as in the paper, or small
// balls around both, as in the library.
typedef enum literal_centres { LITERAL_MEANS, LITERAL_BALLS } literal_centres;

// `model` is the mesh of `tree`, with its vertices in the same order. False: no memory.
bool literal_spheres_create(const literal_tree *tree, const shl_reduced *model,
                            literal_centres centres, literal_spheres *out);
void literal_spheres_finish(literal_spheres *spheres);

// The wrapped sphere of a node at q: the paper's c' and R'.
literal_sphere literal_wrapped(const literal_spheres *spheres, uint32_t node, const double *q);

// All layered spheres, from vertices in the user's order: [node_count].
void literal_layered(const literal_tree *tree, const double *xyz, literal_sphere *out);

// How many spheres are tested until the triangles are known that a ball may touch; *leaves is
// increased by the number of those. Spheres are those of `layered` or, if it is not NULL, of
// `wrapped`, made when they are tested. 0: the binary tree is far too deep.
uint64_t literal_search(const literal_tree *tree, const literal_sphere *layered,
                        const literal_spheres *wrapped, const double *q, literal_sphere ball,
                        uint64_t *leaves);

#endif
