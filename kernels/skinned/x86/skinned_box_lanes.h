// SPDX-License-Identifier: MIT
// skinned_box in lanes of eight, for as many registers as there are: whoever includes this says
// how many axes and faces are done at once.
#ifndef SHL_KERNELS_SKINNED_X86_SKINNED_BOX_LANES_H
#define SHL_KERNELS_SKINNED_X86_SKINNED_BOX_LANES_H

#include "kernels/skinned/skinned_box.h"
#include "kernels/skinned/skinned_open.h"

#include <immintrin.h>

enum { L = SHL_LANES, FACES = 6 };

static inline __m256 add_mul(__m256 sum, __m256 a, __m256 b)
{
    return _mm256_fmadd_ps(a, b, sum);
}

static inline float total(__m256 v)
{
    const __m128 pairs = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_add_ps(pairs, _mm_movehl_ps(pairs, pairs));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

static inline float largest(__m256 v)
{
    const __m128 pairs = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_max_ps(pairs, _mm_movehl_ps(pairs, pairs));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

typedef struct sums {
    float least, rest, vary, base[FACES], vary_base[FACES], top[FACES];
} sums;

// Upper and lower faces of all points along the axes from `first` on, and their sums. As many
// axes at once as there are registers for, so that all sums stay in them. Most bodies have no
// point that acts on all vertices: then `fixed` is false, and sums of least weights are 0.
static inline void fill_axes(const shl_skinned *m, const shl_skinned_ready *r, size_t first,
                             bool fixed, float *scratch, sums *out)
{
    const size_t groups = m->padded / L;
    const __m256 sign = _mm256_set1_ps(-0.0f), zero = _mm256_setzero_ps();
    __m256 base[2 * AXES], vary_base[2 * AXES], top[2 * AXES];
    for (int f = 0; f < 2 * AXES; f++) {
        base[f] = vary_base[f] = zero;
        top[f] = _mm256_set1_ps(-r->most);
    }
    const float *map = r->columns, *z = m->zone;
    float *row = scratch;
    for (size_t i = 0; i < groups; i++) {
        const __m256 vary = _mm256_load_ps(z + (size_t)7 * L);
        const __m256 least = fixed ? _mm256_load_ps(z + (size_t)6 * L) : zero;
        for (size_t axis = 0; axis < AXES; axis++) {
            const size_t k = first + axis;
            __m256 w = _mm256_load_ps(map + (9 + k) * L), e = zero;
            for (size_t l = 0; l < 3; l++) {
                const __m256 x = _mm256_load_ps(map + (3 * k + l) * L);
                w = add_mul(w, x, _mm256_load_ps(z + l * L));
                e = add_mul(e, _mm256_andnot_ps(sign, x), _mm256_load_ps(z + (3 + l) * L));
            }
            const __m256 face[2] = {_mm256_add_ps(w, e), _mm256_sub_ps(e, w)};
            for (size_t side = 0; side < 2; side++) {
                const size_t f = 2 * axis + side;
                _mm256_store_ps(row + (3 * side + k) * L, face[side]);
                if (fixed)
                    base[f] = add_mul(base[f], least, face[side]);
                vary_base[f] = add_mul(vary_base[f], vary, face[side]);
                top[f] = _mm256_max_ps(top[f], face[side]);
            }
        }
        map += SHL_MAP_ROWS * L;
        z += SHL_ZONE_ROWS * L;
        row += SHL_SCRATCH_FLOATS;
    }
    for (size_t f = 0; f < 2 * AXES; f++) {
        const size_t at = 3 * (f % 2) + first + f / 2;
        out->base[at] = total(base[f]);
        out->vary_base[at] = total(vary_base[f]);
        out->top[at] = largest(top[f]);
    }
}

static void sum_weights(const shl_skinned *m, sums *out)
{
    __m256 least = _mm256_setzero_ps(), vary = least;
    for (size_t i = 0; i < m->padded / L; i++) {
        const float *z = m->zone + i * SHL_ZONE_ROWS * L;
        least = _mm256_add_ps(least, _mm256_load_ps(z + (size_t)6 * L));
        vary = _mm256_add_ps(vary, _mm256_load_ps(z + (size_t)7 * L));
    }
    out->least = total(least);
    out->rest = 1 - out->least;
    out->vary = total(vary);
}

// What is beyond some lambdas, of some faces.
static inline void dual(const float *rows, const float *vary, size_t groups,
                        const float at[AT_ONCE], bool slopes, float over[AT_ONCE],
                        float mass[AT_ONCE])
{
    const __m256 zero = _mm256_setzero_ps();
    __m256 sum[AT_ONCE], weight[AT_ONCE], from[AT_ONCE];
    for (size_t f = 0; f < AT_ONCE; f++) {
        sum[f] = weight[f] = zero;
        from[f] = _mm256_set1_ps(at[f]);
    }
    for (size_t i = 0; i < groups; i++) {
        const __m256 by = _mm256_load_ps(vary + i * SHL_ZONE_ROWS * L);
        for (size_t f = 0; f < AT_ONCE; f++) {
            const __m256 beyond =
                _mm256_sub_ps(_mm256_load_ps(rows + i * SHL_SCRATCH_FLOATS + f * L), from[f]);
            sum[f] = add_mul(sum[f], by, _mm256_max_ps(beyond, zero));
            if (slopes)
                weight[f] = _mm256_add_ps(
                    weight[f], _mm256_and_ps(by, _mm256_cmp_ps(beyond, zero, _CMP_GT_OQ)));
        }
    }
    for (int f = 0; f < AT_ONCE; f++) {
        over[f] = total(sum[f]);
        mass[f] = total(weight[f]);
    }
}

// The faces from `first` on.
static void least_of(const shl_skinned *m, const float *scratch, int first, const sums *s,
                     float most, float best[AT_ONCE])
{
    float down[AT_ONCE], down_slope[AT_ONCE], up[AT_ONCE], up_slope[AT_ONCE], guess[AT_ONCE];
    const float *rows = scratch + first * L;
    for (int f = 0; f < AT_ONCE; f++) {
        const float base = s->base[first + f], vary_base = s->vary_base[first + f];
        const float top = s->top[first + f];
        down[f] = base + vary_base;
        down_slope[f] = s->rest - s->vary;
        up[f] = base;
        up_slope[f] = s->rest;
        best[f] = __builtin_inff();
        guess[f] = top - (2 * (s->rest / s->vary)) * (top - vary_base / s->vary);
    }
    for (int round = 0; round < SHL_ROOT_ROUNDS; round++) {
        float at[AT_ONCE], over[AT_ONCE], mass[AT_ONCE];
        for (int f = 0; f < AT_ONCE; f++) {
            const float x = guess[f] > -most ? guess[f] : -most;
            at[f] = up_slope[f] - down_slope[f] > 0 ? (x < most ? x : most) : 0;
        }
        const bool slopes = round + 1 < SHL_ROOT_ROUNDS;
        dual(rows, m->zone + 7 * L, m->padded / L, at, slopes, over, mass);
        for (int f = 0; f < AT_ONCE; f++) {
            const float slope = s->rest - mass[f];
            const float g = (s->base[first + f] + s->rest * at[f]) + over[f];
            const float line = g - slope * at[f];
            best[f] = g < best[f] ? g : best[f];
            if (slope > 0) {
                up[f] = line;
                up_slope[f] = slope;
            } else {
                down[f] = line;
                down_slope[f] = slope;
            }
            guess[f] = (down[f] - up[f]) / (up_slope[f] - down_slope[f]);
        }
    }
}

static inline void skinned_box(const shl_skinned *m, const shl_skinned_ready *r, float *scratch,
                               shl_box *out)
{
    sums s;
    sum_weights(m, &s);
    for (size_t k = 0; k < 3; k += AXES) {
        if (s.least > 0)
            fill_axes(m, r, k, true, scratch, &s);
        else
            fill_axes(m, r, k, false, scratch, &s);
    }
    const uint32_t groups = m->padded / L;
    const float more = r->slack_term * (float)(groups + 4), most = r->most;
    float end[FACES];
    for (int first = 0; first < FACES; first += AT_ONCE)
        least_of(m, scratch, first, &s, most, end + first);
    for (int k = 0; k < 3; k++) {
        const float hi = end[k], lo = end[3 + k];
        out->hi[k] = r->base[k] + ((hi < most ? hi : most) + (r->slack[k] + more));
        out->lo[k] = r->base[k] - ((lo < most ? lo : most) + (r->slack[k] + more));
    }
}

#endif
