// SPDX-License-Identifier: MIT
#include "kernels/reduced/reduced_open.h"

#include <math.h>

enum { L = SHL_LANES };

// Row `row` of a block, one child of it.
static float at(const float *block, uint32_t row, uint32_t lane)
{
    return block[row * L + lane];
}

static float dot(const float a[3], const float b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void centre(const float *block, uint32_t rest_rows, uint32_t field_rows,
                   uint32_t field_count, const float *weight, uint32_t lane, float m[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        m[k] = at(block, k, lane);
        for (uint32_t j = 0; j < field_count; j++)
            m[k] += weight[j] * at(block, rest_rows + j * field_rows + k, lane);
    }
}

// from + the sum of |share_j| times row `row` of each field
static float spread(float from, const float *block, uint32_t row, uint32_t field_rows,
                    uint32_t field_count, const float *weight, uint32_t lane)
{
    for (uint32_t j = 0; j < field_count; j++)
        from += fabsf(weight[j]) * at(block, row + j * field_rows, lane);
    return from;
}

static void store(const shl_reduced_ready *ready, uint32_t lane, const float m[3],
                  const float half[3], shl_block *out)
{
    for (int k = 0; k < 3; k++) {
        const float w = dot(ready->turn + 3 * k, m);
        out->lo[k][lane] = ready->base[k] + (ready->lo[k] + (w - half[k]));
        out->hi[k][lane] = ready->base[k] + (ready->hi[k] + (w + half[k]));
    }
}

static void store_empty(uint32_t from, shl_block *out)
{
    for (uint32_t lane = from; lane < L; lane++) {
        for (int k = 0; k < 3; k++) {
            out->lo[k][lane] = INFINITY;
            out->hi[k][lane] = -INFINITY;
        }
    }
}

void shl_reduced_spheres_ref(const float *block, uint32_t field_count,
                             const shl_reduced_ready *ready, uint32_t count, shl_block *out)
{
    for (uint32_t lane = 0; lane < count; lane++) {
        float m[3];
        centre(block, 4, 4, field_count, ready->weight, lane, m);
        const float r =
            spread(at(block, 3, lane), block, 4 + 3, 4, field_count, ready->weight, lane) *
            ready->stretch;
        store(ready, lane, m, (const float[3]){r, r, r}, out);
    }
    store_empty(count, out);
}

void shl_reduced_boxes_ref(const float *block, uint32_t field_count,
                           const shl_reduced_ready *ready, uint32_t count, shl_block *out)
{
    for (uint32_t lane = 0; lane < count; lane++) {
        float m[3], h[3], half[3];
        centre(block, 6, 6, field_count, ready->weight, lane, m);
        for (uint32_t k = 0; k < 3; k++)
            h[k] = spread(at(block, 3 + k, lane), block, 6 + 3 + k, 6, field_count,
                          ready->weight, lane);
        for (int k = 0; k < 3; k++) {
            const float *t = ready->turn + 3 * k;
            half[k] = dot((const float[3]){fabsf(t[0]), fabsf(t[1]), fabsf(t[2])}, h);
        }
        store(ready, lane, m, half, out);
    }
    store_empty(count, out);
}

void shl_reduced_affine_ref(const float *block, uint32_t field_count,
                            const shl_reduced_ready *ready, uint32_t count, shl_block *out)
{
    for (uint32_t lane = 0; lane < count; lane++) {
        float m[3], a[9], half[3];
        centre(block, 6, 13, field_count, ready->weight, lane, m);
        const float rest =
            spread(0, block, 6 + 3, 13, field_count, ready->weight, lane) * ready->stretch;
        for (uint32_t i = 0; i < 9; i++) {
            a[i] = i % 4 == 0;
            for (uint32_t j = 0; j < field_count; j++)
                a[i] += ready->weight[j] * at(block, 6 + 13 * j + 4 + i, lane);
        }
        for (int k = 0; k < 3; k++) {
            float size[3], h[3];
            for (uint32_t i = 0; i < 3; i++) {
                size[i] =
                    fabsf(dot(ready->turn + 3 * k, (const float[3]){a[i], a[3 + i], a[6 + i]}));
                h[i] = at(block, 3 + i, lane);
            }
            half[k] = dot(size, h) + rest;
        }
        store(ready, lane, m, half, out);
    }
    store_empty(count, out);
}
