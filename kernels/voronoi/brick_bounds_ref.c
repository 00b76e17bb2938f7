// SPDX-License-Identifier: MIT
#include "kernels/voronoi/brick_bounds.h"

#include <math.h>

static void squares_of(const shl_site *site, const uint32_t corner[3], uint32_t rows,
                       float out[SHL_BRICK_CELLS])
{
    for (uint32_t i = 0; i < SHL_BRICK_CELLS; i++) {
        const uint32_t x = i % SHL_BRICK_X, row = i / SHL_BRICK_X;
        const uint32_t y = row % SHL_BRICK_Y, z = row / SHL_BRICK_Y;
        const float p[3] = {
            (float)(corner[0] + x) + 0.5f,
            (float)(corner[1] + y) + 0.5f,
            (float)(corner[2] + z) + 0.5f,
        };
        out[i] = rows >> row & 1 ? shl_site_square(site, p) : INFINITY;
    }
}

// The two smallest distances of different owners.
static void take(shl_brick_scratch *s, uint32_t i, uint32_t owner, float square)
{
    if (owner == s->owner[i])
        s->first[i] = square < s->first[i] ? square : s->first[i];
    else if (square < s->first[i]) {
        s->second[i] = s->first[i];
        s->first[i] = square;
        s->owner[i] = owner;
    } else
        s->second[i] = square < s->second[i] ? square : s->second[i];
}

void shl_brick_bounds_ref(const shl_cell_tri *tris, const uint32_t *list, uint32_t count,
                          const uint32_t corner[3], float cutoff, shl_brick_scratch *s,
                          float *least)
{
    float later[SHL_BRICK_CELLS];
    for (uint32_t i = 0; i < SHL_BRICK_CELLS; i++) {
        s->first[i] = s->second[i] = INFINITY;
        s->owner[i] = UINT32_MAX;
    }
    for (uint32_t t = 0; t < count; t++) {
        const shl_site site = shl_site_of(&tris[list[t]]);
        float *square = t < SHL_BRICK_KEEP ? s->square[t] : later;
        squares_of(&site, corner, shl_brick_rows(&tris[list[t]], corner, cutoff), square);
        for (uint32_t i = 0; i < SHL_BRICK_CELLS; i++)
            take(s, i, tris[list[t]].owner, square[i]);
    }
    for (uint32_t i = 0; i < SHL_BRICK_CELLS; i++) {
        s->first[i] = sqrtf(s->first[i]);
        s->second[i] = sqrtf(s->second[i]);
        if (!(s->second[i] <= cutoff))
            s->first[i] = s->second[i] = INFINITY;
    }
    for (uint32_t t = 0; t < count; t++) {
        const float *square = t < SHL_BRICK_KEEP ? s->square[t] : later;
        if (t >= SHL_BRICK_KEEP) {
            const shl_site site = shl_site_of(&tris[list[t]]);
            squares_of(&site, corner, shl_brick_rows(&tris[list[t]], corner, cutoff), later);
        }
        least[t] = INFINITY;
        for (uint32_t i = 0; i < SHL_BRICK_CELLS; i++) {
            const float other = s->owner[i] == tris[list[t]].owner ? s->second[i] : s->first[i];
            const float own = sqrtf(square[i]), sum = own + other;
            if (own <= cutoff)
                least[t] = sum < least[t] ? sum : least[t];
        }
    }
}

uint32_t shl_brick_within_ref(const shl_cell_tri *tri, float cutoff, const uint32_t extent[3],
                              const uint32_t *bricks, uint32_t count, uint32_t *near)
{
    const shl_site site = shl_site_of(tri);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t brick = bricks[i];
        float centre[3];
        shl_brick_centre(extent, brick, centre);
        if (shl_site_square(&site, centre) <= cutoff * cutoff)
            near[found++] = brick;
    }
    return found;
}
