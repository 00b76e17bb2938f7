// SPDX-License-Identifier: MIT
// A skinned brain, for M1 and M2: pulled, bent or twisted as in scenes/plays/brain.h.
#ifndef BENCH_PAPERS_STEINEMANN_BRAIN_H
#define BENCH_PAPERS_STEINEMANN_BRAIN_H

#include "runtime/kinds/skinned/skinned.h"
#include "scenes/plays/brain.h"
#include "scenes/shapes/mesh.h"
#include "volume/controls.h"

typedef struct bench_brain {
    shl_surface surface;
    shl_controls nodes;
    shl_tree tree;
    shl_skinned skinned;
    shl_skinned_body body; // brought up to date by bench_brain_pose()
    shl_bodies rows;       // of that body alone
    uint8_t flags;
    shl_box root;
    shl_scratch scratch;
    double *xyz;      // [3 * vertex_count] tree order, by bench_brain_vertices()
    double (*box)[6]; // [node_count] exact, lo and hi; the same
} bench_brain;

SHOAL_CHECK shoal_status bench_brain_create(uint32_t vertices, uint32_t nodes, uint32_t arity,
                                            bench_brain *out);
void bench_brain_finish(bench_brain *brain);

// Sets the maps and makes the body ready, its own box among what that finds.
void bench_brain_pose(bench_brain *brain, const shl_kernels *kernels, shl_brain_motion motion,
                      double amount);

// Evaluates all vertices and finds the exact box of every tree node.
void bench_brain_vertices(bench_brain *brain, const shl_kernels *kernels);

// Half the diagonal of a box.
double bench_radius(const double lo[3], const double hi[3]);

#endif
