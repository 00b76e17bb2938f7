// SPDX-License-Identifier: MIT
#include "kernels/reduced/reduced_open.h"

#include <immintrin.h>

static inline __m256 load(const float *block, uint32_t row)
{
    return _mm256_load_ps(block + (size_t)row * SHL_LANES);
}

static inline __m256 add_mul(__m256 sum, __m256 a, __m256 b)
{
    return _mm256_add_ps(sum, _mm256_mul_ps(a, b));
}

static inline __m256 magnitude(__m256 v)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
}

static inline __m256 dot(__m256 ax, __m256 ay, __m256 az, __m256 bx, __m256 by, __m256 bz)
{
    return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(ax, bx), _mm256_mul_ps(ay, by)),
                         _mm256_mul_ps(az, bz));
}

// Row k of the turn, one entry a register.
typedef struct turn_row {
    __m256 x, y, z;
} turn_row;

static inline turn_row turn_at(const shl_reduced_ready *ready, int k)
{
    return (turn_row){_mm256_set1_ps(ready->turn[3 * k]),
                      _mm256_set1_ps(ready->turn[3 * k + 1]),
                      _mm256_set1_ps(ready->turn[3 * k + 2])};
}

static inline void store(const shl_reduced_ready *ready, int k, turn_row t, __m256 mx,
                         __m256 my, __m256 mz, __m256 half, shl_block *out)
{
    const __m256 w = dot(t.x, t.y, t.z, mx, my, mz), base = _mm256_set1_ps(ready->base[k]);
    const __m256 lo = _mm256_add_ps(_mm256_set1_ps(ready->lo[k]), _mm256_sub_ps(w, half));
    const __m256 hi = _mm256_add_ps(_mm256_set1_ps(ready->hi[k]), _mm256_add_ps(w, half));
    _mm256_store_ps(out->lo[k], _mm256_add_ps(base, lo));
    _mm256_store_ps(out->hi[k], _mm256_add_ps(base, hi));
}

static void store_empty(uint32_t from, shl_block *out)
{
    const __m256 most = _mm256_set1_ps(__builtin_inff());
    const __m256 least = _mm256_set1_ps(-__builtin_inff());
    const __m256 empty = _mm256_castsi256_ps(_mm256_cmpgt_epi32(
        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)from - 1)));
    for (int k = 0; k < 3; k++) { // no store with a mask: some CPUs take a dozen cycles
        _mm256_store_ps(out->lo[k], _mm256_blendv_ps(_mm256_load_ps(out->lo[k]), most, empty));
        _mm256_store_ps(out->hi[k], _mm256_blendv_ps(_mm256_load_ps(out->hi[k]), least, empty));
    }
}

void shl_reduced_spheres_avx2(const float *block, uint32_t field_count,
                              const shl_reduced_ready *ready, uint32_t count, shl_block *out)
{
    __m256 mx = load(block, 0), my = load(block, 1), mz = load(block, 2), r = load(block, 3);
    const float *row = block + 4 * SHL_LANES;
    for (uint32_t j = 0; j < field_count; j++, row += 4 * SHL_LANES) {
        const __m256 s = _mm256_set1_ps(ready->weight[j]);
        mx = add_mul(mx, s, load(row, 0));
        my = add_mul(my, s, load(row, 1));
        mz = add_mul(mz, s, load(row, 2));
        r = add_mul(r, magnitude(s), load(row, 3));
    }
    r = _mm256_mul_ps(r, _mm256_set1_ps(ready->stretch));
    for (int k = 0; k < 3; k++)
        store(ready, k, turn_at(ready, k), mx, my, mz, r, out);
    if (count < SHL_LANES)
        store_empty(count, out);
}

void shl_reduced_boxes_avx2(const float *block, uint32_t field_count,
                            const shl_reduced_ready *ready, uint32_t count, shl_block *out)
{
    __m256 mx = load(block, 0), my = load(block, 1), mz = load(block, 2);
    __m256 hx = load(block, 3), hy = load(block, 4), hz = load(block, 5);
    const float *row = block + 6 * SHL_LANES;
    for (uint32_t j = 0; j < field_count; j++, row += 6 * SHL_LANES) {
        const __m256 s = _mm256_set1_ps(ready->weight[j]), size = magnitude(s);
        mx = add_mul(mx, s, load(row, 0));
        my = add_mul(my, s, load(row, 1));
        mz = add_mul(mz, s, load(row, 2));
        hx = add_mul(hx, size, load(row, 3));
        hy = add_mul(hy, size, load(row, 4));
        hz = add_mul(hz, size, load(row, 5));
    }
    for (int k = 0; k < 3; k++) {
        const turn_row t = turn_at(ready, k);
        const __m256 half = dot(magnitude(t.x), magnitude(t.y), magnitude(t.z), hx, hy, hz);
        store(ready, k, t, mx, my, mz, half, out);
    }
    if (count < SHL_LANES)
        store_empty(count, out);
}

void shl_reduced_affine_avx2(const float *block, uint32_t field_count,
                             const shl_reduced_ready *ready, uint32_t count, shl_block *out)
{
    const __m256 one = _mm256_set1_ps(1), zero = _mm256_setzero_ps();
    __m256 mx = load(block, 0), my = load(block, 1), mz = load(block, 2), rest = zero;
    __m256 a[9] = {one, zero, zero, zero, one, zero, zero, zero, one};
    const float *row = block + 6 * SHL_LANES;
    for (uint32_t j = 0; j < field_count; j++, row += 13 * SHL_LANES) {
        const __m256 s = _mm256_set1_ps(ready->weight[j]);
        mx = add_mul(mx, s, load(row, 0));
        my = add_mul(my, s, load(row, 1));
        mz = add_mul(mz, s, load(row, 2));
        rest = add_mul(rest, magnitude(s), load(row, 3));
        for (uint32_t i = 0; i < 9; i++)
            a[i] = add_mul(a[i], s, load(row, 4 + i));
    }
    rest = _mm256_mul_ps(rest, _mm256_set1_ps(ready->stretch));
    for (int k = 0; k < 3; k++) {
        const turn_row t = turn_at(ready, k);
        const __m256 size[3] = {magnitude(dot(t.x, t.y, t.z, a[0], a[3], a[6])),
                                magnitude(dot(t.x, t.y, t.z, a[1], a[4], a[7])),
                                magnitude(dot(t.x, t.y, t.z, a[2], a[5], a[8]))};
        const __m256 half = _mm256_add_ps(
            dot(size[0], size[1], size[2], load(block, 3), load(block, 4), load(block, 5)),
            rest);
        store(ready, k, t, mx, my, mz, half, out);
    }
    if (count < SHL_LANES)
        store_empty(count, out);
}
