// SPDX-License-Identifier: MIT
// Contacts of contact spheres with spheres and triangles of other bodies.
#ifndef SHL_RUNTIME_QUERIES_SPHERES_SPHERES_H
#define SHL_RUNTIME_QUERIES_SPHERES_SPHERES_H

#include "runtime/queries/query.h"
#include "runtime/queries/spheres/sphere_tests.h"
#include "runtime/traverse/open.h"

// Spheres of one body, as far as a worker needed them.
typedef struct shl_sphere_cache {
    uint32_t body1;       // 1 + its number; 0: nobody's
    shl_sphere_tree tree; // of its model
    shl_array boxes;      // shl_block [nodes] boxes of a node's children
    shl_array positions;  // double [nodes][4][SHL_LANES] of nodes on the lowest level
    shl_array valid;      // uint8_t [nodes] which of them there are
} shl_sphere_cache;

// Room for the spheres of a tree.
SHOAL_CHECK shoal_status shl_sphere_cache_reserve(shl_sphere_cache *cache,
                                                  const shl_sphere_tree *tree,
                                                  const shoal_allocator *allocator);
void shl_sphere_cache_finish(shl_sphere_cache *cache, const shoal_allocator *allocator);

// From now on they are this body's; what was made for it in this step stays.
void shl_sphere_cache_enter(shl_sphere_cache *cache, uint32_t body,
                            const shl_sphere_tree *tree);

// Boxes around the children of a node of the tree over the spheres, and their numbers.
shl_lanes shl_sphere_cache_open(shl_sphere_cache *cache, const shl_view *view, uint32_t node);

// Where a sphere is.
shl_sphere shl_sphere_cache_at(shl_sphere_cache *cache, const shl_view *view, uint32_t sphere);

// Where the contacts of a pair are kept until it is known where they belong.
typedef struct shl_kept {
    size_t first;     // row in a worker's contacts
    uint32_t worker1; // 1 + its number; 0: nowhere, they have to be found again
} shl_kept;

// One worker's own memory.
typedef struct shl_sphere_scratch {
    _Alignas(128) shl_sphere_cache side[2]; // of two bodies
    shl_array contacts;                     // shoal_sphere_contact; what the first pass found
    size_t contact_rows;                    // of them
} shl_sphere_scratch;

typedef struct shl_spheres {
    const shl_ports *ports;
    uint32_t table;              // number of its own one
    bool asked;                  // in this step
    uint32_t bodies;             // youngest of them when memory for their spheres was reserved
    shl_sphere_scratch *scratch; // [workers]
    uint32_t rows;               // body pairs to look at
    shl_array pairs;             // uint64_t [rows] a << 32 | b
    shl_array begin;    // size_t [rows + 1] a pair's first contact; before the scan its count
    shl_array kept;     // shl_kept [rows]
    shl_array contacts; // shoal_sphere_contact
    size_t contact_count;
    uint64_t total; // rows that were found, kept or not
    shl_sums sums;
} shl_spheres;

extern const shl_query shl_spheres_query;

shl_job_fn shl_spheres_run_plan, shl_spheres_run_count, shl_spheres_run_scan,
    shl_spheres_run_contacts;

#endif
