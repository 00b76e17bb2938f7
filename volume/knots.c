// SPDX-License-Identifier: MIT
#include "volume/knots.h"

#include <math.h>
#include <stdlib.h>

static const double shake = 0.1;

static double random_signed(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1.0;
}

// More than half of the cube around it is.
static bool is_inside(const shl_voxels *v, const double at[3])
{
    uint32_t cube[3];
    for (int k = 0; k < 3; k++) {
        const double c = floor((at[k] - v->lo[k]) / v->size);
        if (!(c >= 0 && c < v->count[k]))
            return false;
        cube[k] = (uint32_t)c;
    }
    return v->share[shl_voxel_at(v, cube[0], cube[1], cube[2])] > 0.5f;
}

static bool put(shl_knots *knots, const double at[3])
{
    if (knots->count == knots->capacity) {
        const uint32_t capacity = knots->capacity ? 2 * knots->capacity : 256;
        double *grown = realloc(knots->xyz, 3 * (size_t)capacity * sizeof *grown);
        if (!grown)
            return false;
        knots->xyz = grown;
        knots->capacity = capacity;
    }
    for (size_t k = 0; k < 3; k++)
        knots->xyz[3 * (size_t)knots->count + k] = at[k];
    knots->count++;
    return true;
}

shoal_status shl_knots_fill(const shl_voxels *v, double side, uint64_t seed, uint32_t most,
                            shl_knots *knots)
{
    double first[3];
    uint32_t cells[3];
    knots->count = 0;
    for (int k = 0; k < 3; k++) {
        first[k] = v->lo[k] + side * (0.5 * random_signed(&seed) - 0.5);
        const double want = ceil(v->size * v->count[k] / side) + 2;
        if (!(want < 1 << 20))
            return SHOAL_ERR_LIMIT;
        cells[k] = (uint32_t)want;
    }
    for (uint32_t z = 0; z < cells[2]; z++) {
        for (uint32_t y = 0; y < cells[1]; y++) {
            for (uint32_t x = 0; x < cells[0]; x++) {
                for (int half = 0; half < 2; half++) {
                    const double cell[3] = {x, y, z};
                    double at[3];
                    for (int k = 0; k < 3; k++)
                        at[k] = first[k] +
                                side * (cell[k] + 0.5 * half + shake * random_signed(&seed));
                    if (!is_inside(v, at))
                        continue;
                    if (knots->count >= most)
                        return SHOAL_ERR_LIMIT;
                    if (!put(knots, at))
                        return SHOAL_ERR_MEMORY;
                }
            }
        }
    }
    return SHOAL_OK;
}
