// SPDX-License-Identifier: MIT
// The slow truth about meshes: every intersecting pair of triangles, by testing all of them.
#ifndef TESTS_ORACLE_MESH_ORACLE_H
#define TESTS_ORACLE_MESH_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One body. Every index in `tri` is below vertex_count.
typedef struct oracle_mesh {
    const double *xyz; // [3 vertex_count]
    uint32_t vertex_count;
    const uint32_t *tri; // [3 triangle_count]
    uint32_t triangle_count;
} oracle_mesh;

typedef struct oracle_pair {
    uint32_t body_a, tri_a, body_b, tri_b;
} oracle_pair;

// All pairs between the n bodies, body_a < body_b, in the order of the fields.
// A body with any coordinate that is not finite, used by a triangle or not, is in no pair.
// Returns how many; the caller frees *out, which is null for none. Aborts without memory.
size_t oracle_pairs(const oracle_mesh *m, uint32_t n, oracle_pair **out);

// All pairs within one body, tri_a < tri_b, body_a = body_b = 0. Otherwise as above.
// Triangles without a vertex index in common are decided by oracle_tri_tri. The others are in
// the list only if with_adjacent, and decided by oracle_tri_tri_adjacent: the shared vertices
// are the distinct indices that both triangles name, each at the first corner naming it, so a
// triangle may repeat an index and the rules apply to its corners as they stand.
size_t oracle_self_pairs(const oracle_mesh *m, bool with_adjacent, oracle_pair **out);

// The distinct vertex indices in common, 0 to 3, and the first corners that hold them.
int oracle_shared_corners(const uint32_t a[3], const uint32_t b[3], int shared_a[3],
                          int shared_b[3]);

#endif
