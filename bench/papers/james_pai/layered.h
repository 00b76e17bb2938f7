// SPDX-License-Identifier: MIT
// A layered sphere tree with the care that the library's own trees get: its tree of eight
// children a node, float32, eight lanes, vertex lists padded, all data in the order in which it
// is read. What James & Pai 2004 compare with, updated as fast as we can.
#ifndef BENCH_PAPERS_JAMES_PAI_LAYERED_H
#define BENCH_PAPERS_JAMES_PAI_LAYERED_H

#include "layouts/models/reduced.h"

// Spheres of the children of a node, one a lane.
typedef struct bench_spheres8 {
    _Alignas(32) float c[3][SHL_LANES], r[SHL_LANES];
} bench_spheres8;

typedef struct bench_layered {
    const shl_tree *tree;
    uint32_t field_count;
    uint32_t groups;         // of eight vertices
    float *rows;             // [groups][1 + field_count][3][8] rest and fields, tree order
    float (*xyz)[4];         // [8 groups] deformed vertices; the last is nothing
    uint32_t *block_of;      // [node_count] of an inner node
    uint32_t *place_of;      // [node_count] where its sphere belongs, in floats
    bench_spheres8 *spheres; // [inner nodes + 1] the last holds the root's own, in lane 0
} bench_layered;

// The model must have been built for the tree. False: no memory.
bool bench_layered_create(const shl_tree *tree, const shl_reduced *model, bench_layered *out);
void bench_layered_finish(bench_layered *layered);

// Deforms all vertices, wraps those of each leaf in a sphere, the children's spheres of each
// inner node in one, leaves first. The plain body and the one of eight lanes round differently;
// `best` is what the machine can run.
typedef void bench_layered_fn(bench_layered *layered, const float *q);
bench_layered_fn bench_layered_update_plain, bench_layered_update_avx2;
bench_layered_fn *bench_layered_best(void);

// How many blocks of eight spheres a ball meets on its way to the leaves; *leaves is increased
// by the number of those.
uint64_t bench_layered_search(const bench_layered *layered, const float ball[4],
                              uint64_t *leaves);

// Where the sphere of a node is: c[3] and r, SHL_LANES apart.
static inline float *bench_layered_place(const bench_layered *l, uint32_t node)
{
    return &l->spheres->c[0][0] + l->place_of[node];
}

#endif
