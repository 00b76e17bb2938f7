// SPDX-License-Identifier: MIT
// Decides candidate pairs for peers that have no exact test of their own, with shoal's kernel:
// so that all contenders report the same pairs and none pays for a slower test.
#ifndef PEERS_NARROW_H
#define PEERS_NARROW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct narrow_tri {
    uint32_t v[3];
    uint32_t number; // fills the row to 16 bytes
} narrow_tri;

// What one half of every candidate refers to.
typedef struct narrow_side {
    const void *xyz;       // [3 * vertices] packed, float or double
    const narrow_tri *tri; // [triangles]
    int f64;               // double
} narrow_side;

typedef struct narrow_pair {
    uint32_t a, b; // triangles
} narrow_pair;

// Keeps the pairs that intersect, in place and in order; returns how many.
uint32_t narrow_keep(const narrow_side *a, const narrow_side *b, narrow_pair *pairs,
                     uint32_t count);

// Distances of pairs, a's body being the lower one; the same bits as shoal's results have.
void narrow_distances(const narrow_side *a, const narrow_side *b, const narrow_pair *pairs,
                      uint32_t count, double *distance);

#ifdef __cplusplus
}
#endif

#endif
