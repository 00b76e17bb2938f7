// SPDX-License-Identifier: MIT
// A row of eight cells is a vector.
#include "kernels/voronoi/brick_bounds.h"
#include "kernels/voronoi/x86/cell_lanes_avx2.h"

#include <math.h>

enum { ROWS = SHL_BRICK_Y * SHL_BRICK_Z };

static inline __m256 pick(__m256 no, __m256 yes, __m256i mask)
{
    return _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(mask));
}

static inline __m256 squares_of(const shl_site *site, const uint32_t corner[3], uint32_t row)
{
    const __m256 steps = _mm256_setr_ps(0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f);
    const uint32_t y = row % SHL_BRICK_Y, z = row / SHL_BRICK_Y;
    const __m256 p[3] = {
        _mm256_add_ps(_mm256_set1_ps((float)corner[0]), steps),
        _mm256_set1_ps((float)(corner[1] + y) + 0.5f),
        _mm256_set1_ps((float)(corner[2] + z) + 0.5f),
    };
    return shl_site_lanes(site, p);
}

// Same owner: only the first can shrink. Another one: it comes before, between or after.
static inline void take(shl_brick_scratch *s, uint32_t i, __m256 d, __m256i owner)
{
    const __m256 first = _mm256_loadu_ps(s->first + i);
    const __m256 second = _mm256_loadu_ps(s->second + i);
    const __m256i old = _mm256_loadu_si256((const __m256i *)(s->owner + i));
    const __m256i same = _mm256_cmpeq_epi32(old, owner);
    const __m256i closer = _mm256_castps_si256(_mm256_cmp_ps(d, first, _CMP_LT_OQ));
    const __m256 loser = pick(d, first, closer); // the farther of d and first
    _mm256_storeu_ps(s->first + i, _mm256_min_ps(d, first));
    _mm256_storeu_ps(s->second + i, pick(_mm256_min_ps(loser, second), second, same));
    _mm256_storeu_si256((__m256i *)(s->owner + i), _mm256_blendv_epi8(old, owner, closer));
}

// Distances instead of squares, infinite where there are no two owners within the cutoff.
// Returns the rows where there are.
static uint32_t useful_rows(shl_brick_scratch *s, float cutoff)
{
    const __m256 limit = _mm256_set1_ps(cutoff), none = _mm256_set1_ps(INFINITY);
    uint32_t rows = 0;
    for (uint32_t row = 0, i = 0; row < ROWS; row++, i += SHL_BRICK_X) {
        const __m256 second = _mm256_sqrt_ps(_mm256_loadu_ps(s->second + i));
        const __m256 first = _mm256_sqrt_ps(_mm256_loadu_ps(s->first + i));
        const __m256 two = _mm256_cmp_ps(second, limit, _CMP_LE_OQ);
        _mm256_storeu_ps(s->second + i, _mm256_blendv_ps(none, second, two));
        _mm256_storeu_ps(s->first + i, _mm256_blendv_ps(none, first, two));
        rows |= (uint32_t)(_mm256_movemask_ps(two) != 0) << row;
    }
    return rows;
}

static inline float lowest(__m256 x)
{
    const __m128 half = _mm_min_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 quarter = _mm_min_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_min_ss(quarter, _mm_movehdup_ps(quarter)));
}

void shl_brick_bounds_avx2(const shl_cell_tri *tris, const uint32_t *list, uint32_t count,
                           const uint32_t corner[3], float cutoff, shl_brick_scratch *s,
                           float *least)
{
    for (uint32_t i = 0; i < SHL_BRICK_CELLS; i++) {
        s->first[i] = s->second[i] = INFINITY;
        s->owner[i] = UINT32_MAX;
    }
    for (uint32_t t = 0; t < count; t++) {
        const shl_cell_tri *tri = &tris[list[t]];
        const uint32_t rows = shl_brick_rows(tri, corner, cutoff);
        if (t < SHL_BRICK_KEEP)
            s->rows[t] = rows;
        if (!rows)
            continue;
        const shl_site site = shl_site_of(tri);
        const __m256i owner = _mm256_set1_epi32((int)tri->owner);
        for (uint32_t left = rows; left; left &= left - 1) {
            const uint32_t row = (uint32_t)__builtin_ctz(left), i = SHL_BRICK_X * row;
            const __m256 square = squares_of(&site, corner, row);
            if (t < SHL_BRICK_KEEP)
                _mm256_storeu_ps(s->square[t] + i, square);
            take(s, i, square, owner);
        }
    }
    const uint32_t useful = useful_rows(s, cutoff);
    const __m256 limit = _mm256_set1_ps(cutoff);
    for (uint32_t t = 0; t < count; t++) {
        const shl_cell_tri *tri = &tris[list[t]];
        const bool kept = t < SHL_BRICK_KEEP;
        const __m256i owner = _mm256_set1_epi32((int)tri->owner);
        uint32_t left = useful & (kept ? s->rows[t] : shl_brick_rows(tri, corner, cutoff));
        __m256 best = _mm256_set1_ps(INFINITY);
        shl_site site;
        if (!kept && left)
            site = shl_site_of(tri);
        for (; left; left &= left - 1) {
            const uint32_t row = (uint32_t)__builtin_ctz(left), i = SHL_BRICK_X * row;
            const __m256 square =
                kept ? _mm256_loadu_ps(s->square[t] + i) : squares_of(&site, corner, row);
            const __m256i old = _mm256_loadu_si256((const __m256i *)(s->owner + i));
            const __m256 other =
                pick(_mm256_loadu_ps(s->first + i), _mm256_loadu_ps(s->second + i),
                     _mm256_cmpeq_epi32(old, owner));
            const __m256 own = _mm256_sqrt_ps(square);
            const __m256 sum = _mm256_min_ps(_mm256_add_ps(own, other), best);
            best = _mm256_blendv_ps(best, sum, _mm256_cmp_ps(own, limit, _CMP_LE_OQ));
        }
        least[t] = lowest(best);
    }
}

uint32_t shl_brick_within_avx2(const shl_cell_tri *tri, float cutoff, const uint32_t extent[3],
                               const uint32_t *bricks, uint32_t count, uint32_t *near)
{
    const shl_site site = shl_site_of(tri);
    const __m256 limit = _mm256_set1_ps(cutoff * cutoff);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i += 8) {
        const uint32_t rows = count - i < 8 ? count - i : 8;
        float centre[3][8] = {{0}};
        for (uint32_t lane = 0; lane < rows; lane++) {
            float at[3];
            shl_brick_centre(extent, bricks[i + lane], at);
            for (int k = 0; k < 3; k++)
                centre[k][lane] = at[k];
        }
        const __m256 p[3] = {_mm256_loadu_ps(centre[0]), _mm256_loadu_ps(centre[1]),
                             _mm256_loadu_ps(centre[2])};
        uint32_t in = (uint32_t)_mm256_movemask_ps(
            _mm256_cmp_ps(shl_site_lanes(&site, p), limit, _CMP_LE_OQ));
        for (in &= (1u << rows) - 1; in; in &= in - 1)
            near[found++] = bricks[i + (uint32_t)__builtin_ctz(in)];
    }
    return found;
}
