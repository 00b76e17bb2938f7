// SPDX-License-Identifier: MIT
#include "kernels/points_root.h"

#include "kernels/points_open.h"

#include <immintrin.h>

enum { L = SHL_LANES, FACES = 6 };

static inline __m256 add_mul(__m256 sum, __m256 a, __m256 b)
{
    return _mm256_add_ps(sum, _mm256_mul_ps(a, b));
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

// Upper and lower face along one axis of all points, and their sums. One axis at a time, so
// that all sums stay in registers. Most bodies have no point that acts on all vertices: then
// `fixed` is false, and sums of least weights are 0.
static inline void fill_axis(const shl_points *m, const shl_points_ready *r, size_t k,
                             bool fixed, float *scratch, sums *out)
{
    const size_t groups = m->padded / L;
    const __m256 sign = _mm256_set1_ps(-0.0f), zero = _mm256_setzero_ps();
    __m256 up_base = zero, down_base = zero, up_vary = zero, down_vary = zero;
    __m256 up_top = _mm256_set1_ps(-r->most), down_top = up_top;
    const float *map = r->columns + 3 * k * L, *at = r->columns + (9 + k) * L, *z = m->zone;
    float *row = scratch + k * L;
    for (size_t i = 0; i < groups; i++) {
        __m256 w = _mm256_load_ps(at), e = zero;
        for (size_t l = 0; l < 3; l++) {
            const __m256 x = _mm256_load_ps(map + l * L);
            w = add_mul(w, x, _mm256_load_ps(z + l * L));
            e = add_mul(e, _mm256_andnot_ps(sign, x), _mm256_load_ps(z + (3 + l) * L));
        }
        const __m256 up = _mm256_add_ps(w, e), down = _mm256_sub_ps(e, w);
        const __m256 vary = _mm256_load_ps(z + (size_t)7 * L);
        _mm256_store_ps(row, up);
        _mm256_store_ps(row + (size_t)3 * L, down);
        if (fixed) {
            const __m256 least = _mm256_load_ps(z + (size_t)6 * L);
            up_base = add_mul(up_base, least, up);
            down_base = add_mul(down_base, least, down);
        }
        up_vary = add_mul(up_vary, vary, up);
        down_vary = add_mul(down_vary, vary, down);
        up_top = _mm256_max_ps(up_top, up);
        down_top = _mm256_max_ps(down_top, down);
        map += SHL_MAP_ROWS * L;
        at += SHL_MAP_ROWS * L;
        z += SHL_ZONE_ROWS * L;
        row += SHL_SCRATCH_FLOATS;
    }
    out->base[k] = total(up_base);
    out->base[3 + k] = total(down_base);
    out->vary_base[k] = total(up_vary);
    out->vary_base[3 + k] = total(down_vary);
    out->top[k] = largest(up_top);
    out->top[3 + k] = largest(down_top);
}

static void sum_weights(const shl_points *m, sums *out)
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

// What is beyond some lambdas, of three faces.
static inline void dual(const float *rows, const float *vary, size_t groups, const float at[3],
                        bool slopes, float over[3], float mass[3])
{
    const __m256 zero = _mm256_setzero_ps();
    __m256 sum[3] = {zero, zero, zero}, weight[3] = {zero, zero, zero};
    const __m256 from[3] = {_mm256_set1_ps(at[0]), _mm256_set1_ps(at[1]),
                            _mm256_set1_ps(at[2])};
    for (size_t i = 0; i < groups; i++) {
        const __m256 by = _mm256_load_ps(vary + i * SHL_ZONE_ROWS * L);
        for (size_t f = 0; f < 3; f++) {
            const __m256 beyond =
                _mm256_sub_ps(_mm256_load_ps(rows + i * SHL_SCRATCH_FLOATS + f * L), from[f]);
            sum[f] = add_mul(sum[f], by, _mm256_max_ps(beyond, zero));
            if (slopes)
                weight[f] = _mm256_add_ps(
                    weight[f], _mm256_and_ps(by, _mm256_cmp_ps(beyond, zero, _CMP_GT_OQ)));
        }
    }
    for (int f = 0; f < 3; f++) {
        over[f] = total(sum[f]);
        mass[f] = total(weight[f]);
    }
}

// Three faces from `first` on.
static void least_of(const shl_points *m, const float *scratch, int first, const sums *s,
                     float most, float best[3])
{
    float down[3], down_slope[3], up[3], up_slope[3], guess[3];
    const float *rows = scratch + first * L;
    for (int f = 0; f < 3; f++) {
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
        float at[3], over[3], mass[3];
        for (int f = 0; f < 3; f++) {
            const float x = guess[f] > -most ? guess[f] : -most;
            at[f] = up_slope[f] - down_slope[f] > 0 ? (x < most ? x : most) : 0;
        }
        const bool slopes = round + 1 < SHL_ROOT_ROUNDS;
        dual(rows, m->zone + 7 * L, m->padded / L, at, slopes, over, mass);
        for (int f = 0; f < 3; f++) {
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

void shl_points_root_avx2(const shl_points *m, const shl_points_ready *r, float *scratch,
                          shl_box *out)
{
    sums s;
    sum_weights(m, &s);
    for (size_t k = 0; k < 3 && s.least > 0; k++)
        fill_axis(m, r, k, true, scratch, &s);
    for (size_t k = 0; k < 3 && !(s.least > 0); k++)
        fill_axis(m, r, k, false, scratch, &s);
    const float more = r->slack_term * (float)(m->padded / L + 4), most = r->most;
    float hi[3], lo[3];
    least_of(m, scratch, 0, &s, most, hi);
    least_of(m, scratch, 3, &s, most, lo);
    for (int k = 0; k < 3; k++) {
        out->hi[k] = r->base[k] + ((hi[k] < most ? hi[k] : most) + (r->slack[k] + more));
        out->lo[k] = r->base[k] - ((lo[k] < most ? lo[k] : most) + (r->slack[k] + more));
    }
}
