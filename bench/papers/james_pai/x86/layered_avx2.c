// SPDX-License-Identifier: MIT
#include "bench/papers/james_pai/layered.h"

#include <immintrin.h>

// Eight points, and the least and largest along each axis over the lanes.
typedef struct points {
    __m256 x, y, z;
} points;

static inline void store4(float (*out)[4], __m128 x, __m128 y, __m128 z)
{
    __m128 w = _mm_setzero_ps();
    _MM_TRANSPOSE4_PS(x, y, z, w);
    _mm_store_ps(out[0], x);
    _mm_store_ps(out[1], y);
    _mm_store_ps(out[2], z);
    _mm_store_ps(out[3], w);
}

static void deform(const bench_layered *l, const float *q)
{
    const float *row = l->rows;
    for (uint32_t g = 0; g < l->groups; g++) {
        __m256 x = _mm256_load_ps(row), y = _mm256_load_ps(row + 8);
        __m256 z = _mm256_load_ps(row + 16);
        row += 24;
        for (uint32_t j = 0; j < l->field_count; j++, row += 24) {
            const __m256 s = _mm256_set1_ps(q[j]);
            x = _mm256_add_ps(x, _mm256_mul_ps(s, _mm256_load_ps(row)));
            y = _mm256_add_ps(y, _mm256_mul_ps(s, _mm256_load_ps(row + 8)));
            z = _mm256_add_ps(z, _mm256_mul_ps(s, _mm256_load_ps(row + 16)));
        }
        float(*out)[4] = l->xyz + 8 * (size_t)g;
        store4(out, _mm256_castps256_ps128(x), _mm256_castps256_ps128(y),
               _mm256_castps256_ps128(z));
        store4(out + 4, _mm256_extractf128_ps(x, 1), _mm256_extractf128_ps(y, 1),
               _mm256_extractf128_ps(z, 1));
    }
}

static inline __m128 larger_half(__m256 v)
{
    return _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
}

static inline float largest(__m256 v)
{
    __m128 m = larger_half(v);
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

// The largest of each of four vectors.
static inline __m128 largest4(__m256 a, __m256 b, __m256 c, __m256 d)
{
    const __m128 p = larger_half(a), q = larger_half(b), r = larger_half(c), s = larger_half(d);
    const __m128 pq = _mm_max_ps(_mm_unpacklo_ps(p, q), _mm_unpackhi_ps(p, q));
    const __m128 rs = _mm_max_ps(_mm_unpacklo_ps(r, s), _mm_unpackhi_ps(r, s));
    return _mm_max_ps(_mm_movelh_ps(pq, rs), _mm_movehl_ps(rs, pq));
}

// The middle of what lies between -less and more, along three axes.
static inline void middle(const __m256 less[3], const __m256 more[3], float out[4])
{
    const __m128 lo = largest4(less[0], less[1], less[2], less[2]);
    const __m128 hi = largest4(more[0], more[1], more[2], more[2]);
    _mm_storeu_ps(out, _mm_mul_ps(_mm_set1_ps(0.5f), _mm_sub_ps(hi, lo)));
}

static inline __m256 square_distance(points p, const float c[3])
{
    const __m256 x = _mm256_sub_ps(p.x, _mm256_set1_ps(c[0]));
    const __m256 y = _mm256_sub_ps(p.y, _mm256_set1_ps(c[1]));
    const __m256 z = _mm256_sub_ps(p.z, _mm256_set1_ps(c[2]));
    return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y)),
                         _mm256_mul_ps(z, z));
}

static inline __m256 two(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(low)), _mm_load_ps(high), 1);
}

// Eight vertices of a list, transposed within halves; any order of lanes will do.
static inline points gather(const float (*xyz)[4], const uint32_t *list)
{
    const __m256 a = two(xyz[list[0]], xyz[list[4]]), b = two(xyz[list[1]], xyz[list[5]]);
    const __m256 c = two(xyz[list[2]], xyz[list[6]]), d = two(xyz[list[3]], xyz[list[7]]);
    const __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
    return (points){
        _mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xee),
        _mm256_shuffle_ps(_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d), 0x44)};
}

static inline void put(float *place, const float centre[3], float r)
{
    for (int k = 0; k < 3; k++)
        place[k * SHL_LANES] = centre[k];
    place[3 * SHL_LANES] = r;
}

static inline __m256 negative(__m256 v)
{
    return _mm256_xor_ps(v, _mm256_set1_ps(-0.0f));
}

// Lists have at least 12 entries, a multiple of 4: groups of eight, the last from the end.
// Inlined for each number of groups, so that all points stay in registers.
__attribute__((always_inline)) static inline void wrap_leaf(const bench_layered *l,
                                                            const uint32_t *list,
                                                            uint32_t count, uint32_t groups,
                                                            float *place)
{
    points p[SHL_LEAF_VERTICES / 8];
    __m256 lo[3], hi[3];
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t at = g + 1 < groups ? 8 * g : count - 8;
        p[g] = gather((const float(*)[4])l->xyz, list + at);
        const __m256 axes[3] = {p[g].x, p[g].y, p[g].z};
        for (int k = 0; k < 3; k++) {
            lo[k] = g ? _mm256_min_ps(lo[k], axes[k]) : axes[k];
            hi[k] = g ? _mm256_max_ps(hi[k], axes[k]) : axes[k];
        }
    }
    float centre[4];
    middle((const __m256[3]){negative(lo[0]), negative(lo[1]), negative(lo[2])}, hi, centre);
    __m256 square = square_distance(p[0], centre);
    for (uint32_t g = 1; g < groups; g++)
        square = _mm256_max_ps(square, square_distance(p[g], centre));
    put(place, centre, _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(largest(square)))));
}

// Lanes without a child repeat the first.
static inline __m256 children(const float *lanes, __m256 missing)
{
    return _mm256_blendv_ps(_mm256_load_ps(lanes), _mm256_broadcast_ss(lanes), missing);
}

static inline void wrap_inner(const bench_spheres8 *s, uint32_t count, float *place)
{
    const __m256 missing = _mm256_castsi256_ps(_mm256_cmpgt_epi32(
        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)count - 1)));
    const __m256 r = children(s->r, missing);
    const __m256 c[3] = {children(s->c[0], missing), children(s->c[1], missing),
                         children(s->c[2], missing)};
    __m256 less[3], more[3];
    for (int k = 0; k < 3; k++) {
        less[k] = _mm256_sub_ps(r, c[k]);
        more[k] = _mm256_add_ps(c[k], r);
    }
    float centre[4];
    middle(less, more, centre);
    const __m256 d = _mm256_sqrt_ps(square_distance((points){c[0], c[1], c[2]}, centre));
    put(place, centre, largest(_mm256_add_ps(d, r)));
}

void bench_layered_update_avx2(bench_layered *l, const float *q)
{
    const shl_tree *t = l->tree;
    deform(l, q);
    for (uint32_t n = t->node_count; n-- > 0;) {
        const uint32_t *list = t->list + t->list_begin[n];
        const uint32_t count = t->list_begin[n + 1] - t->list_begin[n];
        float *place = bench_layered_place(l, n);
        if (t->leaf[n] && count <= 16)
            wrap_leaf(l, list, count, 2, place);
        else if (t->leaf[n])
            wrap_leaf(l, list, count, 3, place);
        else
            wrap_inner(&l->spheres[l->block_of[n]], t->count[n], place);
    }
}
