// SPDX-License-Identifier: MIT
#ifndef SHL_KERNELS_VORONOI_BRICK_BOUNDS_H
#define SHL_KERNELS_VORONOI_BRICK_BOUNDS_H

#include "kernels/voronoi/cell_tri.h"

// Cells of a brick, and how far its samples are from its centre: |(3.5, 1.5, 1.5)|.
enum { SHL_BRICK_X = 8, SHL_BRICK_Y = 4, SHL_BRICK_Z = 4, SHL_BRICK_CELLS = 128 };
#define SHL_BRICK_RADIUS 4.0927f

// Triangles whose distances are kept between the two passes over a list; those of later ones
// are computed twice.
enum { SHL_BRICK_KEEP = 512 };

typedef struct shl_brick_scratch {
    float first[SHL_BRICK_CELLS];  // distance to the nearest owner
    float second[SHL_BRICK_CELLS]; // to the nearest other owner
    uint32_t owner[SHL_BRICK_CELLS];
    uint32_t rows[SHL_BRICK_KEEP];
    float square[SHL_BRICK_KEEP][SHL_BRICK_CELLS];
} shl_brick_scratch;

// The second-order discrete Voronoi diagram of one brick, and what it says of each triangle:
//
//   least[i] = min over samples g of d(g, i) + min over other owners' j of d(g, j)
//
// in cells, d as shl_site_square() computes it; infinite if there is no such sum. Samples are
// the centres of cells corner + (0..7, 0..3, 0..3). Only distances up to `cutoff` count, so a
// triangle is measured from those rows of eight samples only that are so near to its box.
//
//   reads    tris[list[0, count)]
//   writes   least[0, count), *scratch
//   equal    exact
//
// Sud et al., "Fast proximity computation among deformable models using discrete Voronoi
// diagrams", 2006; here no cell is stored, and the sum replaces the paper's rasterised sites:
// any sample proves an upper bound.
typedef void shl_brick_bounds_fn(const shl_cell_tri *tris, const uint32_t *list, uint32_t count,
                                 const uint32_t corner[3], float cutoff,
                                 shl_brick_scratch *scratch, float *least);
shl_brick_bounds_fn shl_brick_bounds_ref, shl_brick_bounds_avx2;

// How far [lo, hi] is from [from, to].
static inline float shl_brick_apart(float lo, float hi, float from, float to)
{
    const float below = lo - to, above = from - hi;
    const float apart = below > above ? below : above;
    return apart > 0 ? apart : 0;
}

// Bit y + 4 z: that row's samples may be within the cutoff of the triangle.
static inline uint32_t shl_brick_rows(const shl_cell_tri *t, const uint32_t corner[3],
                                      float cutoff)
{
    float lo[3], hi[3], y2[SHL_BRICK_Y], z2[SHL_BRICK_Z];
    for (int k = 0; k < 3; k++) {
        lo[k] = t->a[k] < t->b[k] ? t->a[k] : t->b[k];
        lo[k] = lo[k] < t->c[k] ? lo[k] : t->c[k];
        hi[k] = t->a[k] > t->b[k] ? t->a[k] : t->b[k];
        hi[k] = hi[k] > t->c[k] ? hi[k] : t->c[k];
    }
    const float x0 = (float)corner[0] + 0.5f, y0 = (float)corner[1] + 0.5f;
    const float z0 = (float)corner[2] + 0.5f;
    const float x = shl_brick_apart(lo[0], hi[0], x0, x0 + (SHL_BRICK_X - 1));
    const float left = cutoff * cutoff - x * x;
    for (int i = 0; i < SHL_BRICK_Y; i++) {
        const float y = shl_brick_apart(lo[1], hi[1], y0 + (float)i, y0 + (float)i);
        const float z = shl_brick_apart(lo[2], hi[2], z0 + (float)i, z0 + (float)i);
        y2[i] = y * y;
        z2[i] = z * z;
    }
    uint32_t rows = 0;
    for (uint32_t i = 0; i < SHL_BRICK_Y * SHL_BRICK_Z; i++)
        rows |= (uint32_t)(y2[i % SHL_BRICK_Y] + z2[i / SHL_BRICK_Y] <= left) << i;
    return rows;
}

// Which of the named bricks have their centre within `cutoff` of the triangle, in given order.
// Bricks are named by their number (z * ny + y) * nx + x.
//
//   reads    bricks[0, count)
//   writes   near[0, returned); may be bricks itself
//   returns  how many
//   equal    exact
typedef uint32_t shl_brick_within_fn(const shl_cell_tri *tri, float cutoff,
                                     const uint32_t extent[3], const uint32_t *bricks,
                                     uint32_t count, uint32_t *near);
shl_brick_within_fn shl_brick_within_ref, shl_brick_within_avx2;

// The centre of a brick, in cells.
static inline void shl_brick_centre(const uint32_t extent[3], uint32_t brick, float out[3])
{
    enum { HALF_X = SHL_BRICK_X / 2, HALF_Y = SHL_BRICK_Y / 2, HALF_Z = SHL_BRICK_Z / 2 };
    const uint32_t x = brick % extent[0], rest = brick / extent[0];
    const uint32_t y = rest % extent[1], z = rest / extent[1];
    out[0] = (float)(SHL_BRICK_X * x + HALF_X);
    out[1] = (float)(SHL_BRICK_Y * y + HALF_Y);
    out[2] = (float)(SHL_BRICK_Z * z + HALF_Z);
}

#endif
