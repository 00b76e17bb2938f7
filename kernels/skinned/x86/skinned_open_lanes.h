// SPDX-License-Identifier: MIT
// skinned_open in lanes of eight, for as many registers as there are: whoever includes this
// says how many faces are done at once.
#ifndef SHL_KERNELS_SKINNED_X86_SKINNED_OPEN_LANES_H
#define SHL_KERNELS_SKINNED_X86_SKINNED_OPEN_LANES_H

#include "kernels/skinned/skinned_open.h"

#include <float.h>
#include <immintrin.h>

enum { L = SHL_LANES, FACES = 6 };

static inline __m256 add_mul(__m256 sum, __m256 a, __m256 b)
{
    return _mm256_fmadd_ps(a, b, sum);
}

static inline __m256 magnitude(__m256 v)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
}

static inline __m256 negative(__m256 v)
{
    return _mm256_xor_ps(_mm256_set1_ps(-0.0f), v);
}

static inline __m256 dot(const float *a, const __m256 b[3], __m256 sum)
{
    for (int l = 0; l < 3; l++)
        sum = add_mul(sum, _mm256_set1_ps(a[l]), b[l]);
    return sum;
}

// --- How far one point alone would take the children's vertices along each face. ---

static inline void of_box(const shl_point_map *m, const __m256 lo[3], const __m256 hi[3],
                          float *out)
{
    const __m256 half_of = _mm256_set1_ps(0.5f);
    __m256 mid[3], half[3];
    for (int l = 0; l < 3; l++) {
        mid[l] = _mm256_mul_ps(half_of, _mm256_add_ps(lo[l], hi[l]));
        half[l] = _mm256_max_ps(_mm256_sub_ps(hi[l], mid[l]), _mm256_sub_ps(mid[l], lo[l]));
    }
    for (int k = 0; k < 3; k++) {
        const float *a = m->turn + 3 * k;
        const __m256 w = dot(a, mid, _mm256_set1_ps(m->at[k]));
        __m256 e = _mm256_setzero_ps();
        for (int l = 0; l < 3; l++)
            e = add_mul(e, magnitude(_mm256_set1_ps(a[l])), half[l]);
        _mm256_store_ps(out + k * L, _mm256_add_ps(w, e));
        _mm256_store_ps(out + (3 + k) * L, _mm256_sub_ps(e, w));
    }
}

static inline void boxes(const shl_skinned *model, uint32_t point, const shl_point_map *m,
                         const float *extents, bool clip, float *out)
{
    __m256 lo[3], hi[3];
    for (size_t l = 0; l < 3; l++) {
        hi[l] = _mm256_load_ps(extents + shl_extent_row((int)l, false) * L);
        lo[l] = negative(_mm256_load_ps(extents + shl_extent_row((int)l, true) * L));
        if (!clip)
            continue;
        const float mid = model->zone[shl_group_at(point, SHL_ZONE_ROWS, l)],
                    half = model->zone[shl_group_at(point, SHL_ZONE_ROWS, 3 + l)];
        hi[l] = _mm256_min_ps(hi[l], _mm256_set1_ps(mid + half));
        lo[l] = _mm256_max_ps(lo[l], _mm256_set1_ps(mid - half));
        const __m256 middle = _mm256_mul_ps(_mm256_set1_ps(0.5f), _mm256_add_ps(lo[l], hi[l]));
        const __m256 empty = _mm256_cmp_ps(lo[l], hi[l], _CMP_GT_OQ);
        lo[l] = _mm256_blendv_ps(lo[l], middle, empty);
        hi[l] = _mm256_blendv_ps(hi[l], middle, empty);
    }
    of_box(m, lo, hi, out);
}

static inline __m256 along(const float *extents, const float *part, uint32_t a, uint32_t b,
                           uint32_t c, __m256 sum)
{
    const __m256 rows[3] = {_mm256_load_ps(extents + a * L), _mm256_load_ps(extents + b * L),
                            _mm256_load_ps(extents + c * L)};
    return dot(part, rows, sum);
}

static inline void directions(const shl_point_map *m, const float *extents, float *out)
{
    for (int k = 0; k < 3; k++) {
        const uint8_t *row = m->row[k];
        const __m256 at = _mm256_set1_ps(m->at[k]);
        const __m256 up = along(extents, m->part[k], row[0], row[1], row[2], at);
        const __m256 down =
            along(extents, m->part[k], 26u - row[0], 26u - row[1], 26u - row[2], negative(at));
        _mm256_store_ps(out + k * L, _mm256_min_ps(up, _mm256_set1_ps(m->hi[k])));
        _mm256_store_ps(out + (3 + k) * L, _mm256_min_ps(down, _mm256_set1_ps(-m->lo[k])));
    }
}

// --- All points together. As many faces at a time as there are registers for. ---

// What the first pass over a block's points sums up.
typedef struct sums {
    __m256 least, vary;
    __m256 base[FACES], vary_base[FACES], top[FACES];
} sums;

static inline __m256 weights(const uint16_t w[L])
{
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_load_si128((const __m128i *)w));
    return _mm256_mul_ps(_mm256_cvtepi32_ps(wide), _mm256_set1_ps(1.0f / SHL_WEIGHT_ONE));
}

static inline void add_weight_bounds(const shl_weight_bounds *bounds, float *row,
                                     __m256 least_top, sums *s)
{
    const __m256 least = weights(bounds->least);
    const __m256i vary =
        _mm256_sub_epi32(_mm256_cvtepu16_epi32(_mm_load_si128((const __m128i *)bounds->most)),
                         _mm256_cvtepu16_epi32(_mm_load_si128((const __m128i *)bounds->least)));
    const __m256 by =
        _mm256_mul_ps(_mm256_cvtepi32_ps(vary), _mm256_set1_ps(1.0f / SHL_WEIGHT_ONE));
    const __m256 varies = _mm256_cmp_ps(by, _mm256_setzero_ps(), _CMP_GT_OQ);
    _mm256_store_ps(row + FACES * L, by);
    s->least = _mm256_add_ps(s->least, least);
    s->vary = _mm256_add_ps(s->vary, by);
    for (int f = 0; f < FACES; f++) {
        const __m256 value = _mm256_load_ps(row + f * L);
        s->base[f] = add_mul(s->base[f], least, value);
        s->vary_base[f] = add_mul(s->vary_base[f], by, value);
        s->top[f] = _mm256_max_ps(s->top[f], _mm256_blendv_ps(least_top, value, varies));
    }
}

typedef struct some {
    __m256 f[AT_ONCE];
} some;

// g at some lambdas, and its slopes where they are asked for.
static inline some dual(const float *rows, uint32_t count, const sums *s, int first, some at,
                        bool slopes, some *slope)
{
    const __m256 zero = _mm256_setzero_ps();
    some over, mass;
    for (int f = 0; f < AT_ONCE; f++)
        over.f[f] = mass.f[f] = zero;
    const float *row = rows + first * L, *vary = rows + FACES * L;
    for (uint32_t i = 0; i < count;
         i++, row += SHL_SCRATCH_FLOATS, vary += SHL_SCRATCH_FLOATS) {
        const __m256 by = _mm256_load_ps(vary);
        for (int f = 0; f < AT_ONCE; f++) {
            const __m256 beyond = _mm256_sub_ps(_mm256_load_ps(row + f * L), at.f[f]);
            over.f[f] = add_mul(over.f[f], by, _mm256_max_ps(beyond, zero));
            if (slopes)
                mass.f[f] = _mm256_add_ps(
                    mass.f[f], _mm256_and_ps(by, _mm256_cmp_ps(beyond, zero, _CMP_GT_OQ)));
        }
    }
    const __m256 rest = _mm256_sub_ps(_mm256_set1_ps(1), s->least);
    some g;
    for (int f = 0; f < AT_ONCE; f++) {
        slope->f[f] = _mm256_sub_ps(rest, mass.f[f]);
        g.f[f] = _mm256_add_ps(add_mul(s->base[first + f], rest, at.f[f]), over.f[f]);
    }
    return g;
}

// Lanes whose line is the one that was known before.
static inline __m256 same_line(__m256 line, __m256 slope, __m256 rises, __m256 up,
                               __m256 up_slope, __m256 down, __m256 down_slope)
{
    const __m256 old = _mm256_blendv_ps(down, up, rises),
                 old_slope = _mm256_blendv_ps(down_slope, up_slope, rises);
    return _mm256_and_ps(_mm256_cmp_ps(line, old, _CMP_EQ_OQ),
                         _mm256_cmp_ps(slope, old_slope, _CMP_EQ_OQ));
}

static inline some least_of(const float *rows, uint32_t count, const sums *s, int first,
                            __m256 most, int rounds)
{
    const __m256 zero = _mm256_setzero_ps();
    const __m256 rest = _mm256_sub_ps(_mm256_set1_ps(1), s->least);
    some down, down_slope, up, up_slope, best, at, slope, guess;
    for (int f = 0; f < AT_ONCE; f++) {
        down.f[f] = _mm256_add_ps(s->base[first + f], s->vary_base[first + f]);
        down_slope.f[f] = _mm256_sub_ps(rest, s->vary);
        up.f[f] = s->base[first + f];
        up_slope.f[f] = rest;
        best.f[f] = _mm256_set1_ps(__builtin_inff());
        const __m256 mean = _mm256_div_ps(s->vary_base[first + f], s->vary);
        const __m256 factor = _mm256_mul_ps(_mm256_set1_ps(2), _mm256_div_ps(rest, s->vary)),
                     top = s->top[first + f];
        guess.f[f] = _mm256_sub_ps(top, _mm256_mul_ps(factor, _mm256_sub_ps(top, mean)));
    }
    for (int round = 0; round < rounds; round++) {
        for (int f = 0; f < AT_ONCE; f++) {
            const __m256 bend = _mm256_sub_ps(up_slope.f[f], down_slope.f[f]);
            const __m256 within =
                _mm256_min_ps(_mm256_max_ps(guess.f[f], negative(most)), most);
            at.f[f] = _mm256_and_ps(within, _mm256_cmp_ps(bend, zero, _CMP_GT_OQ));
        }
        if (round + 1 == SHL_DUAL_ROUNDS && rounds == SHL_DUAL_ROUNDS) { // no line is needed
            const some last = dual(rows, count, s, first, at, false, &slope);
            for (int f = 0; f < AT_ONCE; f++)
                best.f[f] = _mm256_min_ps(best.f[f], last.f[f]);
            break;
        }
        const some g = dual(rows, count, s, first, at, true, &slope);
        __m256 known = _mm256_cmp_ps(zero, zero, _CMP_EQ_OQ);
        for (int f = 0; f < AT_ONCE; f++) {
            const __m256 line = _mm256_sub_ps(g.f[f], _mm256_mul_ps(slope.f[f], at.f[f]));
            const __m256 rises = _mm256_cmp_ps(slope.f[f], zero, _CMP_GT_OQ);
            best.f[f] = _mm256_min_ps(best.f[f], g.f[f]);
            if (rounds == SHL_KNAPSACK_ROUNDS)
                known =
                    _mm256_and_ps(known, same_line(line, slope.f[f], rises, up.f[f],
                                                   up_slope.f[f], down.f[f], down_slope.f[f]));
            up.f[f] = _mm256_blendv_ps(up.f[f], line, rises);
            up_slope.f[f] = _mm256_blendv_ps(up_slope.f[f], slope.f[f], rises);
            down.f[f] = _mm256_blendv_ps(line, down.f[f], rises);
            down_slope.f[f] = _mm256_blendv_ps(slope.f[f], down_slope.f[f], rises);
            guess.f[f] = _mm256_div_ps(_mm256_sub_ps(down.f[f], up.f[f]),
                                       _mm256_sub_ps(up_slope.f[f], down_slope.f[f]));
        }
        if (rounds == SHL_KNAPSACK_ROUNDS && round && _mm256_movemask_ps(known) == 255)
            break; // all lines as before: all further rounds would be this one
    }
    return best;
}

// The largest and second largest values of points that act on a child.
static inline void top_two(const shl_weight_bounds *weight_bounds, const float *rows,
                           uint32_t count, int first, some *one, some *two)
{
    const __m256 none = _mm256_set1_ps(-FLT_MAX);
    for (int f = 0; f < AT_ONCE; f++)
        one->f[f] = two->f[f] = none;
    for (uint32_t i = 0; i < count; i++) {
        const __m256i most =
            _mm256_cvtepu16_epi32(_mm_load_si128((const __m128i *)weight_bounds[i].most));
        const __m256 idle =
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(most, _mm256_setzero_si256()));
        for (int f = 0; f < AT_ONCE; f++) {
            const float *at = rows + (size_t)i * SHL_SCRATCH_FLOATS + (first + f) * L;
            const __m256 v = _mm256_blendv_ps(_mm256_load_ps(at), none, idle);
            two->f[f] = _mm256_max_ps(two->f[f], _mm256_min_ps(one->f[f], v));
            one->f[f] = _mm256_max_ps(one->f[f], v);
        }
    }
}

static inline some blend(const shl_skinned *model, const shl_weight_bounds *weight_bounds,
                         const float *rows, uint32_t count, const sums *s, int first,
                         __m256 most)
{
    some one, two, slope;
    switch (model->blend) {
    case SHL_BLEND_DUAL:
        return least_of(rows, count, s, first, most, SHL_DUAL_ROUNDS);
    case SHL_BLEND_KNAPSACK:
        return least_of(rows, count, s, first, most, SHL_KNAPSACK_ROUNDS);
    case SHL_BLEND_UNION:
        top_two(weight_bounds, rows, count, first, &one, &two);
        return one;
    default:
        top_two(weight_bounds, rows, count, first, &one, &two);
        for (int f = 0; f < AT_ONCE; f++)
            two.f[f] =
                _mm256_blendv_ps(one.f[f], two.f[f],
                                 _mm256_cmp_ps(two.f[f], _mm256_set1_ps(-FLT_MAX), _CMP_GT_OQ));
        return dual(rows, count, s, first, two, false, &slope);
    }
}

static inline void skinned_open(const shl_skinned *model, uint32_t block,
                                const shl_skinned_ready *ready, uint32_t count, float *scratch,
                                shl_block *out)
{
    const uint32_t begin = model->bounds_begin[block],
                   points = model->bounds_begin[block + 1] - begin;
    const float *extents = model->extents + (size_t)block * SHL_EXTENTS * L;
    const shl_region region = model->region;
    const __m256 zero = _mm256_setzero_ps();
    sums s = {.least = zero, .vary = zero};
    const __m256 most = _mm256_set1_ps(ready->most), far = _mm256_set1_ps(__builtin_inff());
    for (int f = 0; f < FACES; f++) {
        s.base[f] = s.vary_base[f] = zero;
        s.top[f] = negative(most);
    }
    for (uint32_t i = 0; i < points; i++) {
        const uint32_t point = model->bounds_point[begin + i];
        float *row = scratch + (size_t)i * SHL_SCRATCH_FLOATS;
        if (region == SHL_REGION_DIRECTIONS)
            directions(&ready->map[point], extents, row);
        else
            boxes(model, point, &ready->map[point], extents, region == SHL_REGION_CLIPPED, row);
        add_weight_bounds(&model->weight_bounds[begin + i], row, negative(most), &s);
    }
    const float more = ready->slack_term * (float)points;
    const __m256 empty = _mm256_castsi256_ps(_mm256_cmpgt_epi32(
        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)count - 1)));
    __m256 end[FACES];
    for (int first = 0; first < FACES; first += AT_ONCE) {
        const some g =
            blend(model, model->weight_bounds + begin, scratch, points, &s, first, most);
        for (int f = 0; f < AT_ONCE; f++)
            end[first + f] = _mm256_min_ps(g.f[f], most);
    }
    for (int k = 0; k < 3; k++) {
        const __m256 slack = _mm256_set1_ps(ready->slack[k] + more);
        const __m256 base = _mm256_set1_ps(ready->base[k]);
        const __m256 hi = _mm256_add_ps(base, _mm256_add_ps(end[k], slack)),
                     lo = _mm256_sub_ps(base, _mm256_add_ps(end[3 + k], slack));
        _mm256_store_ps(out->hi[k], _mm256_blendv_ps(hi, negative(far), empty));
        _mm256_store_ps(out->lo[k], _mm256_blendv_ps(lo, far, empty));
    }
}

#endif
